import type { Step, ToolStep } from "../../live/rows";
import { clockTime, compact, duration } from "../../messages/format";
import { t } from "../../messages/t";
import { type Diff, diffOfChanges, diffOfInput, diffOfPatch, diffOfPatchText, diffTexts } from "./diff.logic";
import { field, listOf, textOf } from "./fields";
import {
  commandOf,
  contentOf,
  editsOf,
  firstArgument,
  fileOf,
  oneLine,
  patchOf,
  pathIn,
  pathsOf,
  shortUrl,
} from "./input.logic";
import { kindOf, type ToolKind } from "./kinds";
import {
  excerptOf,
  foundOf,
  lineCount,
  listedOf,
  matchesOf,
  outputOf,
  pageOf,
  pictureOf,
  reportOf,
} from "./result.logic";

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

/**
 * The steps worth a row: what only keeps the to-do list is left out where the list is shown, and the call
 * by which an agent asks where the question is.
 */
function shownSteps(steps: readonly Step[], hasList: boolean): readonly Step[] {
  const asking = new Set(steps.flatMap((s) => (s.kind === "question" ? [s.question.toolId] : [])));
  return steps.filter((s) => s.kind !== "tool" || !(asking.has(s.key) || (hasList && kindOf(s) === "list")));
}

function wordsOf(step: ToolStep, kind: ToolKind, cwd: string): readonly [verb: string, target: string] {
  const { input } = step;
  switch (kind) {
    case "read":
      return [t("tool.read"), pathIn(cwd, fileOf(input))];
    case "write":
      return [t("tool.write"), pathIn(cwd, fileOf(input))];
    case "edit": {
      const places = editsOf(input).length;
      const files = pathsOf(input).map((path) => pathIn(cwd, path));
      return [places > 1 ? t("tool.edit.places", { n: places }) : t("tool.edit"), files.join(", ")];
    }
    case "shell":
      return [t("tool.shell"), oneLine(commandOf(input))];
    case "search":
      return [t("tool.search"), oneLine(textOf(input, "pattern", "query"))];
    case "glob":
      return [t("tool.glob"), oneLine(textOf(input, "pattern", "path", "directory"))];
    case "fetch":
      return [t("tool.fetch"), shortUrl(textOf(input, "url"))];
    case "websearch":
      return [t("tool.websearch"), oneLine(textOf(input, "query"))];
    case "agent":
      return [t("tool.agent"), oneLine(textOf(input, "description", "prompt", "message", "agent"))];
    case "list":
      return [t("tool.list"), oneLine(textOf(input, "subject", "title", "taskId"))];
    case "plan":
      return [t("tool.plan"), ""];
    case "question":
      return [t("tool.question", { n: Math.max(1, listOf(input, "questions").length) }), ""];
    case "mcp":
      return [oneLine(`${step.server ?? ""}.${step.name}`), firstArgument(input)];
    case "other":
      return [step.name === "" ? t("tool.unknown") : oneLine(step.name), firstArgument(input)];
  }
}

/** Who or what said no, and when, where somebody did. */
function denialOf(step: ToolStep): readonly [what: string, at: string] | null {
  const answer = step.approvals.find((a) => a.answer?.option === "deny")?.answer;
  if (answer === undefined) return null;
  const what = answer.by === undefined ? t("denied.mode") : t("denied.by", { name: answer.by.name });
  return [what, clockTime(answer.at)];
}

/** What an edit or a write changed, as far as it can be known. */
export function changeOf(step: ToolStep): Diff | null {
  const kind = kindOf(step);
  if (kind !== "edit" && kind !== "write") return null;
  const patch = diffOfPatch(step.result?.detail);
  if (patch !== null) return patch;
  if (kind === "write") return diffTexts("", contentOf(step.input));
  return diffOfChanges(step.input) ?? diffOfPatchText(patchOf(step.input)) ?? diffOfInput(step.input);
}

function resultOf(step: ToolStep, kind: ToolKind): readonly [result: string, tone: Tone] {
  const { result } = step;
  if (result === undefined) return ["", "plain"];
  if (kind === "shell") {
    if (result.exitCode !== undefined)
      return [t("exit", { code: result.exitCode }), result.exitCode === 0 ? "clear" : "stop"];
    return result.ok ? ["", "plain"] : [t("noexit"), "stop"];
  }
  if (!result.ok) {
    const unknown = /\bno such tool\b|\btool\b.{0,80}\bnot found\b|\bnot found\b.{0,20}\btool\b/i;
    return [t(unknown.test(result.output.slice(0, 400)) ? "tool.notfound" : "failed"), "stop"];
  }
  return [saidOf(step, kind), kind === "edit" || kind === "write" ? "diff" : "plain"];
}

/** What a call that worked gave back, in short. */
function saidOf(step: ToolStep, kind: ToolKind): string {
  switch (kind) {
    case "read": {
      const picture = pictureOf(step);
      if (picture !== null) return t("pixels", { w: picture[0], h: picture[1] });
      const { from, lines } = excerptOf(step);
      const part =
        field(step.input, "offset") ?? field(step.input, "limit") ?? field(step.input, "line_offset");
      if (lines > 1 && (part !== undefined || from > 1))
        return t("lines.range", { from, to: from + lines - 1 });
      return lines > 0 ? t("lines", { n: lines }) : "";
    }
    case "search": {
      const { count, files } = matchesOf(step);
      const matches = t("matches", { n: count });
      return files > 1 && count > files
        ? t("matches.in", { matches, files: t("files", { n: files }) })
        : matches;
    }
    case "glob":
      return t("files", { n: listedOf(step).count });
    case "fetch":
      return pageOf(step).status;
    case "websearch": {
      const found = foundOf(step).length;
      return found === 0 ? "" : t("found", { n: found });
    }
    case "agent": {
      const { tokens, background } = reportOf(step);
      if (background) return t("agent.background");
      return tokens === 0 ? "" : t("tokens", { n: compact(tokens) });
    }
    case "write":
    case "edit":
    case "shell":
    case "list":
    case "plan":
    case "question":
    case "mcp":
    case "other":
      return "";
  }
}

/** How a tool call reads in its row. `over` says that its run has ended. */
export function lookOf(step: ToolStep, over: boolean, cwd = ""): ToolLook {
  const kind = kindOf(step);
  const [verb, target] = wordsOf(step, kind, cwd);
  const denial = denialOf(step);
  if (denial !== null) return { kind, verb, target, result: denial[0], tone: "stop", time: denial[1] };
  if (step.result === undefined && over) {
    const result = t(kind === "shell" ? "noexit" : "unfinished");
    return { kind, verb, target, result, tone: "stop", time: "" };
  }
  const [result, tone] = resultOf(step, kind);
  return {
    kind,
    verb,
    target,
    result,
    tone,
    time: step.result === undefined ? "" : duration(step.result.ms),
  };
}

/** What a step did, in words for a text. */
export function stepWords(step: ToolStep): Pick<ToolLook, "verb" | "target" | "result"> {
  return lookOf(step, true);
}

/** Whether a step went wrong in a way that the reader should see at once. */
export function failed(step: ToolStep): boolean {
  return denialOf(step) === null && step.result !== undefined && !step.result.ok;
}

/** How many lines a command wrote so far. */
export function linesWritten(step: ToolStep): number {
  return lineCount(outputOf(step));
}

/** A row of the table: one step, or neighbours that read as one. */
export type StepRow =
  | { readonly kind: "one"; readonly step: Step }
  | { readonly kind: "several"; readonly key: string; readonly steps: readonly ToolStep[] };

/** Calls of these kinds read as one where they stand together. */
const together = new Set<ToolKind>(["read", "search", "glob", "fetch", "websearch", "mcp"]);

/** What neighbours must have in common to be put together; "" for what stands alone. */
function groupOf(step: Step | undefined): string {
  if (step?.kind !== "tool" || step.result?.ok !== true || denialOf(step) !== null) return "";
  const kind = kindOf(step);
  if (!together.has(kind)) return "";
  return kind === "mcp" ? `${step.server ?? ""}.${step.name}` : kind;
}

/** Puts neighbours of the same tool together. */
function grouped(steps: readonly Step[]): readonly StepRow[] {
  const rows: StepRow[] = [];
  for (let i = 0; i < steps.length; i += 1) {
    const step = steps[i];
    if (step === undefined) continue;
    const group = groupOf(step);
    const several: ToolStep[] = [];
    for (let next: Step | undefined = step; next?.kind === "tool" && groupOf(next) === group;) {
      several.push(next);
      next = steps[i + several.length];
    }
    if (group === "" || several.length < 2) {
      rows.push({ kind: "one", step });
      continue;
    }
    rows.push({ kind: "several", key: `several:${several[0]?.key ?? ""}`, steps: several });
    i += several.length - 1;
  }
  return rows;
}

/** The rows of a table of steps. */
export function stepRows(steps: readonly Step[], hasList: boolean): readonly StepRow[] {
  return grouped(shownSteps(steps, hasList));
}
