import { useState } from "react";
import { t } from "../../messages/t";
import { showBidi } from "./ansi.logic";
import { isRecord } from "./fields";
import { Output } from "./Output";

const mostRows = 50;
const mostText = 2_000;

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  return showBidi(text.length > mostText ? `${text.slice(0, mostText)}…` : text);
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (isRecord(value)) return Object.entries(value);
  if (Array.isArray(value)) return value.map((v, i) => [String(i + 1), v] as const);
  return value === undefined || value === null ? [] : [["", value]];
}

/** The arguments and the result of a tool that has no view of its own. */
export function KeyTable({ input, output, name }: { input: unknown; output: string | null; name: string }) {
  const [raw, setRaw] = useState(false);
  const entries = entriesOf(input);
  return (
    <div className="bg-sunken">
      {raw ? (
        <Output text={JSON.stringify(input, null, 2) ?? ""} name={name} />
      ) : (
        <dl className="grid grid-cols-[minmax(6rem,12rem)_1fr] gap-x-4 gap-y-1 px-3 py-2 font-mono text-code">
          {entries.slice(0, mostRows).map(([key, value]) => (
            <div key={key} className="contents">
              <dt className="truncate text-ink-2">{key}</dt>
              <dd className="min-w-0 wrap-anywhere whitespace-pre-wrap font-medium">{shown(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {entries.length > mostRows && !raw ? (
        <p className="px-3 text-small text-ink-3">{t("rows.more", { n: entries.length - mostRows })}</p>
      ) : null}
      {entries.length > 0 ? (
        <button
          type="button"
          aria-pressed={raw}
          className="target px-3 text-small text-accent"
          onClick={() => setRaw(!raw)}
        >
          {t("rawjson")}
        </button>
      ) : null}
      {output === null || output === "" ? null : (
        <div className="border-t border-line">
          <Output text={output} name={name} tail={20} />
        </div>
      )}
    </div>
  );
}
