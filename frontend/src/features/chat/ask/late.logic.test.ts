import { describe, expect, it } from "vitest";
import type { Answering } from "../../../live/chat.state";
import { extendThread } from "../../../live/thread";
import type { LoggedEvent } from "../../../wire/types";
import { asPrompt, lostRace, unanswered } from "./late.logic";

const t = "2026-11-30T14:00:00.000Z";
const dunlin = { id: "u_2", name: "dunlin" };

type Body = LoggedEvent extends infer E
  ? E extends LoggedEvent
    ? Omit<E, "seq" | "t" | "run">
    : never
  : never;

function runOf(...bodies: readonly Body[]) {
  const events = bodies.map((b, i): LoggedEvent => ({ seq: i + 1, t, run: "r_1", ...b }));
  const [run] = extendThread([], events);
  if (run === undefined) throw new Error("no run");
  return run;
}

const user: Body = { type: "user", text: "go", clientId: "k", by: dunlin };
const approval: Body = {
  type: "approval",
  approvalId: "ap",
  toolId: "t1",
  kind: "command",
  title: "make",
  options: ["once", "deny"],
};
const allowed: Body = { type: "approval_answered", approvalId: "ap", option: "once", by: dunlin };
const denied: Body = { type: "approval_answered", approvalId: "ap", option: "deny", by: dunlin };
const complete = (status: "ok" | "cancelled"): Body => ({ type: "complete", status, ms: 1 });
const question: Body = {
  type: "question",
  questionId: "qu",
  questions: [
    { question: "Which?", options: [{ label: "A" }] },
    { question: "What else?", options: [] },
  ],
};

function pressed(option: "once" | "deny", late: number): Answering {
  return {
    command: "1",
    answer: { approvalId: "ap", option },
    words: "",
    at: Date.parse(t) + late,
    fault: { code: "conflict", message: "dunlin was first and allowed it." },
  };
}

describe("an answer that came too late", () => {
  it("is told by how much, also where the clock here is wrong", () => {
    const run = runOf(user, approval, allowed);
    expect(lostRace(run, "ap", pressed("deny", 400), 0)).toEqual({
      what: "You pressed Deny 0.4 s later; it had no effect.",
      rest: "dunlin was first and allowed it.",
      goes: true,
    });
    expect(lostRace(run, "ap", pressed("deny", 90_000 + 1_200), 90_000).what).toMatch(/1\.2 s later/);
  });

  it("is told without a time that cannot be known", () => {
    const run = runOf(user, approval, allowed);
    const plain = "Your answer had no effect.";
    expect(lostRace(run, "ap", pressed("deny", 400), null).what).toBe(plain);
    expect(lostRace(run, "ap", pressed("deny", -300), 0).what).toBe(plain);
    expect(lostRace(undefined, "ap", pressed("deny", 400), 0)).toMatchObject({ what: plain, goes: false });
  });

  it.each([
    ["what was denied here is being done", [user, approval, allowed], "deny", true],
    ["nothing is, where both said no", [user, approval, denied], "deny", false],
    ["nothing was to be stopped, where it was allowed here", [user, approval, denied], "once", false],
    ["nothing is any more, once the run is over", [user, approval, allowed, complete("ok")], "deny", false],
  ] as const)("says whether %s", (_name, events, option, goes) => {
    expect(lostRace(runOf(...events), "ap", pressed(option, 400), 0).goes).toBe(goes);
  });
});

describe("a question that nobody answered in time", () => {
  it("can be answered by the next prompt, unless the run was stopped", () => {
    expect(unanswered(runOf(user, question))).toEqual([]);
    expect(unanswered(runOf(user, question, complete("ok"))).map((q) => q.id)).toEqual(["qu"]);
    expect(unanswered(runOf(user, question, complete("cancelled")))).toEqual([]);
    const answered: Body = { type: "question_answered", questionId: "qu", declined: true, by: dunlin };
    expect(unanswered(runOf(user, question, answered, complete("ok")))).toEqual([]);
  });

  it("goes with its answer into the prompt, and what was skipped stays out", () => {
    const [asked] = unanswered(runOf(user, question, complete("ok")));
    if (asked === undefined) throw new Error("no question");
    expect(asPrompt(asked, { answers: { "Which?": ["A", "B"] } })).toBe("> Which?\n\nA, B");
    expect(asPrompt(asked, { answers: { "Which?": ["A"], "What else?": ["C"] } })).toBe(
      "> Which?\n\nA\n\n> What else?\n\nC",
    );
    expect(asPrompt(asked, { declined: true })).toBe("");
  });
});
