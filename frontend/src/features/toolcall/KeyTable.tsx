import { t } from "../../messages/t";
import { useKept } from "../../ui/kept";
import { shortened } from "../../text/characters";
import { oneLine } from "./input.logic";
import { showBidi } from "./ansi.logic";
import { isRecord } from "./fields";
import { Output } from "./Output";

const mostRows = 50;
const mostText = 2_000;

/** A value on a screen: as text, as numbers, or as JSON where it has parts. */
function shown(value: unknown): string {
  const text = typeof value === "string" ? value : jsonOf(value);
  return showBidi(shortened(text, mostText));
}

function jsonOf(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent) ?? "";
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (isRecord(value)) return Object.entries(value);
  if (Array.isArray(value)) return value.map((v, i) => [String(i + 1), v] as const);
  return value === undefined || value === null || value === "" ? [] : [["", value]];
}

/** The parts of a result that is JSON, or null when it is a text. */
function partsOf(output: string): unknown {
  const first = output.trimStart()[0];
  if ((first !== "{" && first !== "[") || output.length > 200_000) return null;
  try {
    const value: unknown = JSON.parse(output);
    return value;
  } catch {
    return null;
  }
}

type Props = { id: string; input: unknown; output: string | null; name: string };

/** The arguments and the result of a tool that has no view of its own. */
export function KeyTable({ id, input, output, name }: Props) {
  const [raw, setRaw] = useKept(`${id}:raw`);
  const result = output === null ? null : partsOf(output);
  const entries = entriesOf(input);
  const some = entries.length > 0 || result !== null;
  return (
    <div className="bg-sunken">
      {raw === true ? (
        <Output id={`${id}:in`} text={jsonOf(input, 2)} name={name} wrap />
      ) : entries.length > 0 ? (
        <Entries entries={entries} />
      ) : null}
      {output === null || output === "" ? null : (
        <div className={entries.length > 0 ? "border-t border-line" : ""}>
          {result === null || raw === true ? (
            <Output
              id={`${id}:out`}
              text={raw === true && result !== null ? jsonOf(result, 2) : output}
              name={name}
              tail={20}
              wrap
            />
          ) : (
            <Entries entries={entriesOf(result)} />
          )}
        </div>
      )}
      {some ? (
        <button
          type="button"
          aria-pressed={raw === true}
          className="target px-3 text-small text-accent"
          onClick={() => setRaw(raw !== true)}
        >
          {t("rawjson")}
        </button>
      ) : null}
    </div>
  );
}

function Entries({ entries }: { entries: readonly (readonly [string, unknown])[] }) {
  const rest = entries.length - mostRows;
  return (
    <>
      <dl className="grid grid-cols-[minmax(5rem,10.5rem)_1fr] gap-x-4 gap-y-0.5 px-3 py-2 font-mono text-code">
        {entries.slice(0, mostRows).map(([key, value]) => (
          <div key={key} className="contents">
            <dt className="truncate text-ink-2">{oneLine(key)}</dt>
            <dd dir="auto" className="min-w-0 font-medium wrap-anywhere whitespace-pre-wrap">
              {shown(value)}
            </dd>
          </div>
        ))}
      </dl>
      {rest > 0 ? <p className="px-3 pb-2 text-small text-ink-3">{t("rows.more", { n: rest })}</p> : null}
    </>
  );
}
