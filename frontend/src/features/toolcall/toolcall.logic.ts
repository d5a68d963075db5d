import type { Step, ToolStep } from "../../live/rows";
import { duration } from "../../messages/format";
import { t } from "../../messages/t";
import { showBidi } from "./ansi.logic";
import { type Diff, diffOfChanges, diffOfInput, diffOfPatch, diffTexts } from "./diff.logic";
import { field, isRecord, listOf, numberOf, textOf } from "./fields";

export type ToolKind =
  | "read"
  | "write"
  | "edit"
  | "shell"
  | "search"
  | "glob"
  | "web"
  | "agent"
  | "plan"
  | "question"
  | "mcp"
  | "other";

type Tone = "plain" | "stop" | "clear" | "diff";

/** How a tool call reads in one row. */
export type ToolLook = {
  readonly kind: ToolKind;
  readonly verb: string;
  readonly target: string;
  readonly result: string;
  readonly tone: Tone;
  readonly time: string;
};

const kinds: Readonly<Record<string, ToolKind>> = {
  read: "read",
  notebookread: "read",
  write: "write",
  edit: "edit",
  multiedit: "edit",
  notebookedit: "edit",
  bash: "shell",
  shell: "shell",
  exec: "shell",
  commandexecution: "shell",
  filechange: "edit",
  grep: "search",
  search: "search",
  glob: "glob",
  ls: "glob",
  webfetch: "web",
  websearch: "web",
  task: "agent",
  agent: "agent",
  subagent: "agent",
  exitplanmode: "plan",
  askuserquestion: "question",
};

export function kindOf(step: ToolStep): ToolKind {
  if (step.server !== undefined && step.server !== "") return "mcp";
  return kinds[step.name.toLowerCase()] ?? "other";
}

/** Tools whose whole effect is the to-do list, which is drawn by itself. */
const listTools = new Set(["todowrite", "todolist", "taskcreate", "taskupdate", "tasklist"]);

/**
 * The steps worth a row: what only keeps the to-do list is left out where the list is shown, and the call
 * by which an agent asks where the question is.
 */
function shownSteps(steps: readonly Step[], hasList: boolean): readonly Step[] {
  const asking = new Set(steps.flatMap((s) => (s.kind === "question" ? [s.question.toolId] : [])));
  return steps.filter(
    (s) => s.kind !== "tool" || !(asking.has(s.key) || (hasList && listTools.has(s.name.toLowerCase()))),
  );
}

/** The rows of a table of steps. */
export function stepRows(steps: readonly Step[], hasList: boolean): readonly StepRow[] {
  return grouped(shownSteps(steps, hasList));
}

function oneLine(text: string): string {
  return showBidi(text.replace(/\s+/g, " ").trim());
}

/** The first argument that is short enough to say what a call is about. */
function firstArgument(input: unknown): string {
  if (!isRecord(input)) return "";
  for (const value of Object.values(input)) {
    const text = typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
    if (text !== "") return oneLine(text.slice(0, 200)).slice(0, 120);
  }
  return "";
}

/** A path as it is read in a directory: what lies under it is named from there. */
function pathIn(cwd: string, path: string): string {
  const base = cwd.endsWith("/") ? cwd : `${cwd}/`;
  return showBidi(cwd !== "" && path.startsWith(base) ? path.slice(base.length) : path);
}

export function fileOf(input: unknown): string {
  const path = textOf(input, "file_path", "filePath", "path", "notebook_path");
  return path === "" ? textOf(listOf(input, "changes")[0], "path") : path;
}

/** The files that an edit names, as they are read in a directory. */
function filesOf(input: unknown, cwd: string): string {
  const changes = listOf(input, "changes");
  if (changes.length < 2) return pathIn(cwd, fileOf(input));
  return changes.map((change) => pathIn(cwd, textOf(change, "path"))).join(", ");
}

export function commandOf(input: unknown): string {
  const command = field(input, "command");
  if (Array.isArray(command)) return command.map(String).join(" ");
  return textOf(input, "command", "cmd");
}

function wordsOf(step: ToolStep, kind: ToolKind, cwd: string): readonly [verb: string, target: string] {
  const { input } = step;
  switch (kind) {
    case "read":
      return [t("tool.read"), pathIn(cwd, fileOf(input))];
    case "write":
      return [t("tool.write"), pathIn(cwd, fileOf(input))];
    case "edit": {
      const places = listOf(input, "edits").length;
      return [places > 1 ? t("tool.edit.places", { n: places }) : t("tool.edit"), filesOf(input, cwd)];
    }
    case "shell":
      return [t("tool.shell"), oneLine(commandOf(input))];
    case "search":
      return [t("tool.search"), oneLine(textOf(input, "pattern", "query"))];
    case "glob":
      return [t("tool.glob"), oneLine(textOf(input, "pattern", "path"))];
    case "web": {
      const url = textOf(input, "url");
      return url === ""
        ? [t("tool.websearch"), oneLine(textOf(input, "query"))]
        : [t("tool.fetch"), shortUrl(url)];
    }
    case "agent":
      return [t("tool.agent"), oneLine(textOf(input, "description", "prompt", "agent"))];
    case "plan":
      return [t("tool.plan"), ""];
    case "question":
      return [t("tool.question", { n: Math.max(1, listOf(input, "questions").length) }), ""];
    case "mcp":
      return [`${step.server ?? ""}.${step.name}`, firstArgument(input)];
    case "other":
      return [step.name === "" ? t("tool.unknown") : step.name, firstArgument(input)];
  }
}

function shortUrl(url: string): string {
  if (!URL.canParse(url)) return oneLine(url);
  const { host, pathname, hash } = new URL(url);
  return oneLine(`${host}${pathname === "/" ? "" : pathname}${hash}`);
}

function lineCount(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

/** Who or what said no, where somebody did. */
function denialOf(step: ToolStep): string {
  const denied = step.approvals.find((a) => a.answer?.option === "deny");
  if (denied?.answer === undefined) return "";
  return denied.answer.by === undefined ? t("denied.mode") : t("denied.by", { name: denied.answer.by.name });
}

/** What an edit or a write changed, as far as it can be known. */
export function changeOf(step: ToolStep): Diff | null {
  const kind = kindOf(step);
  const patch = diffOfPatch(step.result?.detail);
  if (patch !== null) return patch;
  if (kind === "edit") return diffOfChanges(step.input) ?? diffOfInput(step.input);
  if (kind === "write") return diffTexts("", textOf(step.input, "content", "contents"));
  return null;
}

function resultOf(step: ToolStep, kind: ToolKind): readonly [result: string, tone: Tone] {
  const denial = denialOf(step);
  if (denial !== "") return [denial, "stop"];
  const { result } = step;
  if (result === undefined) return ["", "plain"];
  if (kind === "shell") {
    if (result.exitCode !== undefined)
      return [t("exit", { code: result.exitCode }), result.exitCode === 0 ? "clear" : "stop"];
    return result.ok ? ["", "plain"] : [t("noexit"), "stop"];
  }
  if (!result.ok) return [t("failed"), "stop"];
  if (kind === "read") {
    const lines = numberOf(field(result.detail, "file"), "numLines") ?? lineCount(result.output);
    return lines > 0 ? [t("lines", { n: lines }), "plain"] : ["", "plain"];
  }
  if (kind === "edit" || kind === "write") return ["", "diff"];
  if (kind === "glob") return [t("files", { n: lineCount(result.output) }), "plain"];
  if (kind === "search") return [t("matches", { n: lineCount(result.output) }), "plain"];
  return ["", "plain"];
}

/** How a tool call reads in its row. `over` says that its run has ended. */
export function lookOf(step: ToolStep, over: boolean, cwd = ""): ToolLook {
  const kind = kindOf(step);
  const [verb, target] = wordsOf(step, kind, cwd);
  const [result, tone] = resultOf(step, kind);
  const time = step.result === undefined ? "" : duration(step.result.ms);
  if (step.result === undefined && over && tone !== "stop") {
    return {
      kind,
      verb,
      target,
      result: kind === "shell" ? t("noexit") : t("unfinished"),
      tone: "stop",
      time,
    };
  }
  return { kind, verb, target, result, tone, time };
}

/** Whether a step went wrong in a way that the reader should see at once. */
export function failed(step: ToolStep): boolean {
  return denialOf(step) === "" && step.result !== undefined && !step.result.ok;
}

/** A row of the table: one step, or neighbours that read as one. */
export type StepRow =
  | { readonly kind: "one"; readonly step: Step }
  | { readonly kind: "reads"; readonly key: string; readonly steps: readonly ToolStep[] };

function isPlainRead(step: Step | undefined): step is ToolStep {
  return (
    step?.kind === "tool" && kindOf(step) === "read" && step.result?.ok === true && denialOf(step) === ""
  );
}

/** Puts neighbouring reads together. */
function grouped(steps: readonly Step[]): readonly StepRow[] {
  const rows: StepRow[] = [];
  for (let i = 0; i < steps.length; i += 1) {
    const step = steps[i];
    if (step === undefined) continue;
    const reads: ToolStep[] = [];
    for (let next = steps[i]; isPlainRead(next); next = steps[i + reads.length]) reads.push(next);
    if (reads.length < 2) {
      rows.push({ kind: "one", step });
      continue;
    }
    rows.push({ kind: "reads", key: `reads:${reads[0]?.key ?? ""}`, steps: reads });
    i += reads.length - 1;
  }
  return rows;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
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
  return result.output.replace(/^<tool_use_error>([^]*)<\/tool_use_error>\s*$/, "$1");
}
