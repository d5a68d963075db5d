import type { Answer, Fault, Person, RunUsageFrame, SyncFrame, ToolUseInputFrame } from "../wire/types";
import { type ChatLog, emptyLog } from "./chat-log";
import type { LinkState } from "./link";
import type { Outgoing, Refusal } from "./outbox";
import { emptyQueue, type QueueState } from "./queue";
import type { Thread } from "./thread";

/** How much of what was missed has come since the line was back. */
type Replay = { readonly total: number; readonly done: number };

/** Where the client stands in the log of the server. */
type Cursor = {
  /** The newest event heard of, held or not. */
  readonly heard: number;
  /** The newest event of the server when the line was last opened; null before it has told. */
  readonly target: number | null;
  /** Where the last hole was seen: one that stays is stepped over, not asked for without end. */
  readonly gapAt: number;
  /** The last page is on its way to a log that holds nothing: it is shown when it is whole. */
  readonly paging: boolean;
  /** Since when the line is lost; 0 when it is not, or what was missed has come. */
  readonly lostAt: number;
};

export type ChatState = {
  readonly link: LinkState;
  readonly cursor: Cursor;
  /** Set while missed events arrive, and a moment longer when that is worth saying. */
  readonly replay: Replay | null;
  /** The first events, or the word that there are none, have arrived. */
  readonly loaded: boolean;
  readonly log: ChatLog;
  readonly thread: Thread;
  readonly sync: SyncFrame | null;
  readonly people: readonly Person[];
  readonly me: Person | null;
  /** The daemon's version. */
  readonly version: string;
  /** Inputs of tools that are being written, by tool. */
  readonly inputs: ReadonlyMap<string, ToolUseInputFrame>;
  readonly outbox: readonly Outgoing[];
  readonly refusal: Refusal | null;
  readonly older: "idle" | "loading" | "failed";
  /** The event that was asked to be shown, by an address, a match or a station. */
  readonly visit: Visit | null;
  /** Who else is writing a prompt. */
  readonly typing: readonly Person[];
  /** Prompts and ends of runs that came while the log was detached. */
  readonly unseen: number;
  /** The command that asks to stop, until it is answered or the run ends. */
  readonly stop: { readonly command: string; readonly fault?: Fault } | null;
  /** Answers of this browser that are on their way or had no effect, by what they answer. */
  readonly answers: ReadonlyMap<string, Answering>;
  /** What was last said with an answer that counted. */
  readonly said: { readonly command: string; readonly text: string } | null;
  /** Prompts that wait at the server for the run to end. */
  readonly queue: QueueState;
  /** How far this browser's clock is ahead of the server's, in milliseconds; null before it is known. */
  readonly ahead: number | null;
  /** What the run has used so far, where its agent tells. */
  readonly usage: RunUsageFrame | null;
  /** The wish to go on with a run that broke off. */
  readonly goingOn: { readonly fault?: Fault } | null;
};

/**
 * An event that is to be shown, and whether it is held. `gone` means that the chat has no such event
 * any more; `times` rises with every wish, also for the same event.
 */
export type Visit = {
  readonly seq: number;
  readonly state: "waiting" | "held" | "gone" | "failed";
  readonly times: number;
  /** A reader who goes by keys is to have the focus there. */
  readonly how: "mark" | "focus";
};

/** An answer that was sent, and when by the clock of this browser. A fault says why it had no effect. */
export type Answering = {
  readonly command: string;
  readonly answer: Answer;
  /** What was written with it; it is kept where it was written until the answer counts. */
  readonly words: string;
  readonly at: number;
  readonly fault?: Fault;
};

export const initialState: ChatState = {
  link: { kind: "connecting" },
  cursor: { heard: 0, target: null, gapAt: -1, paging: true, lostAt: 0 },
  replay: null,
  loaded: false,
  log: emptyLog,
  thread: [],
  sync: null,
  people: [],
  me: null,
  version: "",
  inputs: new Map(),
  outbox: [],
  refusal: null,
  older: "idle",
  visit: null,
  typing: [],
  unseen: 0,
  stop: null,
  answers: new Map(),
  said: null,
  queue: emptyQueue,
  ahead: null,
  usage: null,
  goingOn: null,
};
