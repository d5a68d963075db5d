import type { LoggedEvent } from "../wire/types";
import type { ChatLog } from "./chat-log";
import type { Run } from "./rows";
import { emptyRun, foldEvent, foldOpen } from "./run";

/** A chat as it is read: its runs, oldest first. */
export type Thread = readonly Run[];

function keyOf(event: LoggedEvent): string {
  return event.run === undefined || event.run === "" ? `n:${event.seq}` : event.run;
}

/** Folds events that continue the thread. */
export function extendThread(thread: Thread, events: readonly LoggedEvent[]): Thread {
  if (events.length === 0) return thread;
  const runs = [...thread];
  for (const event of events) {
    const key = keyOf(event);
    const at = runs.findLastIndex((run) => run.key === key);
    const run = runs[at];
    if (run === undefined) runs.push(foldEvent(emptyRun(key, event), event));
    else runs[at] = foldEvent(run, event);
  }
  return runs;
}

/**
 * Folds the whole log anew. Runs that are made of the same events keep their identity, so that what
 * did not change is not drawn again.
 */
export function foldThread(log: ChatLog, before: Thread = []): Thread {
  const held = new Map(before.map((run) => [run.key, run]));
  const groups = new Map<string, LoggedEvent[]>();
  for (const event of log.events) {
    const key = keyOf(event);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
  }
  let opened = false;
  return [...groups].map(([key, events]) => {
    const first = events[0];
    const last = events.at(-1);
    const open = opened || key.startsWith("n:") ? [] : log.open.filter((event) => keyOf(event) === key);
    opened ||= open.length > 0;
    const old = held.get(key);
    if (
      open.length === 0 &&
      old !== undefined &&
      old.first === first?.seq &&
      old.last === last?.seq &&
      old.count === events.length
    ) {
      return old;
    }
    return foldGroup(key, open, events);
  });
}

function foldGroup(key: string, open: readonly LoggedEvent[], events: readonly LoggedEvent[]): Run {
  const [first] = events;
  if (first === undefined) throw new Error("a run without events");
  const started = open.reduce(foldOpen, emptyRun(key, first));
  return events.reduce(foldEvent, started);
}
