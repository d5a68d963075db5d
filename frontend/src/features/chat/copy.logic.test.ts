import { expect, it } from "vitest";
import type { Run, Step, TextRow } from "../../live/rows";
import { answerMarkdown, runMarkdown } from "./copy.logic";

const at = "2026-11-30T14:06:00.000Z";
const whole = (row: TextRow) => Promise.resolve(row.cut === undefined ? row.text : "the whole text");

function answer(key: string, text: string, cut = false): TextRow {
  return { kind: "answer", key, text, from: at, to: at, ...(cut ? { cut: { sha256: "a", bytes: 1 } } : {}) };
}

const step: Step = {
  kind: "tool",
  key: "t1",
  name: "Bash",
  input: { command: "echo `x`" },
  refs: {},
  from: at,
  live: "",
  result: { ok: true, output: "x", exitCode: 0, ms: 1, refs: {} },
  approvals: [],
  children: [],
};

const run: Run = {
  key: "r_1",
  first: 1,
  last: 9,
  count: 9,
  rows: [
    answer("a", "I look.\n"),
    { kind: "reasoning", key: "r", text: "hidden", from: at },
    { kind: "steps", key: "s", steps: [step] },
    answer("b", "# Done\n\n- **x**"),
    answer("c", "cut off", true),
  ],
};

it("gives the answer as it was written, the whole of it", async () => {
  expect(await answerMarkdown(run, whole)).toBe("# Done\n\n- **x**\n\nthe whole text");
  expect(await answerMarkdown({ ...run, rows: run.rows.slice(0, 3) }, whole)).toBe("I look.");
});

it("gives a run with its steps, and no reasoning", async () => {
  expect(await runMarkdown(run, whole)).toBe(
    "I look.\n\n- Bash `` echo `x` `` (exit 0)\n\n# Done\n\n- **x**\n\nthe whole text\n",
  );
});
