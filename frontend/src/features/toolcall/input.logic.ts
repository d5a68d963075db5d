import { beginning } from "../../text/characters";
import { showBidi } from "./ansi.logic";
import { field, isRecord, listOf, textOf } from "./fields";

/** A text on one line, with marks of direction shown. */
export function oneLine(text: string): string {
  return showBidi(beginning(text, 2_000).replace(/\s+/g, " ").trim());
}

/** The first argument that is short enough to say what a call is about. */
export function firstArgument(input: unknown): string {
  if (!isRecord(input)) return typeof input === "string" ? oneLine(beginning(input, 120)) : "";
  for (const value of Object.values(input)) {
    const text = typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
    if (text !== "") return beginning(oneLine(beginning(text, 200)), 120);
  }
  return "";
}

/** A path as it is read in a directory: what lies under it is named from there. */
export function pathIn(cwd: string, path: string): string {
  const base = cwd.endsWith("/") ? cwd : `${cwd}/`;
  return oneLine(cwd !== "" && path.startsWith(base) ? path.slice(base.length) : path);
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The files that a patch in the form of Codex's `apply_patch` names. */
const patchFile = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

export function patchOf(input: unknown): string {
  const text = typeof input === "string" ? input : textOf(input, "patch", "input");
  return text.includes("*** Begin Patch") ? text : "";
}

/** The files that a call names. */
export function pathsOf(input: unknown): readonly string[] {
  const path = textOf(input, "file_path", "filePath", "path", "notebook_path", "target_file");
  if (path !== "") return [path];
  const patch = patchOf(input);
  if (patch !== "") return [...patch.matchAll(patchFile)].map((m) => (m[1] ?? "").trim());
  return listOf(input, "changes").map((change) => textOf(change, "path"));
}

export function fileOf(input: unknown): string {
  return pathsOf(input)[0] ?? "";
}

export function commandOf(input: unknown): string {
  const command = field(input, "command");
  if (Array.isArray(command))
    return command.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" ");
  return textOf(input, "command", "cmd", "bash_id", "task_id");
}

/** The text that a call writes. */
export function contentOf(input: unknown): string {
  return textOf(input, "content", "contents", "text");
}

/** The places of a file that an edit changes. */
export function editsOf(input: unknown): readonly unknown[] {
  const edits = listOf(input, "edits");
  if (edits.length > 0) return edits;
  const edit = field(input, "edit");
  return Array.isArray(edit) ? edit : isRecord(edit) ? [edit] : [];
}

export function shortUrl(url: string): string {
  if (!URL.canParse(url)) return oneLine(url);
  const { host, pathname, hash } = new URL(url);
  return oneLine(`${host}${pathname === "/" ? "" : pathname}${hash}`);
}
