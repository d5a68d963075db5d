import type { ConnectedFrame, EventPage, Frame, LoggedEvent, ServerMessage } from "../wire/types";
import { foldAck, foldQueueFrame, taken } from "./acks.fold";
import type { ChatState } from "./chat.state";
import { appendPage, applyEvent, applyEvents, type ChatLog, lastSeq, resetLog } from "./chat-log";
import { evict, type Near, trimPage } from "./evict";
import { extendThread, foldThread } from "./thread";

export type Folded = {
  readonly state: ChatState;
  /** Something is missing: connect again from the last event held. */
  readonly resume: boolean;
  readonly pongs: readonly number[];
};

/** What the fold is to know beside the state: which end is near, and how much may be held. */
export type Bounds = { readonly near: Near; readonly most: number };

/** Folds messages of the socket in their order. Pure: what is to be done comes back as words. */
export function foldMessages(state: ChatState, messages: readonly ServerMessage[], bounds: Bounds): Folded {
  let resume = false;
  const pongs: number[] = [];
  let at = 0;
  while (at < messages.length && !resume) {
    const events: LoggedEvent[] = [];
    for (let m = messages[at]; m !== undefined && "seq" in m; m = messages[at]) {
      events.push(m);
      at += 1;
    }
    if (events.length > 0) {
      const folded = foldEvents(state, events, bounds);
      state = folded.state;
      resume = folded.resume;
      continue;
    }
    const frame = messages[at];
    at += 1;
    if (frame === undefined || "seq" in frame) continue;
    if (frame.type === "ping") pongs.push(frame.n);
    else state = foldFrame(state, frame);
  }
  return { state: withReplay(state), resume, pongs };
}

type EventsFolded = { readonly state: ChatState; readonly resume: boolean };

function foldEvents(state: ChatState, events: readonly LoggedEvent[], bounds: Bounds): EventsFolded {
  if (state.log.detached) return { state: events.reduce(foldUnheld, state), resume: false };
  const { log, added, cut, gap } = applyEvents(state.log, events);
  const next = holding(settle(state, added), log, cut ? null : added, bounds);
  if (!gap) return { state: next, resume: false };
  const at = lastSeq(log);
  if (next.cursor.gapAt !== at) {
    return { state: { ...next, cursor: { ...next.cursor, gapAt: at } }, resume: true };
  }
  // The server was asked and has nothing there: what follows is shown rather than nothing.
  const rest = events.filter((e) => e.seq > at);
  return {
    state: holding(settle(next, rest), { ...log, events: [...log.events, ...rest] }, null, bounds),
    resume: false,
  };
}

/** The state with another log; `added` is what it was extended by, null when it changed otherwise. */
function holding(
  state: ChatState,
  log: ChatLog,
  added: readonly LoggedEvent[] | null,
  bounds: Bounds,
): ChatState {
  // A reader far up keeps all that is held: what has come last is what goes.
  const least = bounds.near === "start" ? state.log.events.length : 0;
  const kept = evict(log, bounds.near, bounds.most, least);
  const { paging, target } = state.cursor;
  const heard = lastSeq(log);
  // What has come of a page is its oldest part, which nobody is to look at.
  if (paging && target !== null && heard < target)
    return { ...state, log: kept, cursor: { ...state.cursor, heard } };
  const extended = !paging && added !== null && kept === log && state.log.events.length > 0;
  const thread = extended ? extendThread(state.thread, added) : foldThread(kept, state.thread);
  return { ...state, log: kept, thread, loaded: true, cursor: { ...state.cursor, heard, paging: false } };
}

/** An event that is not held, since the reader is far up in the log. */
function foldUnheld(state: ChatState, event: LoggedEvent): ChatState {
  if (event.seq <= state.cursor.heard) return state;
  const heard: ChatState = { ...settle(state, [event]), cursor: { ...state.cursor, heard: event.seq } };
  if (event.type === "epoch") {
    if (event.keep > lastSeq(heard.log)) return { ...heard, log: { ...heard.log, epoch: event.epoch } };
    const step = applyEvent(heard.log, event);
    if (step.kind !== "applied") return heard;
    const log = { ...step.log, detached: false };
    return { ...heard, log, thread: foldThread(log, heard.thread), unseen: 0 };
  }
  const counts = event.type === "user" || event.type === "complete";
  return counts ? { ...heard, unseen: heard.unseen + 1 } : heard;
}

/** Holds a page instead of what was held; null when it is of another epoch. */
export function foldPage(state: ChatState, page: EventPage): ChatState | null {
  if (page.epoch !== state.log.epoch || page.events.length === 0) return null;
  const { events, hasMore, open } = page;
  return holdingPage(state, { epoch: page.epoch, events, hasMore, open, detached: true });
}

/** Takes a newer page in behind what is held; "apart" and null as `appendPage` says. */
export function foldNewer(
  state: ChatState,
  after: number,
  page: EventPage,
  bounds: Bounds,
): ChatState | "apart" | null {
  const { near, most } = bounds;
  const log = appendPage(state.log, after, trimPage(page, "end", most, after));
  if (log === null || log === "apart") return log;
  return holdingPage(state, evict(log, near, most));
}

/** The state with a log that a page has changed at its end: it is attached when nothing is missing there. */
function holdingPage(state: ChatState, log: ChatLog): ChatState {
  const { heard } = state.cursor;
  const last = lastSeq(log);
  const detached = last < heard;
  // A page may bring what the socket has yet to tell, which is then taken for seen.
  const next = settle(
    state,
    log.events.filter((e) => e.seq > heard),
  );
  const held = { ...log, detached };
  return {
    ...next,
    log: held,
    thread: foldThread(held, state.thread),
    unseen: detached ? state.unseen : 0,
    cursor: { ...state.cursor, heard: Math.max(heard, last), paging: false },
  };
}

/** Ends what the events end: prompts that the log now has, inputs that are complete, a stop. */
function settle(state: ChatState, events: readonly LoggedEvent[]): ChatState {
  let { outbox, inputs, stop, answers, said } = state;
  for (const event of events) {
    if (event.type === "user") {
      if (outbox.some((o) => o.clientId === event.clientId))
        outbox = outbox.filter((o) => o.clientId !== event.clientId);
      if (answers.size > 0) answers = new Map();
    } else if (event.type === "tool_use_start" && inputs.has(event.toolId)) {
      inputs = new Map([...inputs].filter(([id]) => id !== event.toolId));
    } else if (event.type === "approval_answered" || event.type === "question_answered") {
      // Where another was first, the answer to the command says so.
      const id = event.type === "approval_answered" ? event.approvalId : event.questionId;
      if (answers.has(id) && event.by?.id === state.me?.id) {
        const next = taken({ ...state, answers, said }, id);
        ({ answers, said } = next);
      }
    } else if (event.type === "complete") {
      inputs = new Map();
      stop = null;
    }
  }
  return { ...state, outbox, inputs, stop, answers, said };
}

function foldFrame(state: ChatState, frame: Exclude<Frame, { type: "ping" }>): ChatState {
  switch (frame.type) {
    case "connected":
      return foldConnected(state, frame);
    case "reset": {
      const cursor = { ...state.cursor, heard: 0, gapAt: -1, paging: true };
      return { ...state, log: resetLog(frame.epoch), cursor, unseen: 0, replay: null };
    }
    case "open":
      // It goes before the page that it belongs to.
      return state.log.events.length > 0 ? state : { ...state, log: { ...state.log, open: frame.events } };
    case "sync":
      return { ...state, sync: frame, ...(frame.running ? {} : { inputs: new Map(), stop: null }) };
    case "presence":
      return { ...state, people: frame.people };
    case "typing":
      return { ...state, typing: frame.people };
    case "tool_use_input":
      return { ...state, inputs: new Map(state.inputs).set(frame.toolId, frame) };
    case "usage":
      return { ...state, usage: frame };
    case "queue":
      return foldQueueFrame(state, frame);
    case "ack":
      return foldAck(state, frame);
    case "pong":
    case "chat":
    case "chat_removed":
      return state;
    default:
      // A frame of a type that this version does not know means nothing to it.
      return state;
  }
}

function foldConnected(state: ChatState, frame: ConnectedFrame): ChatState {
  const { log, cursor } = state;
  const empty = frame.lastSeq === 0;
  // With events held, another epoch is told by the reset that follows.
  const epoch = log.events.length === 0 || empty ? frame.epoch : log.epoch;
  const missed = cursor.lostAt > 0 && log.epoch === frame.epoch ? frame.lastSeq - cursor.heard : 0;
  return {
    ...state,
    me: frame.person,
    version: frame.version,
    log: empty ? resetLog(epoch) : { ...log, epoch },
    thread: empty ? [] : state.thread,
    loaded: state.loaded || empty,
    cursor: { ...cursor, target: frame.lastSeq, paging: cursor.paging && !empty },
    replay: missed > 0 ? { total: missed, done: 0 } : null,
  };
}

function withReplay(state: ChatState): ChatState {
  const { replay, cursor } = state;
  if (replay === null || cursor.target === null || replay.done === replay.total) return state;
  const done = replay.total - Math.max(0, cursor.target - cursor.heard);
  return done === replay.done ? state : { ...state, replay: { ...replay, done } };
}
