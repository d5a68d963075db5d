/** A formula in a text: where it stands, and what it says. */
export type Formula = {
  readonly from: number;
  readonly to: number;
  readonly tex: string;
  /** It stands by itself, and not in a line. */
  readonly display: boolean;
};

/** A longer one in a line is none: the sign that would end it belongs to something else. */
const longestInline = 1_000;
const longest = 20_000;

const fence = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})/;

type Scan = {
  readonly found: readonly Formula[];
  /** Where a formula begins that stands by itself and is not written to its end yet. */
  readonly open: number | null;
};

/**
 * The formulas of a Markdown text: `$$…$$`, `\(…\)`, `\[…\]`, and `$…$` by pandoc's rule: the first sign has
 * no space after it, the last none before it and no digit after it. Code and addresses have none.
 */
export function formulas(text: string): Scan {
  const found: Formula[] = [];
  let open: number | null = null;
  if (!/\$|\\[([]/.test(text)) return { found, open };
  let at = 0;
  let lineStart = true;
  while (at < text.length) {
    if (lineStart) {
      lineStart = false;
      const after = afterFence(text, at);
      if (after > at) {
        at = after;
        lineStart = true;
        continue;
      }
    }
    const c = text[at];
    if (c === "\n") {
      lineStart = true;
      at += 1;
    } else if (c === "`") at = afterCode(text, at);
    else if (c === "]" && text[at + 1] === "(") at = afterAddress(text, at + 2);
    else if ((c === "h" || c === "H") && /^https?:\/\//i.test(text.slice(at, at + 8)))
      at = afterUrl(text, at);
    else if (c === "\\" || c === "$") {
      const formula = c === "$" ? dollars(text, at) : brackets(text, at);
      if (formula !== null) found.push(formula);
      else if (c === "$" && signs(text, at) === 2 && standsAlone(text, at, 2) && text.length - at < longest)
        open ??= at;
      at = formula?.to ?? at + (c === "\\" ? 2 : signs(text, at));
    } else at += 1;
  }
  return { found, open };
}

/** The end of a block of code that begins in the line at `at`, or `at`. */
function afterFence(text: string, at: number): number {
  const end = lineEnd(text, at);
  const mark = fence.exec(text.slice(at, end))?.[1];
  if (mark === undefined) return at;
  const close = new RegExp(`^[ \\t>]*\\${mark[0] ?? ""}{${mark.length},}[ \\t]*$`);
  for (let next = end + 1; next < text.length; next = lineEnd(text, next) + 1) {
    if (close.test(text.slice(next, lineEnd(text, next))))
      return Math.min(text.length, lineEnd(text, next) + 1);
  }
  return text.length;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** The end of the piece of code that begins at `at`; marks without their like are just that. */
function afterCode(text: string, at: number): number {
  const marks = /^`+/.exec(text.slice(at, at + 100))?.[0].length ?? 1;
  for (let next = at + marks; next < text.length;) {
    const open = text.indexOf("`", next);
    const blank = text.indexOf("\n\n", next);
    if (open < 0 || (blank >= 0 && blank < open)) break;
    let end = open;
    while (text[end] === "`") end += 1;
    if (end - open === marks) return end;
    next = end;
  }
  return at + marks;
}

function afterAddress(text: string, at: number): number {
  const end = /^[^\s()]*(?:\([^\s()]*\)[^\s()]*)*/.exec(text.slice(at, at + 2_000))?.[0].length ?? 0;
  return at + end;
}

function afterUrl(text: string, at: number): number {
  return at + (/^[^\s<>)\]]*/.exec(text.slice(at, at + 2_000))?.[0].length ?? 1);
}

function signs(text: string, at: number): number {
  let end = at;
  while (text[end] === "$") end += 1;
  return Math.max(1, end - at);
}

function dollars(text: string, at: number): Formula | null {
  const n = signs(text, at);
  if (n === 1) return single(text, at);
  if (n !== 2) return null;
  for (let end = at + 2; end < Math.min(text.length, at + longest); end += 1) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === "$" && text[end + 1] === "$") return block(text, at, at + 2, end, end + 2);
    else if (text[end] === "\n" && isBlank(text, end) && !standsAlone(text, at, 2)) return null;
  }
  return null;
}

/** Whether nothing follows the mark in its line: then blank lines may be in the formula. */
function standsAlone(text: string, at: number, length: number): boolean {
  return text.slice(at + length, lineEnd(text, at)).trim() === "";
}

/** Whether the line after the break at `at` is blank. */
function isBlank(text: string, at: number): boolean {
  return text.slice(at + 1, lineEnd(text, at + 1)).trim() === "" && at + 1 < text.length;
}

function single(text: string, at: number): Formula | null {
  const first = text[at + 1];
  if (first === undefined || /\s/.test(first)) return null;
  for (let end = at + 1; end < Math.min(text.length, at + longestInline); end += 1) {
    const c = text[end];
    if (c === "\\") end += 1;
    else if (c === "`" || (c === "\n" && isBlank(text, end))) return null;
    else if (c === "$") {
      const last = text[end - 1] ?? " ";
      const next = text[end + 1] ?? "";
      if (/\s/.test(last) || /\d/.test(next)) return null;
      return { from: at, to: end + 1, tex: text.slice(at + 1, end), display: false };
    }
  }
  return null;
}

function brackets(text: string, at: number): Formula | null {
  const open = text[at + 1];
  if (open !== "(" && open !== "[") return null;
  const close = open === "(" ? ")" : "]";
  const most = open === "(" ? longestInline : longest;
  for (let end = at + 2; end < Math.min(text.length, at + most); end += 1) {
    if (text[end] === "\n" && isBlank(text, end)) return null;
    if (text[end] !== "\\") continue;
    if (text[end + 1] === close) {
      if (open === "[") return block(text, at, at + 2, end, end + 2);
      const tex = text.slice(at + 2, end).trim();
      return tex === "" ? null : { from: at, to: end + 2, tex, display: false };
    }
    end += 1;
  }
  return null;
}

/** A formula that stands by itself; in a quotation the marks of that are not part of it. */
function block(text: string, from: number, start: number, end: number, to: number): Formula | null {
  const before = text.slice(text.lastIndexOf("\n", from - 1) + 1, from);
  const inside = text.slice(start, end);
  const tex = (/^\s*>/.test(before) ? inside.replace(/\n[ \t]*>[> \t]*/g, "\n") : inside).trim();
  return tex === "" ? null : { from, to, tex, display: true };
}

/** Characters that no text has: the first of a formula that is hidden, and the rest of it. */
const first = "\uFDD0";
const rest = "\uFDD1";
/** The number of a formula is one character of a range for private use. */
const numbers = 0xe100;
const mostNumbers = 0x1600;
const hiddenOnes = /\uFDD0([\uE100-\uF6FF])\uFDD1*/g;

export type Hidden = {
  readonly text: string;
  readonly formulas: readonly Formula[];
  readonly open: number | null;
};

/** A text of the same length in which Markdown finds nothing in its formulas. */
export function hideFormulas(source: string): Hidden {
  const clean = source.replaceAll(first, "\uFFFD");
  const { found, open } = formulas(clean);
  const all = found.slice(0, mostNumbers);
  if (all.length === 0) return { text: clean, formulas: all, open };
  let text = "";
  let at = 0;
  all.forEach(({ from, to }, i) => {
    text += clean.slice(at, from) + first + String.fromCharCode(numbers + i) + rest.repeat(to - from - 2);
    at = to;
  });
  return { text: text + clean.slice(at), formulas: all, open };
}

/** A piece of text, or a formula. */
export type Mixed = string | Formula;

/** A text out of a hidden one, with its formulas. */
export function mixed(value: string, all: readonly Formula[]): readonly Mixed[] {
  if (!value.includes(first)) return [value];
  const pieces: Mixed[] = [];
  let at = 0;
  for (const hit of value.matchAll(hiddenOnes)) {
    const formula = all[(hit[1] ?? "").charCodeAt(0) - numbers];
    if (formula === undefined) continue;
    if (hit.index > at) pieces.push(value.slice(at, hit.index));
    pieces.push(formula);
    at = hit.index + hit[0].length;
  }
  if (at < value.length) pieces.push(value.slice(at));
  return pieces;
}

/** What was hidden in a text that is no place for formulas, such as code, as it was written. */
export function restored(value: string, source: string, all: readonly Formula[]): string {
  return mixed(value, all)
    .map((piece) => (typeof piece === "string" ? piece : source.slice(piece.from, piece.to)))
    .join("");
}
