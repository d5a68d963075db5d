import type { ToolStep } from "../../live/rows";
import { beginning } from "../../text/characters";
import { field, listOf, numberOf, textOf } from "./fields";

/** A call's result is read no further than this for what it says in short. */
const mostRead = 2_000;

export function lineCount(text: string): number {
  if (text === "") return 0;
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < text.length - 1; at = text.indexOf("\n", at + 1))
    lines += 1;
  return lines;
}

/** What a tool gave back, as a person reads it: without the marks that are meant for the model. */
export function outputOf(step: ToolStep): string {
  const { result, live } = step;
  if (result === undefined) return live;
  // What streamed is the more complete where the log holds only the beginning of the result.
  if (result.refs["/output"] !== undefined && live.length > result.output.length) return live;
  if (result.output.startsWith("<persisted-output>")) {
    const streams = textOf(result.detail, "stdout") + textOf(result.detail, "stderr");
    if (streams !== "") return streams;
  }
  const said = result.output.replace(/^<tool_use_error>([^]*)<\/tool_use_error>\s*$/, "$1");
  // A command that was stopped has the reason for its result: what it wrote before is what streamed.
  const last = live.trimEnd().split("\n").at(-1) ?? "";
  const cut = !result.ok && result.exitCode === undefined && !said.includes(last);
  return cut ? `${live.trimEnd()}\n${said}` : said;
}

/** Part of a file, as a read gives it. */
export type Excerpt = { readonly text: string; readonly from: number; readonly lines: number };

const numbered = /^ *(\d+)(?:\t|→|\|)(.*)$/;

/** The lines that a read gave back, without the numbers that some agents put before each. */
export function excerptOf(step: ToolStep): Excerpt {
  const file = field(step.result?.detail, "file");
  const content = textOf(file, "content");
  if (content !== "") {
    return {
      text: content,
      from: numberOf(file, "startLine") ?? 1,
      lines: numberOf(file, "numLines") ?? lineCount(content),
    };
  }
  const output = outputOf(step);
  const lines = output.split("\n");
  const first = numbered.exec(lines[0] ?? "");
  const from = Number(first?.[1] ?? numberOf(step.input, "offset", "line_offset") ?? 1);
  if (first === null) return { text: output, from, lines: lineCount(output) };
  const bare: string[] = [];
  for (const line of lines) {
    const parts = numbered.exec(line);
    if (parts === null) break; // What follows the file is a note to the model.
    bare.push(parts[2] ?? "");
  }
  return { text: bare.join("\n"), from, lines: bare.length };
}

/** The width and the height of the picture that a read gave back. */
export function pictureOf(step: ToolStep): readonly [number, number] | null {
  const size = field(step.result?.detail, "file", "dimensions");
  const width = numberOf(size, "originalWidth", "width", "displayWidth");
  const height = numberOf(size, "originalHeight", "height", "displayHeight");
  return width === null || height === null ? null : [width, height];
}

type Match = { readonly path: string; readonly line: number; readonly text: string };
export type Matches = { readonly rows: readonly Match[]; readonly count: number; readonly files: number };

const match = /^(.+?)[:-](\d+)[:-](.*)$/;
const inOneFile = /^(\d+)[:-](.*)$/;

/** What a search found: lines of files, or files alone. */
export function matchesOf(step: ToolStep): Matches {
  const output = outputOf(step);
  if (/^No (?:matches|files) found/.test(output)) return { rows: [], count: 0, files: 0 };
  const all = output.split("\n").filter((line) => line !== "" && line !== "--" && !/^Found \d+ /.test(line));
  const path = textOf(step.input, "path");
  const rows = all.slice(0, mostRead).map((line): Match => {
    const whole = match.exec(line);
    if (whole !== null) return { path: whole[1] ?? "", line: Number(whole[2]), text: whole[3] ?? "" };
    const part = inOneFile.exec(line);
    if (part !== null) return { path, line: Number(part[1]), text: part[2] ?? "" };
    return { path: line, line: 0, text: "" };
  });
  const { detail } = step.result ?? {};
  return {
    rows,
    count: numberOf(detail, "numMatches", "totalLines", "numLines") ?? all.length,
    files: new Set(rows.map((row) => row.path)).size,
  };
}

/**
 * The texts that a pattern stands for, when it is plain enough: a pattern comes from an agent and is never
 * run. Empty when it is not.
 */
export function literalsOf(pattern: string): readonly string[] {
  const words = pattern.replace(/^\(([^()]*)\)$/, "$1").split(/(?<!\\)\|/);
  const literals = words.map((word) => word.replace(/^\\b|\\b$/g, ""));
  // An escaped letter is a class of characters, a bare sign is an operator.
  if (literals.some((word) => /\\[a-zA-Z0-9]/.test(word) || /(?<!\\)[.*+?^${}()[\]|]/.test(word))) return [];
  return literals.map((word) => word.replace(/\\(.)/g, "$1")).filter((word) => word !== "");
}

/** Pieces of a line, with those that a search looked for marked. */
export function marked(
  text: string,
  literals: readonly string[],
  fold: boolean,
): readonly (readonly [string, boolean])[] {
  const line = beginning(text, mostRead);
  const small = fold ? line.toLowerCase() : line;
  // Where small letters take another room than capitals, places in the one are none in the other.
  const lower = small.length === line.length ? small : line;
  const wanted = fold ? literals.map((word) => word.toLowerCase()) : literals;
  const pieces: (readonly [string, boolean])[] = [];
  let at = 0;
  while (at < line.length) {
    let best = -1;
    let length = 0;
    for (const word of wanted) {
      const found = lower.indexOf(word, at);
      if (found >= 0 && (best < 0 || found < best)) {
        best = found;
        length = word.length;
      }
    }
    if (best < 0) break;
    if (best > at) pieces.push([line.slice(at, best), false]);
    pieces.push([line.slice(best, best + length), true]);
    at = best + length;
  }
  if (at < line.length) pieces.push([line.slice(at), false]);
  return pieces;
}

/** The paths that a listing gave back. */
export function listedOf(step: ToolStep): { readonly paths: readonly string[]; readonly count: number } {
  const output = outputOf(step);
  const paths = output.startsWith("No files found")
    ? []
    : output.split("\n").filter((line) => line.trim() !== "");
  return { paths, count: numberOf(step.result?.detail, "totalMatches", "numFiles") ?? paths.length };
}

export type Found = { readonly title: string; readonly url: string };

/** The pages that a search of the web found, where the agent tells them apart. */
export function foundOf(step: ToolStep): readonly Found[] {
  const { detail } = step.result ?? {};
  const results = [...listOf(detail, "results"), ...listOf(detail, "search_results")];
  return results
    .flatMap((result) => (Array.isArray(field(result, "content")) ? listOf(result, "content") : [result]))
    .map((page) => ({ title: textOf(page, "title", "name"), url: textOf(page, "url", "link") }))
    .filter((page) => page.url !== "")
    .slice(0, 50);
}

/** What a fetch answered: its status, and the text. */
export function pageOf(step: ToolStep): { readonly status: string; readonly text: string } {
  const { detail } = step.result ?? {};
  const code = numberOf(detail, "code", "status");
  return { status: code === null ? "" : String(code), text: textOf(detail, "result") || outputOf(step) };
}

export type Report = {
  /** Its last words. */
  readonly answer: string;
  readonly tokens: number;
  readonly background: boolean;
};

/** What a subagent came back with, without what is meant for the agent that sent it. */
export function reportOf(step: ToolStep): Report {
  const { result } = step;
  const detail = result?.detail;
  const output = result === undefined ? "" : outputOf(step);
  const tokens = numberOf(detail, "totalTokens") ?? Number(/subagent_tokens: (\d+)/.exec(output)?.[1] ?? 0);
  if (field(detail, "isAsync") === true) return { answer: "", tokens, background: true };
  const texts = listOf(detail, "content")
    .map((part) => textOf(part, "text"))
    .filter((text) => text !== "" && !text.startsWith("<tools-used-before-summary>"));
  if (texts.length > 0) return { answer: texts.join("\n\n"), tokens, background: false };
  const summary = /\[summary\]\n([^]*?)(?:\n\nresume_hint:|$)/.exec(output)?.[1];
  return { answer: (summary ?? output).trim(), tokens, background: false };
}

/** The plan that a call hands in or got approved. */
export function planOf(step: ToolStep): string {
  const given = textOf(step.input, "plan") || textOf(step.result?.detail, "plan");
  if (given !== "") return given;
  return /## Approved Plan:?\s*\n([^]*)$/.exec(step.result?.output ?? "")?.[1]?.trim() ?? "";
}
