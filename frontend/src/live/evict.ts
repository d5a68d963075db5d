import type { EventPage, LoggedEvent } from "../wire/types";
import type { ChatLog } from "./chat-log";

/** A client holds at most this many events. */
export const mostEvents = 3000;

/** Which end of the log the reader is near; the other one is let go. */
export type Near = "end" | "start";

/** Of a page that comes to what is read, at most so large a share of that is taken. */
const pageShare = 0.5;
/** What is left of a run that is too long by itself: it is folded anew then, which is not to happen often. */
const runLeft = 0.75;
/**
 * A page that came at one end of what is held, without what goes beyond the share that is taken in at
 * once: that lies at the far side of it, and is asked for again. So what is read stays held.
 */
export function trimPage(page: EventPage, end: Near, most: number, after = 0): EventPage {
  const share = Math.floor(most * pageShare);
  const { epoch, events, hasMore, open } = page;
  if (end === "start") {
    const kept = evict({ epoch, events, hasMore, open, detached: false }, "end", share);
    return { epoch, events: [...kept.events], hasMore: kept.hasMore, open: [...kept.open] };
  }
  const from = events.findIndex((event) => event.seq > after);
  return from < 0 ? page : { ...page, events: events.slice(0, from + Math.max(1, share)) };
}

/**
 * Lets go of what lies at the far end of a log that has grown beyond `most`, but never of the `least`
 * events at the near end: whole runs, or where a run is too long for that, a part of it. Its end may
 * be cut anywhere, since it is read on from there; its beginning where an item begins, and the starts
 * that the rest needs stay in `open`.
 */
export function evict(log: ChatLog, near: Near, most = mostEvents, least = 0): ChatLog {
  const { length } = log.events;
  const limit = Math.max(most, least);
  if (length <= limit) return log;
  if (near === "start") {
    const border = runBorder(log.events, limit, -1);
    const end = border >= Math.max(least, 1) ? border : limit;
    return { ...log, events: log.events.slice(0, end), detached: true };
  }
  const border = runBorder(log.events, length - limit, 1);
  const left = Math.max(least, Math.floor(most * runLeft));
  const cut = length - border >= left ? border : itemBorder(log.events, length - left);
  if (cut >= length) return log;
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

/**
 * What of the run that is cut the rest still belongs to: calls that go on, and what shows until it is
 * done: the list of what is to do, and what a person has yet to answer.
 */
function openAt(log: ChatLog, cut: number): readonly LoggedEvent[] {
  const run = log.events[cut]?.run;
  const needed = new Set<string>();
  for (const event of log.events.slice(cut)) {
    if ("toolId" in event && event.toolId !== undefined) needed.add(event.toolId);
    if ("parentToolId" in event && event.parentToolId !== undefined) needed.add(event.parentToolId);
  }
  const gone = [...log.open, ...log.events.slice(0, cut)].filter((event) => event.run === run);
  const answered = new Set(gone.flatMap(answeredBy));
  const list = gone.findLast((event) => event.type === "todo" && event.parentToolId === undefined);
  return gone.filter((event) => {
    switch (event.type) {
      case "tool_use_start":
        return needed.has(event.toolId);
      case "approval":
        return !answered.has(event.approvalId);
      case "question":
        return !answered.has(event.questionId);
      default:
        return event === list;
    }
  });
}

function answeredBy(event: LoggedEvent): readonly string[] {
  if (event.type === "approval_answered") return [event.approvalId];
  return event.type === "question_answered" ? [event.questionId] : [];
}
