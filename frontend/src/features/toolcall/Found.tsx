import { useContext } from "react";
import type { ToolStep } from "../../live/rows";
import { Markdown } from "../../markdown/Markdown";
import { safeLink } from "../../markdown/policy";
import { t } from "../../messages/t";
import { useKept } from "../../ui/kept";
import { beginning } from "../../text/characters";
import { plainText } from "./ansi.logic";
import { StepContext } from "./context";
import { field, textOf } from "./fields";
import { oneLine, pathIn, shortUrl } from "./input.logic";
import { foundOf, listedOf, literalsOf, marked, matchesOf, pageOf } from "./result.logic";
import { ResultText } from "./ResultText";

const first = 20;
const most = 500;
const well = "max-h-96 overflow-auto bg-sunken px-3 py-2";

function More({ rest, onAll }: { rest: number; onAll: (() => void) | null }) {
  if (rest <= 0) return null;
  const text = t("rows.more", { n: rest });
  if (onAll === null) return <p className="text-small text-ink-3">{text}</p>;
  return (
    <button type="button" className="target block text-small text-ink-3 hover:text-ink" onClick={onAll}>
      {text}
    </button>
  );
}

/** What a search in files found: the place, and the line with what was looked for marked. */
export function Matched({ step }: { step: ToolStep }) {
  const { cwd } = useContext(StepContext);
  const [all, setAll] = useKept(`${step.key}:all`);
  const { rows } = matchesOf(step);
  const pattern = textOf(step.input, "pattern", "query");
  if (rows.length === 0 || step.result?.refs["/output"] !== undefined)
    return <ResultText step={step} name={pattern} head={first} />;
  const literals = literalsOf(pattern);
  const fold = field(step.input, "-i") === true;
  const shown = rows.slice(0, all === true ? most : first);
  return (
    // Wide lines scroll, and the keyboard must reach them.
    <div
      tabIndex={0}
      role="group"
      aria-label={t("output.of", { name: oneLine(pattern) })}
      dir="ltr"
      className={`${well} font-mono text-code`}
    >
      <table>
        <tbody>
          {shown.map((row, i) => (
            <tr key={i} className="align-top">
              <td className="pe-6 whitespace-nowrap text-ink-2">
                {pathIn(cwd, row.path)}
                {row.line === 0 ? "" : `:${row.line}`}
              </td>
              <td className="whitespace-pre">
                {marked(plainText(row.text).trimStart(), literals, fold).map(([piece, hit], j) =>
                  hit ? (
                    <mark key={j} className="rounded-1 bg-caution-bg text-ink outline outline-caution-line">
                      {piece}
                    </mark>
                  ) : (
                    <span key={j}>{piece}</span>
                  ),
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <More rest={rows.length - shown.length} onAll={all === true ? null : () => setAll(true)} />
    </div>
  );
}

/** The files that a pattern stands for. */
export function Listed({ step }: { step: ToolStep }) {
  const { cwd } = useContext(StepContext);
  const [all, setAll] = useKept(`${step.key}:all`);
  const { paths } = listedOf(step);
  const name = textOf(step.input, "pattern", "path");
  if (paths.length === 0 || step.result?.refs["/output"] !== undefined)
    return <ResultText step={step} name={name} head={first} />;
  const shown = paths.slice(0, all === true ? most : first);
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label={t("output.of", { name: oneLine(name) })}
      dir="ltr"
      className={well}
    >
      <ul className="font-mono text-code text-ink-2">
        {shown.map((path, i) => (
          <li key={i} className="whitespace-nowrap">
            {pathIn(cwd, path)}
          </li>
        ))}
      </ul>
      <More rest={paths.length - shown.length} onAll={all === true ? null : () => setAll(true)} />
    </div>
  );
}

function Address({ url, children }: { url: string; children: string }) {
  const href = safeLink(url);
  if (href === null) return <bdi>{children}</bdi>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent underline underline-offset-2"
    >
      <bdi>{children}</bdi>
    </a>
  );
}

/** The text of a page; pictures from elsewhere are never loaded. */
export function Fetched({ step }: { step: ToolStep }) {
  const url = textOf(step.input, "url");
  const { text } = pageOf(step);
  if (text === "" || step.result?.refs["/output"] !== undefined)
    return <ResultText step={step} name={shortUrl(url)} head={first} />;
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label={t("output.of", { name: shortUrl(url) })}
      className={`${well} text-ui`}
    >
      <p className="mb-2 truncate text-small" dir="ltr">
        <Address url={url}>{shortUrl(url)}</Address>
      </p>
      <Markdown text={beginning(text, 20_000)} />
    </div>
  );
}

/** The pages that a search of the web found. */
export function Searched({ step }: { step: ToolStep }) {
  const found = foundOf(step);
  const query = textOf(step.input, "query");
  if (found.length === 0) return <ResultText step={step} name={query} head={first} />;
  return (
    <ul
      className={`${well} flex flex-col gap-1 text-ui`}
      aria-label={t("output.of", { name: oneLine(query) })}
    >
      {found.map(({ title, url }, i) => (
        <li key={i} className="min-w-0">
          <p dir="auto" className="truncate">
            <Address url={url}>{title === "" ? shortUrl(url) : oneLine(title)}</Address>
          </p>
          <p dir="ltr" className="truncate font-mono text-count text-ink-3">
            {shortUrl(url)}
          </p>
        </li>
      ))}
    </ul>
  );
}
