import type { LoggedEvent } from "../wire/types";
import type { ChatLog } from "./chat-log";
import { keepRows } from "./keep";
import type { Run } from "./rows";
import { emptyRun, foldRun } from "./run";

/** A chat as it is read: its runs, oldest first. */
export type Thread = readonly Run[];

function keyOf(event: LoggedEvent): string {
  return event.run === undefined || event.run === "" ? `n:${event.seq}` : event.run;
}

/** Events by the run that they belong to, in the order in which the runs begin. */
function byRun(events: readonly LoggedEvent[]): ReadonlyMap<string, readonly LoggedEvent[]> {
  const groups = new Map<string, LoggedEvent[]>();
  for (const event of events) {
    const key = keyOf(event);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
  }
  return groups;
}

/** Folds events that continue the thread. What was folded before is not folded again. */
export function extendThread(thread: Thread, events: readonly LoggedEvent[]): Thread {
  if (events.length === 0) return thread;
  const runs = [...thread];
  const places = new Map(runs.map((run, i) => [run.key, i]));
  for (const [key, some] of byRun(events)) {
    const at = places.get(key);
    const run = at === undefined ? undefined : runs[at];
    if (at === undefined || run === undefined) runs.push(foldGroup(key, [], some));
    else runs[at] = foldRun(run, some);
  }
  return runs;
}

/**
 * Folds the whole log anew. Runs that are made of the same events keep their identity, and of the
 * others those rows that say the same.
 */
export function foldThread(log: ChatLog, before: Thread = []): Thread {
  const held = new Map(before.map((run) => [run.key, run]));
  let opened = false;
  return [...byRun(log.events)].map(([key, events]) => {
    const open = opened || key.startsWith("n:") ? [] : log.open.filter((event) => keyOf(event) === key);
    opened ||= open.length > 0;
    const old = held.get(key);
    if (old !== undefined && open.length === 0 && isOf(old, events)) return old;
    const run = foldGroup(key, open, events);
    return old === undefined ? run : { ...run, rows: keepRows(old.rows, run.rows) };
  });
}

function isOf(run: Run, events: readonly LoggedEvent[]): boolean {
  return run.first === events[0]?.seq && run.last === events.at(-1)?.seq && run.count === events.length;
}

function foldGroup(key: string, open: readonly LoggedEvent[], events: readonly LoggedEvent[]): Run {
  const [first] = events;
  if (first === undefined) throw new Error("a run without events");
  return foldRun(emptyRun(key, first), events, open);
}
