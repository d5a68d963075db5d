import { expect, it } from "vitest";
import type { LoggedEvent } from "../wire/types";
import { evict, trimPage } from "./evict";

const me = { id: "u_1", name: "siskin" };
const at = "2026-11-30T14:00:00.000Z";

function user(seq: number): LoggedEvent {
  return { seq, t: at, type: "user", run: `r_${seq}`, text: "go", clientId: `k_${seq}`, by: me };
}

function text(seq: number, item = "i"): LoggedEvent {
  return { seq, t: at, type: "assistant_text", run: "r_1", item, delta: "x" };
}

function log(events: readonly LoggedEvent[]) {
  return { epoch: 1, events, hasMore: false, open: [], detached: false };
}

it("lets go of nothing while there is room", () => {
  const held = log([user(1), text(2)]);
  expect(evict(held, "end", 2)).toBe(held);
});

it("cuts where a run begins, at the end that is far from the reader", () => {
  const held = log([user(1), text(2), user(3), text(4), user(5), text(6)]);
  expect(evict(held, "end", 3).events.map((e) => e.seq)).toEqual([5, 6]);
  expect(evict(held, "end", 3).hasMore).toBe(true);
  const start = evict(held, "start", 3);
  expect(start.events.map((e) => e.seq)).toEqual([1, 2]);
  expect(start.detached).toBe(true);
});

it("cuts a run that is too long by itself where an item begins, and keeps the calls that go on", () => {
  const call: LoggedEvent = {
    seq: 2,
    t: at,
    run: "r_1",
    type: "tool_use_start",
    toolId: "t1",
    name: "Bash",
    input: {},
  };
  const end: LoggedEvent = {
    seq: 8,
    t: at,
    run: "r_1",
    type: "tool_use_end",
    toolId: "t1",
    ok: true,
    output: "",
    ms: 1,
  };
  const events = [user(1), call, text(3, "a"), text(4, "a"), text(5, "a"), text(6, "b"), text(7, "b"), end];
  const cut = evict(log(events), "end", 4);
  expect(cut.events.map((e) => e.seq)).toEqual([6, 7, 8]);
  expect(cut.open).toEqual([call]);
});

it("lets go of the end of a run that is too long by itself, when its beginning is read", () => {
  const held = log([user(1), text(2), text(3), text(4), text(5)]);
  const cut = evict(held, "start", 3);
  expect(cut.events.map((e) => e.seq)).toEqual([1, 2, 3]);
  expect(cut.detached).toBe(true);
});

it("makes room for more than one event when it cuts a run, so that this does not happen at each", () => {
  const events = [user(1), ...Array.from({ length: 100 }, (_, i) => text(i + 2, `i${i}`))];
  expect(evict(log(events), "end", 100).events).toHaveLength(75);
});

it("keeps of a run that it cuts what a person has yet to answer, and the latest list", () => {
  const of = { t: at, run: "r_1" };
  const question = (seq: number, questionId: string): LoggedEvent => ({
    ...of,
    seq,
    type: "question",
    questionId,
    questions: [],
  });
  const list = (seq: number): LoggedEvent => ({ ...of, seq, type: "todo", items: [] });
  const answer: LoggedEvent = { ...of, seq: 4, type: "question_answered", questionId: "q_2" };
  const events = [user(1), question(2, "q_2"), question(3, "q_3"), answer, list(5), list(6)];
  const rest = Array.from({ length: 20 }, (_, i) => text(i + 7, `i${i}`));
  expect(evict(log([...events, ...rest]), "end", 20).open.map((e) => e.seq)).toEqual([3, 6]);
});

it("never lets go of what it is told to keep", () => {
  const held = log([user(1), ...Array.from({ length: 100 }, (_, i) => text(i + 2, `i${i}`))]);
  expect(evict(held, "start", 20, 65).events).toHaveLength(65);
  expect(evict(held, "end", 20, 65).events).toHaveLength(65);
});

it("takes no more of a page than leaves what is read held, and the rest can be asked for", () => {
  const events = [user(1), ...Array.from({ length: 100 }, (_, i) => text(i + 2, `i${i}`))];
  const page = { epoch: 1, events, hasMore: false, open: [] };
  const older = trimPage(page, "start", 40);
  expect(older.events.map((e) => e.seq)).toEqual(events.slice(-15).map((e) => e.seq));
  expect(older.hasMore).toBe(true);
  const newer = trimPage(page, "end", 40, 50);
  expect(newer.events.filter((e) => e.seq > 50).map((e) => e.seq)).toEqual(
    Array.from({ length: 20 }, (_, i) => 51 + i),
  );
});
