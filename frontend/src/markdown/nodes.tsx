import type { AlignType, Definition, List, Parents, PhrasingContent, RootContent, Table } from "mdast";
import type { ReactNode } from "react";
import { t } from "../messages/t";
import { CodeBlock } from "./CodeBlock";
import { GrowingText } from "./GrowingText";
import { type Formula as Found, mixed, restored } from "./formulas";
import { Formula } from "./Formula";
import { goTo, noteId, referenceId } from "./notes";
import { Picture } from "./Picture";
import { safeLink } from "./policy";

/** What the drawing of one block needs to know of the rest. */
export type Scope = {
  readonly definitions: ReadonlyMap<string, Definition>;
  /** The names of the footnotes, in their order. */
  readonly notes: readonly string[];
  /** What the ids of the text begin with. */
  readonly id: string;
  /** The source of the block, in which these formulas are hidden. */
  readonly source: string;
  readonly formulas: readonly Found[];
  /** The depths of the headings of the whole text, least first: "24". */
  readonly outline: string;
  /** It is still being written. */
  readonly open: boolean;
};

type Node = RootContent | PhrasingContent;

export function definitionsOf(nodes: readonly Node[]): ReadonlyMap<string, Definition> {
  return new Map(
    nodes.flatMap((node): [string, Definition][] =>
      node.type === "definition" ? [[node.identifier.toLowerCase(), node]] : [],
    ),
  );
}

export function drawAll(nodes: readonly Node[], scope: Scope): ReactNode {
  return nodes.map((node, i) => <Drawn key={i} node={node} scope={scope} />);
}

function inside(node: Parents, scope: Scope): ReactNode {
  return drawAll(node.children, scope);
}

/** Draws a node. Raw HTML is shown as the text that it is: nothing of it becomes part of the page. */
function Drawn({ node, scope }: { node: Node; scope: Scope }): ReactNode {
  switch (node.type) {
    case "text":
      return words(node.value, scope);
    case "paragraph":
      return <p dir="auto">{inside(node, scope)}</p>;
    case "heading":
      // One whose words have yet to come would be a heading of nothing.
      return node.children.length === 0 ? null : heading(node.depth, scope, inside(node, scope));
    case "emphasis":
      return <em>{inside(node, scope)}</em>;
    case "strong":
      return <strong className="font-semibold">{inside(node, scope)}</strong>;
    case "delete":
      return <del>{inside(node, scope)}</del>;
    case "inlineCode":
      return (
        <code>
          <GrowingText value={asWritten(node.value, scope)} growing={scope.open} />
        </code>
      );
    case "break":
      return <br />;
    case "thematicBreak":
      return <hr />;
    case "blockquote":
      return <blockquote>{inside(node, scope)}</blockquote>;
    case "list":
      return <DrawnList node={node} scope={scope} />;
    case "code":
      return <CodeBlock code={asWritten(node.value, scope)} language={node.lang ?? ""} open={scope.open} />;
    case "table":
      return <DrawnTable node={node} scope={scope} />;
    case "link":
      return link(asWritten(node.url, scope), inside(node, scope));
    case "linkReference": {
      const to = scope.definitions.get(node.identifier.toLowerCase());
      return to === undefined ? inside(node, scope) : link(to.url, inside(node, scope));
    }
    case "image":
      return <Picture url={asWritten(node.url, scope)} alt={asWritten(node.alt ?? "", scope)} />;
    case "imageReference": {
      const to = scope.definitions.get(node.identifier.toLowerCase());
      return <Picture url={to?.url ?? ""} alt={asWritten(node.alt ?? "", scope)} />;
    }
    case "html":
      return <span className="whitespace-pre-wrap">{asWritten(node.value, scope)}</span>;
    case "footnoteReference":
      return <Reference name={node.identifier} scope={scope} />;
    case "definition":
    case "footnoteDefinition":
    case "yaml":
    case "listItem":
    case "tableRow":
    case "tableCell":
      return null;
  }
}

/**
 * Headings of a text stand below those of the page, without a step left out, whichever marks the text
 * uses: they come from its outline.
 */
function heading(depth: number, scope: Scope, children: ReactNode): ReactNode {
  const rank = Math.max(0, scope.outline.indexOf(String(depth)));
  if (rank === 0) return <h3 dir="auto">{children}</h3>;
  if (rank === 1) return <h4 dir="auto">{children}</h4>;
  if (rank === 2) return <h5 dir="auto">{children}</h5>;
  return <h6 dir="auto">{children}</h6>;
}

function link(url: string, children: ReactNode): ReactNode {
  const href = safeLink(url);
  if (href === null) return <span title={url}>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** A text with its formulas. */
function words(value: string, scope: Scope): ReactNode {
  return mixed(value, scope.formulas).map((piece, i) =>
    typeof piece === "string" ? (
      <GrowingText key={i} value={piece} growing={scope.open} />
    ) : (
      <Formula key={i} tex={piece.tex} display={piece.display} />
    ),
  );
}

/** A text that has no formulas, whatever was taken for one. */
function asWritten(value: string, scope: Scope): string {
  return restored(value, scope.source, scope.formulas);
}

function Reference({ name, scope }: { name: string; scope: Scope }): ReactNode {
  const index = scope.notes.indexOf(name.toLowerCase());
  if (index < 0) return null;
  return (
    <sup>
      <button
        type="button"
        id={referenceId(scope.id, index)}
        aria-label={t("footnote", { n: index + 1 })}
        className="px-0.5 text-accent"
        onClick={() => goTo(noteId(scope.id, index))}
      >
        {index + 1}
      </button>
    </sup>
  );
}

function DrawnList({ node, scope }: { node: List; scope: Scope }): ReactNode {
  const items = node.children.map((item, i) => {
    // Items of a tight list are not set apart as paragraphs.
    const children = item.children.map((child, j) =>
      child.type === "paragraph" && item.spread !== true && node.spread !== true ? (
        <span key={j} dir="auto">
          {inside(child, scope)}
        </span>
      ) : (
        <Drawn key={j} node={child} scope={scope} />
      ),
    );
    if (typeof item.checked !== "boolean") return <li key={i}>{children}</li>;
    return (
      <li key={i} className="task">
        <input
          type="checkbox"
          className="tick"
          checked={item.checked}
          disabled
          aria-label={t(item.checked ? "task.done" : "task.open")}
        />
        <div>{children}</div>
      </li>
    );
  });
  return node.ordered === true ? <ol start={node.start ?? 1}>{items}</ol> : <ul>{items}</ul>;
}

function aligned(align: AlignType | undefined): { textAlign: "left" | "right" | "center" } | undefined {
  return align === null || align === undefined ? undefined : { textAlign: align };
}

function DrawnTable({ node, scope }: { node: Table; scope: Scope }): ReactNode {
  const [head, ...body] = node.children;
  return (
    // A wide table scrolls in its box, and the keyboard must reach it.
    <div className="table" tabIndex={0} role="group" aria-label={t("table")}>
      <table>
        <thead>
          <tr>
            {head?.children.map((cell, i) => (
              <th key={i} scope="col" dir="auto" style={aligned(node.align?.[i])}>
                {inside(cell, scope)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, r) => (
            <tr key={r}>
              {row.children.map((cell, i) => (
                <td key={i} dir="auto" style={aligned(node.align?.[i])}>
                  {inside(cell, scope)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
