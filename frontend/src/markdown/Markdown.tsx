import type { Definition } from "mdast";
import { memo, useState } from "react";
import { type Blocks, extendBlocks, mended, noBlocks, outlineOf } from "./blocks";
import { drawAll } from "./nodes";
import { parse } from "./parse";

/** Text from an agent. While it streams, blocks that are finished are not drawn again. */
export function Markdown({ text, streaming = false }: { text: string; streaming?: boolean }) {
  const cut = useBlocks(text);
  const outline = outlineOf(cut.blocks);
  return (
    <div className={streaming ? "prose caret-last" : "prose"}>
      {cut.blocks.map((block, i) => (
        <DrawnBlock
          key={block.at}
          source={block.source}
          definitions={block.source.includes("[") ? cut.definitions + cut.openDefinition : ""}
          outline={outline}
          open={streaming && i === cut.blocks.length - 1}
        />
      ))}
    </div>
  );
}

/** The blocks of a text, cut on from those of the text before. */
function useBlocks(text: string): Blocks {
  const [blocks, setBlocks] = useState(noBlocks);
  if (blocks.text === text) return blocks;
  const next = extendBlocks(blocks, text);
  setBlocks(next);
  return next;
}

type BlockProps = { source: string; definitions: string; outline: string; open: boolean };

const DrawnBlock = memo(function DrawnBlock({ source, definitions, outline, open }: BlockProps) {
  const { children } = parse(
    (open ? mended(source) : source) + (definitions === "" ? "" : `\n\n${definitions}`),
  );
  const known = new Map(
    children.flatMap((node): [string, Definition][] =>
      node.type === "definition" ? [[node.identifier.toLowerCase(), node]] : [],
    ),
  );
  return drawAll(
    children.filter((node) => node.type !== "definition"),
    { definitions: known, outline, open },
  );
});
