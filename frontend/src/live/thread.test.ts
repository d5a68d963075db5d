import { expect, it } from "vitest";
import type { LoggedEvent } from "../wire/types";
import type { Row, ToolStep } from "./rows";
import { extendThread, foldThread } from "./thread";

type Body = LoggedEvent extends infer E
  ? E extends LoggedEvent
    ? Omit<E, "seq" | "t" | "run">
    : never
  : never;

const me = { id: "u_1", name: "siskin" };

/** Events of one run, a second apart. */
function run(...bodies: readonly Body[]): LoggedEvent[] {
  return bodies.map((body, i): LoggedEvent => ({
    seq: i + 1,
    t: new Date(i * 1000).toISOString(),
    run: "r_1",
    ...body,
  }));
}

const prompt: Body = { type: "user", text: "go", clientId: "k_1", by: me };

function fold(...bodies: readonly Body[]) {
  const [folded] = extendThread([], run(prompt, ...bodies));
  if (folded === undefined) throw new Error("nothing was folded");
  return folded;
}

function tools(rows: readonly Row[]): ToolStep[] {
  return rows
    .flatMap((r) => (r.kind === "steps" ? r.steps : []))
    .filter((s): s is ToolStep => s.kind === "tool");
}

it("joins the pieces of an item, and a final text replaces them", () => {
  const { rows } = fold(
    { type: "assistant_text", item: "a", delta: "Hel" },
    { type: "thinking", item: "b", delta: "hm" },
    { type: "assistant_text", item: "a", delta: "lo" },
    { type: "assistant_text", item: "c", delta: "wrong" },
    { type: "assistant_text", item: "c", final: "right" },
  );
  expect(rows.map((r) => ("text" in r ? r.text : ""))).toEqual(["Hello", "hm", "right"]);
});

it("ends reasoning when something follows, and all text with the run", () => {
  const reasoning = fold(
    { type: "thinking", item: "a", delta: "hm" },
    { type: "assistant_text", item: "b", delta: "so" },
  );
  expect(reasoning.rows[0]).toMatchObject({
    from: "1970-01-01T00:00:01.000Z",
    to: "1970-01-01T00:00:02.000Z",
  });
  expect(reasoning.rows[1]).not.toHaveProperty("to");
  const done = fold(
    { type: "assistant_text", item: "b", delta: "so" },
    { type: "complete", status: "ok", ms: 1 },
  );
  expect(done.rows[0]).toHaveProperty("to");
});

it("puts neighbouring tool calls into one group, and text between them makes another", () => {
  const { rows } = fold(
    { type: "tool_use_start", toolId: "t1", name: "Read", input: {} },
    { type: "tool_use_start", toolId: "t2", name: "Bash", input: {} },
    { type: "assistant_text", item: "a", delta: "and" },
    { type: "tool_use_start", toolId: "t3", name: "Edit", input: {} },
    { type: "tool_use_end", toolId: "t1", ok: true, output: "late", ms: 5 },
  );
  expect(rows.map((r) => r.kind)).toEqual(["steps", "answer", "steps"]);
  expect(tools(rows).map((tool) => tool.result?.output)).toEqual(["late", undefined, undefined]);
});

it("keeps what a subagent did inside its call, at any depth", () => {
  const { rows } = fold(
    { type: "tool_use_start", toolId: "t1", name: "Task", input: {} },
    { type: "assistant_text", item: "a", delta: "inner", parentToolId: "t1" },
    { type: "tool_use_start", toolId: "t2", name: "Task", input: {}, parentToolId: "t1" },
    { type: "tool_use_start", toolId: "t3", name: "Bash", input: {}, parentToolId: "t2" },
    { type: "tool_output", toolId: "t3", delta: "deep" },
  );
  expect(rows).toHaveLength(1);
  const outer = tools(rows)[0];
  expect(outer?.children.map((r) => r.kind)).toEqual(["answer", "steps"]);
  const inner = tools(outer?.children ?? [])[0];
  expect(tools(inner?.children ?? [])[0]?.live).toBe("deep");
});

it("ties an approval to its call, whichever comes first", () => {
  const approval: Body = {
    type: "approval",
    approvalId: "p1",
    toolId: "t1",
    kind: "command",
    title: "ls",
    options: ["once", "deny"],
  };
  const start: Body = { type: "tool_use_start", toolId: "t1", name: "Bash", input: { command: "ls" } };
  const answer: Body = {
    type: "approval_answered",
    approvalId: "p1",
    option: "once",
    auto: true,
    reason: "It only reads.",
  };
  const a = tools(fold(approval, start, answer).rows);
  const b = tools(fold(start, approval, answer).rows);
  for (const [tool] of [a, b]) {
    expect(tool).toMatchObject({ name: "Bash", input: { command: "ls" } });
    expect(tool?.approvals[0]?.answer).toMatchObject({ option: "once", reason: "It only reads." });
  }
  expect(a).toHaveLength(1);
});

it("keeps one to-do list a run, where it first stood", () => {
  const { rows } = fold(
    { type: "todo", items: [{ text: "a", status: "pending" }] },
    { type: "assistant_text", item: "x", delta: "on it" },
    { type: "todo", items: [{ text: "a", status: "completed" }] },
  );
  expect(rows.map((r) => r.kind)).toEqual(["steps", "answer"]);
  expect(rows[0]).toMatchObject({ steps: [{ items: [{ status: "completed" }] }] });
});

it("bounds the output that streams", () => {
  const [tool] = tools(
    fold(
      { type: "tool_use_start", toolId: "t1", name: "Bash", input: {} },
      ...Array.from({ length: 300 }, (): Body => ({
        type: "tool_output",
        toolId: "t1",
        delta: "y".repeat(2048),
      })),
    ).rows,
  );
  expect(tool?.live.length).toBeLessThanOrEqual(128 * 1024);
});

it("passes by events of types that it does not know", () => {
  const strange = JSON.parse('{"seq":2,"t":"1970-01-01T00:00:01.000Z","run":"r_1","type":"hologram","x":1}');
  const thread = extendThread(extendThread([], run(prompt)), [strange]);
  expect(thread[0]).toMatchObject({ rows: [], count: 2, last: 2 });
});

it("draws nothing again that did not change: rows and runs keep their identity", () => {
  const events = run(
    prompt,
    { type: "tool_use_start", toolId: "t1", name: "Bash", input: {} },
    { type: "assistant_text", item: "a", delta: "x" },
  );
  const before = extendThread([], events);
  const after = extendThread(before, [
    { ...(events[2] ?? events[0]!), seq: 4, t: "1970-01-01T00:00:04.000Z" },
  ]);
  expect(after[0]?.rows[0]).toBe(before[0]?.rows[0]);
  expect(after[0]?.rows[1]).not.toBe(before[0]?.rows[1]);
  const log = { epoch: 1, events, hasMore: false, open: [], detached: false };
  expect(foldThread(log, before)[0]).toBe(before[0]);
});

it("shows the call that a page cut in the middle of a run belongs to", () => {
  const [, start, end] = run(
    prompt,
    { type: "tool_use_start", toolId: "t1", name: "Bash", input: { command: "make" } },
    { type: "tool_use_end", toolId: "t1", ok: true, output: "done", ms: 1 },
  );
  if (start === undefined || end === undefined) throw new Error("too few events");
  const [cut] = foldThread({ epoch: 1, events: [end], hasMore: true, open: [start], detached: false });
  expect(cut?.prompt).toBeUndefined();
  expect(tools(cut?.rows ?? [])[0]).toMatchObject({ name: "Bash", result: { output: "done" } });
});
