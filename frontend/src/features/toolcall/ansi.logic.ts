import { shortened } from "../../text/characters";

/** A stretch of output in one look. */
export type Piece = { readonly text: string; readonly look: Look };

export type Look = "" | "bold" | "red" | "green" | "yellow" | "blue" | "dim";

const colours: Readonly<Record<number, Look>> = {
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
  34: "blue",
  35: "blue",
  36: "blue",
  90: "dim",
  91: "red",
  92: "green",
  93: "yellow",
  94: "blue",
  95: "blue",
  96: "blue",
};

// Escapes are what is looked for here.
const escapes =
  // oxlint-disable-next-line no-control-regex
  /\u001b(?:\[([0-9;:?<=>]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/g;
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u009b]/g;
/** Marks that turn the direction of text around can make a command read as another. */
const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Shows marks of direction instead of obeying them. */
export function showBidi(text: string): string {
  return text.replace(
    bidi,
    (c) => `⟨U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** A line longer than this is cut: nobody reads it, and it costs as much as a page. */
const longestLine = 5_000;

export function shortLine(line: string): string {
  return shortened(line, longestLine);
}

/** A text without control characters, and with marks of direction shown. */
export function plainText(text: string): string {
  return showBidi(text.replace(escapes, "").replace(controls, "").replace(/\r\n?/g, "\n"));
}

/** What a terminal shows of a line that was written over: the text after the last return. */
function lastWritten(line: string): string {
  const body = line.endsWith("\r") ? line.slice(0, -1) : line;
  return body.slice(body.lastIndexOf("\r") + 1);
}

function next(look: Look, codes: string): Look {
  let now: Look = look;
  for (const code of codes.split(/[;:]/)) {
    const n = Number(code);
    if (n === 0 || n === 22 || n === 39) now = "";
    else if (n === 38 || n === 48) return now;
    else now = colours[n] ?? now;
  }
  return now;
}

/** Output of a command, line by line, with its colours mapped and all other control characters gone. */
export function ansiLines(output: string): readonly (readonly Piece[])[] {
  let look: Look = "";
  const text = output.endsWith("\n") ? output.slice(0, -1) : output;
  return text.split("\n").map((raw) => {
    const line = shortLine(lastWritten(raw));
    const pieces: Piece[] = [];
    let at = 0;
    const put = (to: number) => {
      const plain = showBidi(line.slice(at, to).replace(controls, ""));
      if (plain !== "") pieces.push({ text: plain, look });
    };
    for (const escape of line.matchAll(escapes)) {
      put(escape.index);
      at = escape.index + escape[0].length;
      if (escape[2] === "m") look = next(look, escape[1] ?? "");
    }
    put(line.length);
    return pieces;
  });
}
