import { memo, useId, useState } from "react";
import { type Blocks, extendBlocks, mended, noBlocks, outlineOf } from "./blocks";
import { Footnotes } from "./Footnotes";
import { hideFormulas } from "./formulas";
import { definitionsOf, drawAll } from "./nodes";
import { parse } from "./parse";

/** Text from an agent. While it streams, blocks that are finished are not drawn again. */
export function Markdown({ text, streaming = false }: { text: string; streaming?: boolean }) {
  const cut = useBlocks(text);
  const id = useId();
  const outline = outlineOf(cut.blocks);
  const links = cut.definitions + cut.openDefinition;
  const names = cut.notes.map((note) => note.name).join("\n");
  // A reference to a footnote is one only where the note is known; its text does not matter.
  const stubs = cut.notes.map(({ label }) => `\n\n[^${label}]: .`).join("");
  return (
    <div className={streaming ? "prose caret-last" : "prose"}>
      {cut.blocks.map((block, i) => (
        <DrawnBlock
          key={block.at}
          source={block.source}
          definitions={block.source.includes("[") ? links : ""}
          stubs={block.source.includes("[^") ? stubs : ""}
          notes={block.source.includes("[^") ? names : ""}
          outline={outline}
          id={id}
          open={streaming && i === cut.blocks.length - 1}
        />
      ))}
      {cut.notes.length === 0 ? null : (
        <Footnotes notes={cut.notes} definitions={links} outline={outline} id={id} />
      )}
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

type BlockProps = {
  source: string;
  definitions: string;
  stubs: string;
  notes: string;
  outline: string;
  id: string;
  open: boolean;
};

const DrawnBlock = memo(function DrawnBlock(props: BlockProps) {
  const { source, definitions, stubs, notes, outline, id, open } = props;
  const hidden = hideFormulas(source);
  const { children } = parse((open ? mended(hidden.text) : hidden.text) + definitions + stubs);
  return drawAll(
    children.filter((node) => node.type !== "definition" && node.type !== "footnoteDefinition"),
    {
      definitions: definitionsOf(children),
      notes: notes === "" ? [] : notes.split("\n"),
      id,
      outline,
      open,
      source,
      formulas: hidden.formulas,
    },
  );
});
