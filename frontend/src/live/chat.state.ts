import type { Fault, Person, SyncFrame, ToolUseInputFrame } from "../wire/types";
import { type ChatLog, emptyLog } from "./chat-log";
import type { LinkState } from "./link";
import type { Outgoing, Refusal } from "./outbox";
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
  /** Prompts and ends of runs that came while the log was detached. */
  readonly unseen: number;
  /** The command that asks to stop, until it is answered or the run ends. */
  readonly stop: { readonly command: string; readonly fault?: Fault } | null;
  /** Answers of this browser that are on their way or had no effect, by what they answer. */
  readonly answers: ReadonlyMap<string, Answering>;
};

/** An answer that was sent. A fault says why it had no effect. */
type Answering = { readonly command: string; readonly fault?: Fault };

export const initialState: ChatState = {
  link: { kind: "connecting" },
  cursor: { heard: 0, target: null, gapAt: -1, lostAt: 0 },
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
  unseen: 0,
  stop: null,
  answers: new Map(),
};
