import { clsx } from "clsx";
import { memo } from "react";
import type { Line } from "../../markdown/highlight";
import { useHighlight } from "../../markdown/useHighlight";
import { t } from "../../messages/t";
import { useKept } from "../../ui/kept";
import { plainText, shortLine } from "./ansi.logic";
import { CodeLine } from "./CodeLines";
import type { Diff, DiffLine } from "./diff.logic";
import { languageOf } from "./language";
import { parted } from "./parted";

const shownFirst = 60;
/** A page that draws more lines than this gets slow. */
const mostLines = 2_000;

const grounds: Readonly<Record<DiffLine["kind"], string>> = {
  same: "",
  add: "bg-add-bg",
  del: "bg-del-bg",
  fold: "bg-sunken",
};

const marks: Readonly<Record<DiffLine["kind"], string>> = { same: "", add: "+", del: "-", fold: "" };

const names = { same: "", add: "diff.added", del: "diff.removed", fold: "" } as const;

type Props = { id: string; diff: Diff; name: string };

/** The lines that an edit changed, with the changed words marked. */
export const DiffTable = memo(function DiffTable({ id, diff, name }: Props) {
  const [all, setAll] = useKept(`${id}:all`);
  const lines = (all === true ? diff.lines.slice(0, mostLines) : diff.lines.slice(0, shownFirst)).map(
    shortened,
  );
  // Old and new lines are coloured as one text: that a string goes on over both is rare.
  const colours = useHighlight(lines.map((line) => line.text).join("\n"), languageOf(name), false);
  const rest = diff.lines.length - lines.length;
  return (
    // A wide diff scrolls, and the keyboard must reach it.
    <div
      tabIndex={0}
      role="group"
      aria-label={t("diff.of", { name })}
      dir="ltr"
      className="overflow-x-auto py-1 font-mono text-code"
    >
      <table className="min-w-full border-collapse">
        <tbody>
          {lines.map((line, i) => (
            <DiffRow key={i} line={line} colours={colours?.[i] ?? null} />
          ))}
        </tbody>
      </table>
      {rest > 0 ? (
        <button type="button" className="target px-3 text-ui text-accent" onClick={() => setAll(true)}>
          {t("lines.more", { n: rest })}
        </button>
      ) : null}
    </div>
  );
});

function DiffRow({ line, colours }: { line: DiffLine; colours: Line | null }) {
  const label = names[line.kind];
  return (
    <tr className={clsx("align-baseline", grounds[line.kind])}>
      <td className="w-11 ps-3 pe-2 text-end text-count text-ink-2 select-none">
        {line.line > 0 ? line.line : ""}
      </td>
      <td
        className={clsx("w-5 text-center select-none", line.kind === "del" ? "text-del-ink" : "text-add-ink")}
      >
        <span aria-hidden="true">{marks[line.kind]}</span>
        {label === "" ? null : <span className="sr-only">{t(label)}</span>}
      </td>
      <td className="pe-3 whitespace-pre">
        <Words line={line} colours={colours} />
      </td>
    </tr>
  );
}

/** The text of a line, as far as it is coloured, in pieces where words of it are marked. */
function Words({ line, colours }: { line: DiffLine; colours: Line | null }) {
  if (line.kind === "fold") return <span className="text-ink-2">{line.text === "" ? "⋯" : line.text}</span>;
  const whole: Line = colours ?? [[line.text, ""]];
  const { word } = line;
  if (word === undefined || word[0] >= word[1]) return <CodeLine line={plain(whole)} />;
  const [before, inside, after] = parted(whole, word);
  return (
    <>
      <CodeLine line={plain(before)} />
      <span className={clsx("rounded-1", line.kind === "add" ? "bg-add-word" : "bg-del-word")}>
        <CodeLine line={plain(inside)} />
      </span>
      <CodeLine line={plain(after)} />
    </>
  );
}

/** A line that is too long to be drawn whole, without the mark of what in it differs. */
function shortened(line: DiffLine): DiffLine {
  const text = shortLine(line.text);
  return text === line.text ? line : { kind: line.kind, line: line.line, text };
}

function plain(line: Line): Line {
  return line.map(([text, voice]) => [plainText(text), voice]);
}
