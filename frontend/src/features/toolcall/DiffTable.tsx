import { clsx } from "clsx";
import { memo, useState } from "react";
import { t } from "../../messages/t";
import type { Diff, DiffLine } from "./diff.logic";
import { showBidi } from "./ansi.logic";

const shownFirst = 60;

const grounds: Readonly<Record<DiffLine["kind"], string>> = {
  same: "",
  add: "bg-add-bg",
  del: "bg-del-bg",
  fold: "bg-sunken",
};

const marks: Readonly<Record<DiffLine["kind"], string>> = { same: "", add: "+", del: "-", fold: "" };

const names = { same: "", add: "diff.added", del: "diff.removed", fold: "" } as const;

/** The lines that an edit changed, with the changed words marked. */
export const DiffTable = memo(function DiffTable({ diff, name }: { diff: Diff; name: string }) {
  const [all, setAll] = useState(false);
  const lines = all ? diff.lines : diff.lines.slice(0, shownFirst);
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
            <DiffRow key={i} line={line} />
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

function DiffRow({ line }: { line: DiffLine }) {
  const label = names[line.kind];
  return (
    <tr className={grounds[line.kind]}>
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
        <Words line={line} />
      </td>
    </tr>
  );
}

function Words({ line }: { line: DiffLine }) {
  if (line.kind === "fold") return <span aria-hidden="true">⋯</span>;
  const { text, word } = line;
  if (word === undefined || word[0] >= word[1]) return showBidi(text);
  return (
    <>
      {showBidi(text.slice(0, word[0]))}
      <span className={clsx("rounded-1", line.kind === "add" ? "bg-add-word" : "bg-del-word")}>
        {showBidi(text.slice(word[0], word[1]))}
      </span>
      {showBidi(text.slice(word[1]))}
    </>
  );
}
