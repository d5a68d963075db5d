import { borderAfter, borderBefore } from "../../text/characters";
import { field, listOf, numberOf, textOf } from "./fields";
import { editsOf } from "./input.logic";

/** A line of a diff. `word` is the part of a changed line that differs from its partner. */
export type DiffLine = {
  readonly kind: "same" | "add" | "del" | "fold";
  /** Its number in the new file; in the old one for a removed line; 0 where it has none. */
  readonly line: number;
  readonly text: string;
  readonly word?: readonly [from: number, to: number];
};

export type Diff = { readonly lines: readonly DiffLine[]; readonly added: number; readonly removed: number };

/** More changed lines than this are compared only by their ends. */
const mostCells = 250_000;
/** Equal lines kept around a change. */
const around = 3;

function counted(lines: readonly DiffLine[]): Diff {
  return {
    lines: withWords(lines),
    added: lines.filter((l) => l.kind === "add").length,
    removed: lines.filter((l) => l.kind === "del").length,
  };
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n").map((line) => line.replace(/\r$/, ""));
}

/** The diff between two texts whose first line has the number `start`. */
export function diffTexts(before: string, after: string, start = 1): Diff {
  const a = linesOf(before);
  const b = linesOf(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const lines: DiffLine[] = [];
  const same = (from: number, to: number) => {
    for (let i = from; i < to; i += 1) lines.push({ kind: "same", line: start + i, text: b[i] ?? "" });
  };
  same(Math.max(0, head - around), head);
  lines.push(...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail), start + head));
  same(b.length - tail, Math.min(b.length, b.length - tail + around));
  return counted(lines);
}

/** The changed stretch, by the longest common subsequence of its lines. */
function middle(a: readonly string[], b: readonly string[], start: number): DiffLine[] {
  const lines: DiffLine[] = [];
  const del = (i: number) => lines.push({ kind: "del", line: start + i, text: a[i] ?? "" });
  const add = (j: number) => lines.push({ kind: "add", line: start + j, text: b[j] ?? "" });
  if (a.length * b.length > mostCells) {
    a.forEach((_, i) => del(i));
    b.forEach((_, j) => add(j));
    return lines;
  }
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", line: start + j, text: b[j] ?? "" });
      i += 1;
      j += 1;
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) {
      del(i);
      i += 1;
    } else {
      add(j);
      j += 1;
    }
  }
  return lines;
}

const fold: DiffLine = { kind: "fold", line: 0, text: "" };

/** The lines of a hunk whose first has these numbers in the old and in the new file. */
function hunkLines(before: number, after: number, raws: readonly unknown[]): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  for (const raw of raws) {
    if (typeof raw !== "string" || raw.startsWith("\\")) continue;
    const text = raw.slice(1);
    if (raw.startsWith("-")) lines.push({ kind: "del", line: before, text });
    else lines.push({ kind: raw.startsWith("+") ? "add" : "same", line: after, text });
    if (!raw.startsWith("+")) before += 1;
    if (!raw.startsWith("-")) after += 1;
  }
  return lines;
}

/** Puts pieces of files one after the other, with a fold between them. */
function folded(pieces: readonly (readonly DiffLine[])[]): Diff | null {
  const some = pieces.filter((piece) => piece.length > 0);
  if (some.length === 0) return null;
  return counted(some.flatMap((piece, i) => (i === 0 ? piece : [fold, ...piece])));
}

/** The diff of a patch as Claude Code gives it, or null when there is none. */
export function diffOfPatch(detail: unknown): Diff | null {
  const hunks = listOf(detail, "structuredPatch");
  return folded(
    hunks.map((hunk) =>
      hunkLines(numberOf(hunk, "oldStart") ?? 1, numberOf(hunk, "newStart") ?? 1, listOf(hunk, "lines")),
    ),
  );
}

const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The hunks of a unified diff. */
function unified(diff: string): readonly (readonly DiffLine[])[] {
  const hunks: { readonly before: number; readonly after: number; readonly raws: string[] }[] = [];
  for (const raw of (diff.endsWith("\n") ? diff.slice(0, -1) : diff).split("\n")) {
    const head = hunkHead.exec(raw);
    if (head !== null) hunks.push({ before: Number(head[1]), after: Number(head[2]), raws: [] });
    else hunks.at(-1)?.raws.push(raw.replace(/\r$/, ""));
  }
  return hunks.map((h) => hunkLines(h.before, h.after, h.raws));
}

/**
 * The diff of a change of files as Codex gives it, or null when there is none: a new file by its text, a
 * removed one too, a changed one by its hunks.
 */
export function diffOfChanges(input: unknown): Diff | null {
  return folded(
    listOf(input, "changes").flatMap((change) => {
      const diff = textOf(change, "diff");
      switch (field(change, "kind", "type")) {
        case "add":
          return [diffTexts("", diff).lines];
        case "delete":
          return [diffTexts(diff, "").lines];
        default:
          return unified(diff);
      }
    }),
  );
}

const patchHead = /^\*\*\* (?:Add|Update|Delete) File: /;

/** The diff of a patch in the form of Codex's `apply_patch`, or null when it is none. Its lines have no numbers. */
export function diffOfPatchText(patch: string): Diff | null {
  const files: { readonly raws: string[] }[] = [];
  for (const raw of patch.split("\n")) {
    if (patchHead.test(raw) || raw.startsWith("@@")) files.push({ raws: [] });
    else if (/^[ +-]/.test(raw)) files.at(-1)?.raws.push(raw.replace(/\r$/, ""));
  }
  return folded(files.map(({ raws }) => hunkLines(1, 1, raws).map((l) => ({ ...l, line: 0 }))));
}

/** The diff that an edit's input asks for, where no patch is known yet. */
export function diffOfInput(input: unknown): Diff | null {
  const edits = editsOf(input);
  const all = edits.length > 0 ? edits : [input];
  const diffs = all.map((edit) =>
    diffTexts(
      textOf(edit, "old_string", "oldString", "old_text", "oldText", "old"),
      textOf(edit, "new_string", "newString", "new_text", "newText", "new", "new_source"),
    ),
  );
  // Where in the file the text lies is not known, so the lines have no numbers.
  return folded(diffs.map((d) => d.lines.map((l) => ({ ...l, line: 0 }))));
}

/** Marks what differs inside lines that were changed one for one. */
function withWords(lines: readonly DiffLine[]): readonly DiffLine[] {
  const out = [...lines];
  let at = 0;
  while (at < out.length) {
    let dels = 0;
    while (out[at + dels]?.kind === "del") dels += 1;
    let adds = 0;
    while (out[at + dels + adds]?.kind === "add") adds += 1;
    if (dels > 0 && dels === adds) {
      for (let i = 0; i < dels; i += 1) markPair(out, at + i, at + dels + i);
    }
    at += Math.max(1, dels + adds);
  }
  return out;
}

function markPair(lines: DiffLine[], d: number, a: number): void {
  const del = lines[d];
  const add = lines[a];
  if (del === undefined || add === undefined) return;
  const [old, now] = [del.text, add.text];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old.charCodeAt(head) === now.charCodeAt(head)) head += 1;
  let tail = 0;
  const fromEnd = (text: string) => text.charCodeAt(text.length - 1 - tail);
  while (tail < shorter - head && fromEnd(old) === fromEnd(now)) tail += 1;
  // Lines that share little are two lines, not a changed one.
  if (head + tail < shorter / 3) return;
  const word = ({ text }: DiffLine) =>
    [borderBefore(text, head), borderAfter(text, text.length - tail)] as const;
  lines[d] = { ...del, word: word(del) };
  lines[a] = { ...add, word: word(add) };
}
