import { describe, expect, it } from "vitest";
import type { QueuedItem, QueueFrame } from "../wire/types";
import { emptyQueue, foldQueue, queueRows, type QueueState, settleChange, unsent } from "./queue";
import { QueueDesk } from "./queue.desk";

const me = { id: "u_1", name: "siskin" };
const dunlin = { id: "u_2", name: "dunlin" };

function item(clientId: string, text = clientId, rev = 1, by = me): QueuedItem {
  return { clientId, text, by, at: "2026-11-30T14:00:00.000Z", rev };
}

function frame(rev: number, ...items: readonly QueuedItem[]): QueueFrame {
  return { type: "queue", rev, items: [...items] };
}

/** A queue, and the commands that were sent about it. */
function desk(...items: readonly QueuedItem[]) {
  let queue: QueueState = foldQueue(emptyQueue, frame(1, ...items));
  let online = true;
  const sent: (Readonly<Record<string, unknown>> & { readonly id: string })[] = [];
  const made = new QueueDesk({
    state: () => queue,
    set: (next) => (queue = next),
    send: (command) => {
      if (!online) return "";
      const id = String(sent.length + 1);
      sent.push({ ...command, id });
      return id;
    },
  });
  return {
    desk: made,
    sent,
    queue: () => queue,
    shown: () => queueRows(queue).map((row) => row.text),
    hear: (next: QueueFrame) => (queue = foldQueue(queue, next)),
    ok: (id: string) => (queue = settleChange(queue, { type: "ack", id, ok: true })),
    no: (id: string, code: string) =>
      (queue = settleChange(queue, { type: "ack", id, ok: false, error: { code, message: "No." } })),
    lose: () => {
      online = false;
      queue = unsent(queue);
    },
    back: () => (online = true),
  };
}

describe("a change of the queue", () => {
  it("shows at once, and once only when the queue has it", () => {
    const q = desk(item("a"), item("b"), item("c"));
    q.desk.act("c", { kind: "move", to: 1 });
    q.desk.act("a", { kind: "edit", text: "A" });
    q.desk.act("b", { kind: "remove" });
    expect(q.sent).toMatchObject([
      { type: "queue_move", clientId: "c", to: 1, rev: 1 },
      { type: "queue_edit", clientId: "a", text: "A", rev: 1 },
      { type: "queue_remove", clientId: "b", rev: 1 },
    ]);
    expect(queueRows(q.queue()).map((r) => [r.text, r.pending])).toEqual([
      ["c", "move"],
      ["A", "edit"],
      ["b", "remove"],
    ]);
    for (const id of ["1", "2", "3"]) q.ok(id);
    expect(q.shown()).toEqual(["c", "A", "b"]);
    q.hear(frame(4, item("c"), item("a", "A", 3)));
    expect(queueRows(q.queue()).map((r) => [r.text, r.pending])).toEqual([
      ["c", null],
      ["A", null],
    ]);
    expect(q.queue().changes).toEqual([]);
  });

  it("settles also where the queue is told before the answer", () => {
    const q = desk(item("a"));
    q.desk.act("a", { kind: "edit", text: "A" });
    q.hear(frame(2, item("a", "A", 2)));
    q.ok("1");
    expect(q.queue().changes).toEqual([]);
  });

  it("of a prompt that another edited gives the words back, and says so", () => {
    const q = desk(item("a"));
    q.hear(frame(2, item("a", "theirs", 2, dunlin)));
    q.desk.act("a", { kind: "edit", text: "mine" }, 1);
    expect(q.sent[0]).toMatchObject({ rev: 1 });
    q.no("1", "conflict");
    expect(q.shown()).toEqual(["theirs"]);
    expect(q.queue().note).toMatchObject({ kind: "changed", act: "edit", text: "mine", clientId: "a" });
  });

  it("of a prompt that was sent meanwhile gives the words back", () => {
    const q = desk(item("a"), item("b"));
    q.desk.act("a", { kind: "edit", text: "mine" });
    q.hear(frame(2, item("b")));
    expect(q.shown()).toEqual(["b"]);
    q.no("1", "not_found");
    expect(q.queue().note).toMatchObject({ kind: "gone", text: "mine" });
  });

  it("of a prompt that was removed meanwhile gives the words back, though that is a conflict", () => {
    const q = desk(item("a"));
    q.hear(frame(2));
    q.desk.act("a", { kind: "edit", text: "mine" }, 1);
    q.no("1", "conflict");
    expect(q.queue().note).toMatchObject({ kind: "gone", text: "mine" });
  });

  it("that came to its end without us is no matter", () => {
    const q = desk(item("a"), item("b"));
    q.desk.act("a", { kind: "remove" });
    q.no("1", "not_found");
    expect(q.queue()).toMatchObject({ note: null, changes: [] });
    q.desk.act("b", { kind: "edit", text: "B" });
    q.hear(frame(2, item("b", "B", 2, dunlin)));
    q.no("2", "conflict");
    expect(q.queue()).toMatchObject({ note: null, changes: [] });
  });

  it("of a place is asked again where only the rest of the queue has changed", () => {
    const q = desk(item("a"), item("b"));
    q.desk.act("b", { kind: "move", to: 1 });
    q.no("1", "conflict");
    q.desk.deliver();
    expect(q.sent[1]).toMatchObject({ type: "queue_move", clientId: "b", to: 1 });
    expect(q.sent[1]).not.toHaveProperty("rev");
    q.no("2", "conflict");
    expect(q.queue().note).toMatchObject({ kind: "changed", act: "move" });
  });

  it("waits for the line, and is sent once when it is back", () => {
    const q = desk(item("a"));
    q.desk.act("a", { kind: "edit", text: "A" });
    q.lose();
    q.desk.deliver();
    expect(q.sent).toHaveLength(1);
    expect(q.shown()).toEqual(["A"]);
    q.back();
    q.hear(frame(1, item("a")));
    q.desk.deliver();
    q.desk.deliver();
    expect(q.sent).toHaveLength(2);
  });

  it("is told when the server refuses it for another reason", () => {
    const q = desk(item("a"));
    q.desk.act("a", { kind: "edit", text: "A" });
    q.no("1", "forbidden");
    expect(q.queue().note).toMatchObject({ kind: "refused", text: "A", fault: { code: "forbidden" } });
    q.desk.forget();
    expect(q.queue().note).toBeNull();
  });

  it("is the last wish where there were several", () => {
    const q = desk(item("a"));
    q.desk.act("a", { kind: "edit", text: "A" });
    q.desk.act("a", { kind: "remove" });
    expect(q.queue().changes).toHaveLength(1);
    q.ok("1");
    expect(q.queue().changes).toMatchObject([{ act: { kind: "remove" } }]);
  });
});

describe("a paused queue", () => {
  it("goes on when it is told to, or says why not", () => {
    const q = desk(item("a"));
    q.hear({ ...frame(2, item("a")), paused: { reason: "failed", since: "2026-11-30T14:00:00.000Z" } });
    q.desk.resume();
    expect(q.queue().resume).toBe("1");
    q.no("1", "conflict");
    expect(q.queue()).toMatchObject({ resume: "", note: { act: "resume" } });
    q.desk.resume();
    q.hear(frame(3));
    expect(q.queue()).toMatchObject({ resume: "", paused: null, items: [] });
  });
});
