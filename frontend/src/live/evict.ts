import type { LoggedEvent } from "../wire/types";
import type { ChatLog } from "./chat-log";

/** A client holds at most this many events. */
export const mostEvents = 3000;

/** Which end of the log the reader is near; the other one is let go. */
export type Near = "end" | "start";

/** What is left of a run that is too long by itself: it is folded anew then, which is not to happen often. */
const runLeft = 0.75;

/**
 * Lets go of whole runs at the far end of a log that has grown beyond `most`. Where a single run is
 * longer than that, a part of it goes: at its end anywhere, since it is read on from there; at its
 * beginning where an item begins, and the starts that the rest needs stay in `open`.
 */
export function evict(log: ChatLog, near: Near, most = mostEvents): ChatLog {
  if (log.events.length <= most) return log;
  if (near === "start") {
    const border = runBorder(log.events, most, -1);
    const end = border > 0 ? border : most;
    return { ...log, events: log.events.slice(0, end), detached: true };
  }
  const { length } = log.events;
  const whole = runBorder(log.events, length - most, 1);
  const cut = whole < length ? whole : itemBorder(log.events, length - Math.floor(most * runLeft));
  if (cut >= log.events.length) return log;
  return { ...log, events: log.events.slice(cut), hasMore: true, open: openAt(log, cut) };
}

/** The index nearest to `from`, in the direction of `step`, at which a run begins. */
function runBorder(events: readonly LoggedEvent[], from: number, step: 1 | -1): number {
  let at = from;
  while (at > 0 && at < events.length && events[at]?.type !== "user") at += step;
  return at;
}

function itemBorder(events: readonly LoggedEvent[], from: number): number {
  const seen = new Set<string>();
  for (const event of events.slice(0, from)) {
    if ("item" in event) seen.add(event.item);
  }
  let at = from;
  for (let event = events[at]; event !== undefined; event = events[at]) {
    const continues = ("item" in event && seen.has(event.item)) || event.type === "tool_output";
    if (!continues) break;
    at += 1;
  }
  return at;
}

/** The starts among what is let go that what is kept still belongs to. */
function openAt(log: ChatLog, cut: number): readonly LoggedEvent[] {
  const needed = new Set<string>();
  for (const event of log.events.slice(cut)) {
    if ("toolId" in event && event.toolId !== undefined) needed.add(event.toolId);
    if ("parentToolId" in event && event.parentToolId !== undefined) needed.add(event.parentToolId);
  }
  const starts = [...log.open, ...log.events.slice(0, cut)];
  return starts.filter((event) => event.type === "tool_use_start" && needed.has(event.toolId));
}
