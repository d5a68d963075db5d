import { describe, expect, it } from "vitest";
import type { LoggedEvent } from "../wire/types";
import { kindOf, requestsOf } from "./requests";
import { extendThread } from "./thread";

type Body = LoggedEvent extends infer E
  ? E extends LoggedEvent
    ? Omit<E, "seq" | "t" | "run">
    : never
  : never;

function fold(...bodies: readonly Body[]) {
  const events = bodies.map((body, i): LoggedEvent => ({
    seq: i + 1,
    t: `2026-11-30T14:00:${String(i).padStart(2, "0")}.000Z`,
    run: "r",
    ...body,
  }));
  const [run] = extendThread([], events);
  if (run === undefined) throw new Error("no run");
  return run;
}

const approval = (approvalId: string, toolId?: string): Body => ({
  type: "approval",
  approvalId,
  kind: "command",
  title: "make",
  options: ["once", "deny"],
  ...(toolId === undefined ? {} : { toolId }),
});
const question: Body = {
  type: "question",
  questionId: "q1",
  questions: [{ question: "Which?", options: [{ label: "A" }] }],
};
const by = { id: "u_1", name: "siskin" };

describe("what a run waits for", () => {
  it("is found at any depth, the longest wait first", () => {
    const run = fold(
      { type: "tool_use_start", toolId: "t1", name: "Task", input: {} },
      { type: "tool_use_start", toolId: "t2", name: "Bash", input: {}, parentToolId: "t1" },
      approval("p1"),
      approval("p2", "t2"),
      question,
    );
    const found = requestsOf(run.rows);
    expect(found.map((r) => r.id)).toEqual(["p1", "p2", "q1"]);
    expect(found.map(kindOf)).toEqual(["command", "command", "question"]);
  });

  it("ends with its answer, which is kept", () => {
    const run = fold(
      approval("p1"),
      question,
      { type: "approval_answered", approvalId: "p1", option: "deny", by, text: "Use ninja." },
      { type: "question_answered", questionId: "q1", answers: { "Which?": ["A"] }, by },
    );
    expect(requestsOf(run.rows)).toEqual([]);
    const [row] = run.rows;
    const steps = row?.kind === "steps" ? row.steps : [];
    expect(steps[0]).toMatchObject({ approval: { answer: { option: "deny", by, text: "Use ninja." } } });
    expect(steps[1]).toMatchObject({
      question: { answer: { answers: { "Which?": ["A"] }, declined: false } },
    });
  });

  it("leaves rows that an answer does not touch as they are", () => {
    const before = fold(
      { type: "tool_use_start", toolId: "t1", name: "Bash", input: {} },
      approval("p1", "t1"),
    );
    const [after] = extendThread(
      [before],
      [
        {
          seq: 9,
          t: "2026-11-30T14:01:00.000Z",
          run: "r",
          type: "approval_answered",
          approvalId: "other",
          option: "once",
        },
      ],
    );
    expect(after?.rows).toBe(before.rows);
  });
});
