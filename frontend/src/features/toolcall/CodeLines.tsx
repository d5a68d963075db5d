import { clsx } from "clsx";
import { memo } from "react";
import type { Line } from "../../markdown/highlight";
import { useHighlight } from "../../markdown/useHighlight";
import { t } from "../../messages/t";
import { useKept } from "../../ui/kept";
import { plainText, shortLine } from "./ansi.logic";
import { lineCount } from "./result.logic";

/** A page that draws more lines than this gets slow. */
const most = 2_000;

type Props = {
  /** What is remembered of it is remembered under this. */
  id: string;
  text: string;
  name: string;
  language: string;
  /** The number of the first line; none are shown without it. */
  from?: number;
  /** How many of the first lines show before the reader asks for the rest. */
  head: number;
};

/** The text of a file, coloured. */
export const CodeLines = memo(function CodeLines({ id, text, name, language, from, head }: Props) {
  const [all, setAll] = useKept(`${id}:all`);
  const limit = all === true ? most : head;
  const shown = plainText(firstLines(text, limit).split("\n").map(shortLine).join("\n"));
  const lines = useHighlight(shown, language, false) ?? shown.split("\n").map((line): Line => [[line, ""]]);
  const rest = lineCount(text) - lines.length;
  return (
    // Wide code scrolls, and the keyboard must reach it.
    <div
      tabIndex={0}
      role="group"
      aria-label={t("output.of", { name })}
      dir="ltr"
      className="max-h-96 overflow-auto bg-sunken px-3 py-2 font-mono text-code"
    >
      <pre className="font-[inherit]">
        {lines.map((line, i) => (
          <span key={i} className="flex min-h-[1lh]">
            {from === undefined ? null : (
              <span
                aria-hidden="true"
                className="w-8 flex-none pe-3 text-end text-count leading-[inherit] text-ink-3 select-none"
              >
                {from + i}
              </span>
            )}
            <CodeLine line={line} />
          </span>
        ))}
      </pre>
      {rest > 0 && all !== true ? (
        <button type="button" className="target block text-ink-3 hover:text-ink" onClick={() => setAll(true)}>
          {t("lines.more", { n: rest })}
        </button>
      ) : null}
      {rest > 0 && all === true ? <p className="text-ink-3">{t("lines.more", { n: rest })}</p> : null}
    </div>
  );
});

export function CodeLine({ line }: { line: Line }) {
  return (
    <span>
      {line.map(([piece, voice], i) => (
        <span key={i} className={clsx(voice !== "" && `v-${voice}`)}>
          {piece}
        </span>
      ))}
    </span>
  );
}

function firstLines(text: string, n: number): string {
  let at = -1;
  for (let i = 0; i < n; i += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return text;
  }
  return text.slice(0, at);
}
