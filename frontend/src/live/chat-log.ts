import type { EventPage, LoggedEvent } from "../wire/types";

/**
 * What this client holds of a chat's log: a piece without holes, which ends with the last event of
 * the log unless `detached`. A seq is never used twice in a chat, so an event held is right for ever;
 * only which events belong to the chat can change, and an `epoch` event or a reset says so.
 */
export type ChatLog = {
  /** 0 before the server has told it. */
  readonly epoch: number;
  readonly events: readonly LoggedEvent[];
  /** The log has events before the first one held. */
  readonly hasMore: boolean;
  /** Starts of items that the first events belong to. */
  readonly open: readonly LoggedEvent[];
  /** The newest events were let go while the reader was far up; live ones are counted only. */
  readonly detached: boolean;
};

export const emptyLog: ChatLog = { epoch: 0, events: [], hasMore: false, open: [], detached: false };

export function firstSeq(log: ChatLog): number {
  return log.events[0]?.seq ?? 0;
}

export function lastSeq(log: ChatLog): number {
  return log.events.at(-1)?.seq ?? 0;
}

/** What became of an event that came in. */
export type Step =
  | { readonly kind: "applied"; readonly log: ChatLog; readonly cut: boolean }
  | { readonly kind: "seen" }
  /** Something is missing before it: ask the server for what follows the last one held. */
  | { readonly kind: "gap" };

/** Takes one event of the socket into the log. */
export function applyEvent(log: ChatLog, event: LoggedEvent): Step {
  const last = lastSeq(log);
  if (log.events.length > 0 && event.seq <= last) return { kind: "seen" };
  if (event.type === "epoch") {
    if (log.events.length > 0 && event.keep > last) return { kind: "gap" };
    const events = log.events.filter((e) => e.seq <= event.keep);
    const cut = events.length < log.events.length;
    // With nothing kept, what lies before the event is still there to be paged back to.
    const hasMore = events.length > 0 ? log.hasMore : event.keep > 0;
    events.push(event);
    return { kind: "applied", log: { ...log, epoch: event.epoch, events, hasMore }, cut };
  }
  if (log.events.length > 0 && event.seq !== last + 1) return { kind: "gap" };
  const hasMore = log.events.length > 0 ? log.hasMore : event.seq > 1;
  return { kind: "applied", log: { ...log, events: [...log.events, event], hasMore }, cut: false };
}

/** Takes events that come together; stops at the first that does not fit. */
export function applyEvents(
  log: ChatLog,
  events: readonly LoggedEvent[],
): {
  readonly log: ChatLog;
  readonly cut: boolean;
  readonly gap: boolean;
  readonly added: readonly LoggedEvent[];
} {
  const added: LoggedEvent[] = [];
  let cut = false;
  let start = 0;
  while (start < events.length) {
    const run = plainRun(log, events, start);
    if (run > start) {
      const piece = events.slice(start, run);
      added.push(...piece);
      log = { ...log, events: [...log.events, ...piece] };
      start = run;
      continue;
    }
    const event = events[start];
    if (event === undefined) break;
    const step = applyEvent(log, event);
    if (step.kind === "gap") return { log, cut, gap: true, added };
    if (step.kind === "applied") {
      log = step.log;
      cut ||= step.cut;
      added.push(event);
    }
    start += 1;
  }
  return { log, cut, gap: false, added };
}

/** The end of the stretch from `start` on that simply continues the log: it is appended in one copy. */
function plainRun(log: ChatLog, events: readonly LoggedEvent[], start: number): number {
  if (log.events.length === 0) return start;
  let last = lastSeq(log);
  let at = start;
  for (let event = events[at]; event !== undefined; event = events[at]) {
    if (event.type === "epoch" || event.seq !== last + 1) break;
    last = event.seq;
    at += 1;
  }
  return at;
}

/**
 * Puts an older page before the log, or returns null when the page is not of this log any more: the
 * epoch changed, or the events that it was to precede are gone.
 */
export function prependPage(log: ChatLog, before: number, page: EventPage): ChatLog | null {
  if (page.epoch !== log.epoch || firstSeq(log) !== before) return null;
  const older = page.events.filter((e) => e.seq < before);
  return { ...log, events: [...older, ...log.events], hasMore: page.hasMore, open: page.open };
}

/**
 * Puts a newer page behind a log that is detached. "apart" means that events are missing between the
 * two; null that the page is not of this log any more.
 */
export function appendPage(log: ChatLog, after: number, page: EventPage): ChatLog | "apart" | null {
  if (page.epoch !== log.epoch || lastSeq(log) !== after || !log.detached) return null;
  const newer = page.events.filter((e) => e.seq > after);
  const [first] = newer;
  if (first === undefined) return log;
  const joins = newer.length < page.events.length || first.seq === after + 1;
  return joins ? { ...log, events: [...log.events, ...newer] } : "apart";
}

/** Starts from nothing, as a reset says. */
export function resetLog(epoch: number): ChatLog {
  return { ...emptyLog, epoch };
}
