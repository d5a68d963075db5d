import type { AckFrame, Fault, QueueFrame, QueuePause, QueuedItem } from "../wire/types";

/** What can be done to a prompt that waits. Places are counted from 1. */
export type QueueAct =
  | { readonly kind: "edit"; readonly text: string }
  | { readonly kind: "move"; readonly to: number }
  | { readonly kind: "remove" };

/** A change that this browser asked for and that the queue does not show yet. */
export type QueueChange = {
  readonly clientId: string;
  readonly act: QueueAct;
  /** The queue that the person saw; 0 where the change is to be made whatever was. */
  readonly base: number;
  /** The command that carries it; empty while it waits to be sent. */
  readonly command: string;
  /** The server has made it; the queue that shows it is on its way. */
  readonly done: boolean;
};

/** Why a change had no effect. `text` is what was written, which must not be lost. */
export type QueueNote = {
  readonly kind: "gone" | "changed" | "refused";
  readonly act: QueueAct["kind"] | "resume";
  readonly clientId: string;
  readonly text: string;
  readonly fault: Fault;
};

/** The queue as the server last told it, and what this browser asked of it since. */
export type QueueState = {
  readonly rev: number;
  readonly items: readonly QueuedItem[];
  readonly paused: QueuePause | null;
  readonly changes: readonly QueueChange[];
  readonly note: QueueNote | null;
  /** The command that asks the queue to go on; empty if none is on its way. */
  readonly resume: string;
};

export const emptyQueue: QueueState = {
  rev: 0,
  items: [],
  paused: null,
  changes: [],
  note: null,
  resume: "",
};

/** A prompt of the queue as it is drawn: with what was asked of it already done. */
export type QueueRow = {
  readonly item: QueuedItem;
  readonly text: string;
  readonly pending: QueueAct["kind"] | null;
};

/** The rows in the order that they will have once what was asked for is done. */
export function queueRows(queue: QueueState): readonly QueueRow[] {
  let rows = queue.items.map((item): QueueRow => ({ item, text: item.text, pending: null }));
  for (const { clientId, act } of queue.changes) {
    const at = rows.findIndex((row) => row.item.clientId === clientId);
    const row = rows[at];
    if (row === undefined) continue;
    rows = rows.with(at, { ...row, pending: act.kind, text: act.kind === "edit" ? act.text : row.text });
    if (act.kind === "move") rows = moved(rows, at, act.to - 1);
  }
  return rows;
}

/** The list with the one at `from` put to `to`. */
function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, i) => i !== from);
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)];
}

/** Takes in the queue as it now is. */
export function foldQueue(queue: QueueState, frame: QueueFrame): QueueState {
  const gone = (c: QueueChange) => !frame.items.some((item) => item.clientId === c.clientId);
  return {
    ...queue,
    rev: frame.rev,
    items: frame.items,
    paused: frame.paused ?? null,
    resume: frame.paused === undefined ? "" : queue.resume,
    // An edit of what has gone is kept until the server says so: its words must not be lost.
    changes: queue.changes.filter((c) => (c.done ? frame.rev <= c.base : c.act.kind === "edit" || !gone(c))),
  };
}

/** Takes in the server's answer to a change; the same state when it is the answer to something else. */
export function settleChange(queue: QueueState, ack: AckFrame): QueueState {
  const fault = ack.error ?? { code: "internal", message: "" };
  if (queue.resume !== "" && queue.resume === ack.id) {
    if (ack.ok) return { ...queue, resume: "" };
    return { ...queue, resume: "", note: { kind: "refused", act: "resume", clientId: "", text: "", fault } };
  }
  const change = queue.changes.find((c) => c.command !== "" && c.command === ack.id);
  if (change === undefined) return queue;
  const others = queue.changes.filter((c) => c !== change);
  if (ack.ok) {
    const shown = queue.rev > change.base;
    return { ...queue, changes: shown ? others : [...others, { ...change, done: true }] };
  }
  const { act, clientId } = change;
  const stale = fault.code === "not_found" || fault.code === "conflict";
  // One that was removed or is being sent is a conflict like one that was edited: the queue tells them apart.
  const there = fault.code === "conflict" && queue.items.some((i) => i.clientId === clientId);
  const kind = !stale ? "refused" : there ? "changed" : "gone";
  const text = act.kind === "edit" ? act.text : "";
  // What has gone need not be moved or removed; what is already so need not be said.
  const moot = kind === "gone" && act.kind !== "edit";
  const same = act.kind === "edit" && queue.items.some((i) => i.clientId === clientId && i.text === text);
  if (moot || same) return { ...queue, changes: others };
  // Another change of the queue does not make a place meaningless.
  if (kind === "changed" && act.kind === "move" && change.base > 0) {
    return { ...queue, changes: [...others, { ...change, base: 0, command: "" }] };
  }
  return { ...queue, changes: others, note: { kind, act: act.kind, clientId, text, fault } };
}

/** Without a line nothing is on its way: what was asked for waits to be asked again. */
export function unsent(queue: QueueState): QueueState {
  if (queue.changes.length === 0 && queue.resume === "") return queue;
  const changes = queue.changes.filter((c) => !c.done).map((c) => ({ ...c, command: "" }));
  return { ...queue, resume: "", changes };
}
