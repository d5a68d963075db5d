import { memo, useMemo } from "react";
import { t } from "../../messages/t";
import { useKept } from "../../ui/kept";
import { ansiLines, type Look, type Piece } from "./ansi.logic";

const looks: Readonly<Record<Look, string>> = {
  "": "",
  bold: "font-medium text-ink",
  red: "text-stop",
  green: "text-clear",
  yellow: "text-caution",
  blue: "text-accent",
  dim: "text-ink-3",
};

/** A page that draws more lines than this gets slow. */
const most = 2_000;

type Props = {
  /** What is remembered of it is remembered under this. */
  id: string;
  text: string;
  name: string;
  /** How many of the last lines show before the reader asks for the rest. */
  tail?: number;
  /** How many of the first lines show before the reader asks for the rest. */
  head?: number;
  /** Break long lines: for messages, where nothing stands in columns. */
  wrap?: boolean;
};

/** Output of a command or the text of a file, line by line. */
export const Output = memo(function Output({ id, text, name, tail, head, wrap = false }: Props) {
  const [chosen, setAll] = useKept(`${id}:all`);
  const all = chosen === true;
  const lines = useMemo(() => ansiLines(text), [text]);
  const limit = all ? most : (tail ?? head ?? most);
  const hidden = Math.max(0, lines.length - limit);
  const fromEnd = head === undefined || all;
  const shown = fromEnd ? lines.slice(hidden) : lines.slice(0, limit);
  const more = hidden > 0 && !all;
  const button = (
    <button type="button" className="target block text-ink-3 hover:text-ink" onClick={() => setAll(true)}>
      {t(fromEnd ? "lines.above" : "lines.more", { n: hidden })}
    </button>
  );
  return (
    // Wide output scrolls, and the keyboard must reach it.
    <div
      tabIndex={0}
      role="group"
      aria-label={t("output.of", { name })}
      dir="ltr"
      className="max-h-96 overflow-auto bg-sunken px-3 py-2 font-mono text-code text-ink-2"
    >
      {more && fromEnd ? button : null}
      {hidden > 0 && all ? <p className="text-ink-3">{t("lines.cut", { n: hidden })}</p> : null}
      <pre className={wrap ? "font-[inherit] wrap-anywhere whitespace-pre-wrap" : "font-[inherit]"}>
        {shown.map((line, i) => (
          <OutputLine key={hidden + i} line={line} />
        ))}
      </pre>
      {more && !fromEnd ? button : null}
    </div>
  );
});

const OutputLine = memo(
  function OutputLine({ line }: { line: readonly Piece[] }) {
    return (
      <span className="block min-h-[1lh]">
        {line.map((piece, i) => (
          <span key={i} className={looks[piece.look]}>
            {piece.text}
          </span>
        ))}
      </span>
    );
  },
  (a, b) =>
    a.line.length === b.line.length &&
    a.line.every((piece, i) => piece.text === b.line[i]?.text && piece.look === b.line[i]?.look),
);
