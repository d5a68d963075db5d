import { expect, it } from "vitest";
import type { Row, ToolStep } from "../../live/rows";
import { changesOf } from "./changes.logic";

const step = (key: string, part: Partial<ToolStep>): ToolStep => ({
  kind: "tool",
  key,
  name: "Edit",
  input: { file_path: "/w/a.go", old_string: "one", new_string: "two\nthree" },
  refs: {},
  from: "2026-11-30T10:00:00.000Z",
  live: "",
  result: { ok: true, output: "", ms: 1, refs: {} },
  approvals: [],
  children: [],
  ...part,
});

const rows = (...steps: readonly ToolStep[]): readonly Row[] => [{ kind: "steps", key: "s", steps }];

it("what was written is listed by file, the last one first, with how much changed", () => {
  const write = { name: "Write", input: { file_path: "/w/b.go", content: "x\ny\n" } };
  const files = changesOf(
    [
      { rows: rows(step("1", {}), step("2", write)), over: true },
      { rows: rows(step("3", {})), over: true },
    ],
    "/w",
  );
  expect(files.map((f) => [f.path, f.changes.length, f.added, f.removed])).toEqual([
    ["a.go", 2, 4, 2],
    ["b.go", 1, 2, 0],
  ]);
});

it("what failed is not there, and what was cut off is marked", () => {
  const { result: _result, ...cut } = step("2", {});
  const failed = step("1", { result: { ok: false, output: "no", ms: 1, refs: {} } });
  const running = [{ rows: rows(failed, cut), over: false }];
  expect(changesOf(running, "/w")).toEqual([]);
  const [file] = changesOf([{ rows: rows(failed, cut), over: true }], "/w");
  expect(file?.changes.map((c) => [c.step.key, c.unsure])).toEqual([["2", true]]);
});

it("what a subagent wrote is there", () => {
  const agent = step("1", { name: "Task", input: {}, children: rows(step("2", {})) });
  expect(changesOf([{ rows: rows(agent), over: true }], "/w").map((f) => f.path)).toEqual(["a.go"]);
});

it("what a step changed is not found out anew with each that comes after it or before it", () => {
  const [old, late] = [step("1", {}), step("2", {})];
  const again = { ...old };
  const [before] = changesOf([{ rows: rows(old), over: false }], "/w");
  const [after] = changesOf([{ rows: rows(again, late), over: false }], "/w");
  expect(after?.changes).toHaveLength(2);
  expect(after?.changes[0]?.diff).toBe(before?.changes[0]?.diff);
});

it("what a step changed is found out anew once its result tells it", () => {
  const before = step("1", {});
  const [asked] = changesOf([{ rows: rows(before), over: false }], "/w");
  const detail = { structuredPatch: [{ oldStart: 7, newStart: 7, lines: ["-one", "+two"] }] };
  const told = { ...before, result: { ok: true, output: "", ms: 1, refs: {}, detail } };
  const [known] = changesOf([{ rows: rows(told), over: false }], "/w");
  expect([asked?.added, known?.added]).toEqual([2, 1]);
  expect(known?.changes[0]?.diff?.lines[0]?.line).toBe(7);
});
