import fc from "fast-check";
import { expect, it } from "vitest";
import type { LoggedEvent } from "../wire/types";
import type { Row } from "./rows";
import { extendThread, foldThread, type Thread } from "./thread";

type Body = LoggedEvent extends infer E
  ? E extends LoggedEvent
    ? Omit<E, "seq" | "t" | "run">
    : never
  : never;

const me = { id: "u_1", name: "siskin" };
const tool = fc.constantFrom("t1", "t2", "t3", "t4");
const item = fc.constantFrom("a", "b", "c");
const asked = fc.constantFrom("p1", "p2", "q1");
const within = fc
  .option(tool, { nil: undefined })
  .map((id) => (id === undefined ? {} : { parentToolId: id }));

/** One thing that an agent, a person or the daemon may do in a run, in any order, also a senseless one. */
const body: fc.Arbitrary<Body> = fc.oneof(
  fc
    .record({ item, within })
    .map(({ within: w, item: i }): Body => ({ type: "assistant_text", item: i, delta: "ab ", ...w })),
  fc
    .record({ item, within })
    .map(({ within: w, item: i }): Body => ({ type: "assistant_text", item: i, final: "whole", ...w })),
  fc
    .record({ item, within })
    .map(({ within: w, item: i }): Body => ({ type: "thinking", item: i, delta: "hm ", ...w })),
  fc.record({ tool, within }).map(({ within: w, tool: id }): Body => ({
    type: "tool_use_start",
    toolId: id,
    name: "Task",
    input: {},
    ...w,
  })),
  tool.map((toolId): Body => ({ type: "tool_output", toolId, delta: "out\n" })),
  tool.map((toolId): Body => ({ type: "tool_use_end", toolId, ok: true, output: "done", ms: 1 })),
  fc
    .record({ asked, tool: fc.option(tool, { nil: "" }), within })
    .map(({ asked: approvalId, tool: toolId, within: w }): Body => ({
      type: "approval",
      approvalId,
      toolId,
      kind: "command",
      title: "ls",
      options: ["once", "deny"],
      ...w,
    })),
  asked.map((approvalId): Body => ({ type: "approval_answered", approvalId, option: "once", auto: false })),
  fc
    .record({ within })
    .map(({ within: w }): Body => ({ type: "question", questionId: "q1", questions: [], ...w })),
  fc.constant<Body>({ type: "question_answered", questionId: "q1", answers: {} }),
  within.map((w): Body => ({ type: "todo", items: [{ text: "a", status: "pending" }], ...w })),
  // A call may have the id of something else.
  fc
    .constantFrom("todo", "p1")
    .map((toolId): Body => ({ type: "tool_use_start", toolId, name: "Bash", input: {} })),
  fc.constant<Body>({ type: "error", code: "odd", message: "?" }),
  fc.constant<Body>({ type: "complete", status: "ok", ms: 1 }),
);

/** Events of two runs that come in turn. */
const events = fc
  .array(fc.record({ body, run: fc.constantFrom("r_1", "r_1", "r_1", "r_2") }), { maxLength: 60 })
  .map((all) =>
    all.map(({ body: of, run }, i): LoggedEvent => ({
      seq: i + 1,
      t: new Date(i * 1000).toISOString(),
      run,
      ...of,
    })),
  );

function inBatches(
  all: readonly LoggedEvent[],
  sizes: readonly number[],
  see: (before: Thread, after: Thread, batch: readonly LoggedEvent[]) => void = () => undefined,
): Thread {
  let thread: Thread = [];
  for (let at = 0, n = 0; at < all.length; n += 1) {
    const batch = all.slice(at, at + (sizes[n % sizes.length] ?? 1));
    at += batch.length;
    const next = extendThread(thread, batch);
    see(thread, next, batch);
    thread = next;
  }
  return thread;
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });

it("comes to the same in whatever batches the events come", () => {
  fc.assert(
    fc.property(events, sizes, (all, some) => {
      const whole = foldThread({ epoch: 1, events: all, hasMore: false, open: [], detached: false });
      expect(inBatches(all, some)).toEqual(whole);
      expect(inBatches(all, [1])).toEqual(whole);
    }),
    { numRuns: 1500 },
  );
});

it("keeps the rows that a batch does not touch, and changes none that was handed out", () => {
  fc.assert(
    fc.property(events, sizes, (all, some) => {
      inBatches(all, some, (before, after, batch) => {
        const copy = structuredClone(before);
        for (const run of before) {
          const next = after.find((r) => r.key === run.key);
          if (!batch.some((e) => e.run === run.key)) expect(next).toBe(run);
          for (const [i, row] of run.rows.entries()) {
            const there = next?.rows[i];
            if (there !== row) expect(touches(row, batch, i === run.rows.length - 1)).toBe(true);
          }
        }
        extendThread(after, batch);
        expect(before).toEqual(copy);
      });
    }),
    { numRuns: 500 },
  );
});

/** Whether an event of the batch is about something in the row, or ends what it tells. */
function touches(row: Row, batch: readonly LoggedEvent[], last: boolean): boolean {
  const keys = keysOf(row);
  return batch.some(
    (e) =>
      last ||
      e.type === "complete" ||
      ["item", "toolId", "parentToolId", "approvalId", "questionId"].some((name) => {
        const value: unknown = Reflect.get(e, name);
        return typeof value === "string" && keys.has(value);
      }) ||
      (e.type === "todo" && keys.has("todo")),
  );
}

function keysOf(row: Row): ReadonlySet<string> {
  if (row.kind !== "steps") return new Set([row.key]);
  return new Set(
    row.steps.flatMap((s) =>
      s.kind === "tool"
        ? [s.key, ...s.approvals.map((a) => a.id), ...s.children.flatMap((c) => [...keysOf(c)])]
        : [s.key],
    ),
  );
}

it("keeps what says the same when a run is folded anew, with more before it or less", () => {
  fc.assert(
    fc.property(events, fc.nat(30), (all, cut) => {
      const log = { epoch: 1, hasMore: true, open: [], detached: false };
      const less = foldThread({ ...log, events: all.slice(cut) });
      const more = foldThread({ ...log, events: all }, less);
      expect(more).toEqual(foldThread({ ...log, events: all }));
      for (const run of less) {
        for (const row of run.rows) {
          const there = more
            .find((r) => r.key === run.key)
            ?.rows.find((r) => r.kind === row.kind && r.key === row.key);
          if (there !== row) expect(there).not.toEqual(row);
        }
      }
      expect(foldThread({ ...log, events: all.slice(cut) }, more)).toEqual(less);
    }),
    { numRuns: 500 },
  );
});

/** A run of so many rounds of steps and answers, or of steps alone. */
function long(rounds: number, talks: boolean): LoggedEvent[] {
  const bodies = Array.from({ length: rounds }, (_, i): Body[] => [
    { type: "tool_use_start", toolId: `t${i}`, name: "Bash", input: {} },
    {
      type: "approval",
      approvalId: `p${i}`,
      toolId: `t${i}`,
      kind: "command",
      title: "ls",
      options: ["once"],
    },
    { type: "approval_answered", approvalId: `p${i}`, option: "once", auto: true },
    { type: "tool_use_end", toolId: `t${i}`, ok: true, output: "done", ms: 1 },
    ...(talks ? [{ type: "assistant_text", item: `a${i}`, delta: "so" } as const] : []),
  ]).flat();
  const all: Body[] = [{ type: "user", text: "go", clientId: "k_1", by: me }, ...bodies];
  return all.map((of, i): LoggedEvent => ({
    seq: i + 1,
    t: new Date(i * 1000).toISOString(),
    run: "r_1",
    ...of,
  }));
}

/** The least of several times of folding a log in batches of 1,000, by event. */
function cost(all: readonly LoggedEvent[]): number {
  const times = Array.from({ length: 5 }, () => {
    const from = performance.now();
    foldThread({ epoch: 1, events: all, hasMore: false, open: [], detached: false });
    return performance.now() - from;
  });
  return Math.min(...times) / all.length;
}

// Quadratic folding costs ten times as much an event. It is a ratio of one run: the machine makes no difference.
it.each([true, false])(
  "costs an event no more in a long run than in a short one (with answers: %s)",
  (talks) => {
    cost(long(500, talks));
    expect(cost(long(5_000, talks)) / cost(long(500, talks))).toBeLessThan(5);
  },
);
