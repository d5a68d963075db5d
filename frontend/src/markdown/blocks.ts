import remend from "remend";
import { hideFormulas } from "./formulas";
import { parse, rangeOf } from "./parse";

/** A top-level piece of a text that is drawn on its own. */
type Block = {
  /** Where it begins in the text: it never moves, so it is a good key. */
  readonly at: number;
  readonly source: string;
};

/** A footnote: its name, as it is compared, and its text. */
type Note = { readonly at: number; readonly name: string; readonly label: string; readonly source: string };

/** A text cut into blocks. The first `settled` characters are never cut again. */
export type Blocks = {
  readonly text: string;
  readonly settled: number;
  readonly blocks: readonly Block[];
  /** Link definitions, which a text may give after it uses them. */
  readonly definitions: string;
  /** A definition at the end, which may still grow. */
  readonly openDefinition: string;
  /** The footnotes that are there so far, in their order. */
  readonly notes: readonly Note[];
};

export const noBlocks: Blocks = {
  text: "",
  settled: 0,
  blocks: [],
  definitions: "",
  openDefinition: "",
  notes: [],
};

/**
 * Cuts a text that grows. All blocks but the last keep their source, so that they need not be drawn
 * again; only the rest is read anew. A text that does not continue the one before is cut from scratch.
 */
export function extendBlocks(before: Blocks, text: string): Blocks {
  if (text === before.text) return before;
  const base = text.startsWith(before.text.slice(0, before.settled)) ? before : noBlocks;
  const kept = base.blocks.filter((b) => b.at < base.settled);
  const tail = text.slice(base.settled);
  const hidden = hideFormulas(tail);
  const nodes = parse(hidden.text).children;
  // Blocks are decided line by line: the last block of the whole lines may still change its kind, as
  // a paragraph can become a heading or a table, and the line that is not whole may belong to it.
  const line = tail.lastIndexOf("\n") + 1;
  // A formula that stands by itself may have blank lines, and takes what looks like blocks into it.
  const sure = Math.min(line, (hidden.open ?? tail.length) + 1);
  const last = nodes.findLast((node) => rangeOf(node).start < sure);
  const open = last === undefined ? 0 : rangeOf(last).start;
  const cut: Block[] = [];
  const notes = base.notes.filter((note) => note.at < base.settled);
  let { definitions } = base;
  let openDefinition = "";
  for (const node of nodes) {
    const { start, end } = rangeOf(node);
    const source = tail.slice(start, end);
    const at = base.settled + start;
    if (node.type === "footnoteDefinition")
      notes.push({ at, name: node.identifier, label: node.label ?? node.identifier, source });
    else if (node.type !== "definition") cut.push({ at, source });
    else if (start >= open) openDefinition += `\n\n${source}`;
    else definitions += `\n\n${source}`;
  }
  const settled = base.settled + open;
  return { text, settled, blocks: [...kept, ...cut], definitions, openDefinition, notes };
}

/** Completes what is still being written, such as `**bol`, so that it does not flicker. */
export function mended(source: string): string {
  return remend(source, { katex: false, inlineKatex: false });
}

/** The depths of the headings that a text has, least first: "24". */
export function outlineOf(blocks: Blocks["blocks"]): string {
  const depths = new Set<number>();
  for (const { source } of blocks) {
    const marks = /^(#{1,6})(?:\s|$)/.exec(source)?.[1];
    if (marks !== undefined) depths.add(marks.length);
    else if (/\n {0,3}=+ *$/.test(source)) depths.add(1);
    else if (/[^\n]\n {0,3}-+ *$/.test(source)) depths.add(2);
  }
  return [...depths].toSorted((a, b) => a - b).join("");
}
