import type { Row, ToolStep } from "../../live/rows";
import type { Diff } from "./diff.logic";
import { isRecord } from "./fields";
import { pathIn, pathsOf } from "./input.logic";
import { isWriter } from "./kinds";
import { changeOf } from "./toolcall.logic";

/** One time that an agent wrote to a file. */
type Change = {
  readonly step: ToolStep;
  readonly diff: Diff | null;
  /** Its run ended before it said how it went. */
  readonly unsure: boolean;
};

/** What an agent wrote to a file, in the order of time. */
export type FileChanges = {
  readonly path: string;
  readonly changes: readonly Change[];
  readonly added: number;
  readonly removed: number;
};

/** By what was asked for: a step is made anew when older events come before it, what it changed is not. */
const diffs = new WeakMap<object, { readonly detail: unknown; readonly diff: Diff | null }>();

function diffOf(step: ToolStep): Diff | null {
  const { input, result } = step;
  if (!isRecord(input)) return changeOf(step);
  const detail = result?.detail;
  const known = diffs.get(input);
  if (known !== undefined && known.detail === detail) return known.diff;
  const diff = changeOf(step);
  diffs.set(input, { detail, diff });
  return diff;
}

type Worked = { readonly rows: readonly Row[]; readonly over: boolean };

/** The edits and writes of runs that went through, or may have, by file; the file written last comes first. */
export function changesOf(runs: readonly Worked[], cwd: string): readonly FileChanges[] {
  const files = new Map<string, Change[]>();
  const walk = (rows: readonly Row[], over: boolean) => {
    for (const row of rows) {
      if (row.kind !== "steps") continue;
      for (const step of row.steps) {
        if (step.kind !== "tool") continue;
        walk(step.children, over);
        if (!isWriter(step)) continue;
        const unsure = step.result === undefined && over;
        if (step.result?.ok !== true && !unsure) continue;
        if (step.approvals.some((a) => a.answer?.option === "deny")) continue;
        const path = pathsOf(step.input)
          .map((one) => pathIn(cwd, one))
          .join(", ");
        if (path === "") continue;
        const known = files.get(path) ?? [];
        known.push({ step, diff: diffOf(step), unsure });
        files.delete(path);
        files.set(path, known);
      }
    }
  };
  for (const run of runs) walk(run.rows, run.over);
  return [...files].toReversed().map(([path, changes]) => ({
    path,
    changes,
    added: changes.reduce((n, { diff }) => n + (diff?.added ?? 0), 0),
    removed: changes.reduce((n, { diff }) => n + (diff?.removed ?? 0), 0),
  }));
}
