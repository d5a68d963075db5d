import { createStore, type StoreApi } from "zustand/vanilla";
import { encodeCommand, formatPosition } from "../wire/codec";
import type {
  Answer,
  EventPage,
  Fault,
  PromptCommand,
  PromptResult,
  Selection,
  ServerMessage,
} from "../wire/types";
import { foldMessages } from "./chat.fold";
import { type ChatState, initialState } from "./chat.state";
import { firstSeq, lastSeq, prependPage, resetLog } from "./chat-log";
import { decode } from "./decode";
import { evict, mostEvents, type Near } from "./evict";
import { nextFrame, type Schedule } from "./frames";
import { Link, type LinkState } from "./link";
import { newClientId, type Outgoing, type OutboxStorage } from "./outbox";
import { foldThread } from "./thread";

/** The calls of the server that a chat needs. */
type ChatServer = {
  readonly socket: (since: string | null) => string;
  readonly page: (before: string) => Promise<EventPage | "stale">;
  readonly prompt: (body: PromptCommand) => Promise<PromptResult | Fault>;
  /** Called when the socket was not let in: the owner finds out why, and may call `end`. */
  readonly refused: () => void;
};

export type ChatOptions = {
  readonly server: ChatServer;
  readonly storage: OutboxStorage;
  readonly schedule?: Schedule;
  readonly connect?: (url: string) => WebSocket;
  /** How many events are held at most. */
  readonly most?: number;
};

/** A longer prompt goes by POST. */
const socketText = 48 * 1024;
/** A short outage that replays fewer events than this is not worth a word. */
const worthSaying = 50;
const sayFor = 2_000;

/**
 * One chat, followed: its log as far as it is held, what is passing, and what this browser has yet to
 * send. It owns one socket from `open` to `close`. What arrives is folded once a frame.
 */
export class ChatStore {
  readonly store: StoreApi<ChatState> = createStore<ChatState>(() => initialState);
  readonly #options: ChatOptions;
  readonly #link: Link;
  readonly #schedule: Schedule;
  #arrived: ServerMessage[] = [];
  #scheduled = false;
  #unschedule: () => void = () => undefined;
  #near: Near = "end";
  #sayTimer: ReturnType<typeof setTimeout> | undefined;
  #commands = 0;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#schedule = options.schedule ?? nextFrame;
    this.#link = new Link({
      url: () => options.server.socket(this.#since()),
      onMessage: (text) => this.#receive(text),
      onState: (link) => this.#linkChanged(link),
      onRefused: options.server.refused,
      ...(options.connect === undefined ? {} : { connect: options.connect }),
    });
  }

  open(): void {
    this.#set({ outbox: this.#options.storage.load() });
    this.#link.start();
  }

  close(): void {
    this.#unschedule();
    this.#scheduled = false;
    clearTimeout(this.#sayTimer);
    this.#link.close();
  }

  /** Says that the server will not have this client back. */
  end(code: number): void {
    this.#link.end(code);
  }

  tryNow(): void {
    this.#link.tryNow();
  }

  /** Checks a line that may have died while the machine slept. */
  wake(): void {
    this.#link.wake();
  }

  /** Sends a prompt, now or as soon as there is a line. */
  send(text: string, selection: Selection): void {
    const item: Outgoing = { clientId: newClientId(), text, selection, at: Date.now(), command: "" };
    this.#set({ outbox: [...this.#state.outbox, item], refusal: null });
    this.#deliver();
  }

  /** Takes back a prompt that waits for a line, and returns its text. */
  withdraw(clientId: string): string {
    const item = this.#state.outbox.find((o) => o.clientId === clientId);
    if (item === undefined || item.command !== "") return "";
    this.#set({ outbox: this.#state.outbox.filter((o) => o !== item) });
    return item.text;
  }

  forgetRefusal(): void {
    if (this.#state.refusal !== null) this.#set({ refusal: null });
  }

  /** Asks the server to stop the run. Nothing is asked while there is no line. */
  cancel(): void {
    const { sync } = this.#state;
    const command = this.#nextId();
    const sent = this.#link.send(
      encodeCommand({ type: "cancel", id: command, ...(sync?.run === undefined ? {} : { run: sync.run }) }),
    );
    if (sent) this.#set({ stop: { command } });
  }

  /** Answers what the agent asks; false when there is no line, and then nothing was sent. */
  answer(body: Answer): boolean {
    const command = this.#nextId();
    if (!this.#link.send(encodeCommand({ type: "answer", id: command, ...body }))) return false;
    const request = body.approvalId ?? body.questionId ?? "";
    this.#set({ answers: new Map([[request, { command }]]) });
    return true;
  }

  /** Takes down the word that an answer had no effect. */
  forgetAnswers(): void {
    this.#set({ answers: new Map() });
  }

  /** Loads the page before the first event held. */
  async loadOlder(): Promise<void> {
    const { log, older } = this.#state;
    if (older === "loading" || !log.hasMore || log.epoch === 0) return;
    const before = firstSeq(log);
    this.#set({ older: "loading" });
    let page: EventPage | "stale";
    try {
      page = await this.#options.server.page(formatPosition({ epoch: log.epoch, seq: before }));
    } catch {
      this.#set({ older: "failed" });
      return;
    }
    const { log: now, thread } = this.#state;
    // A page of a log that has changed is dropped: the socket tells of the change by itself.
    const next = page === "stale" ? null : prependPage(now, before, page);
    if (next === null) {
      this.#set({ older: "idle" });
      return;
    }
    const kept = evict(next, this.#near, this.#most);
    this.#set({ older: "idle", log: kept, thread: foldThread(kept, thread) });
  }

  /** Says which end of the log the reader is near: the other one is let go first. */
  reading(near: Near): void {
    this.#near = near;
  }

  /** Comes back to the end of a log that was let go there: event by event, or at once. */
  attach(how: "onward" | "latest"): void {
    const { log, cursor } = this.#state;
    if (!log.detached) return;
    this.#near = "end";
    const next = how === "latest" ? resetLog(0) : { ...log, detached: false };
    this.#set({ log: next, unseen: 0, cursor: { ...cursor, heard: lastSeq(next), target: null } });
    this.#link.reconnect();
  }

  get #state(): ChatState {
    return this.store.getState();
  }

  get #most(): number {
    return this.#options.most ?? mostEvents;
  }

  #set(part: Partial<ChatState>): void {
    const { outbox } = this.#state;
    this.store.setState(part);
    if (part.outbox !== undefined && part.outbox !== outbox) this.#options.storage.save(part.outbox);
  }

  #since(): string | null {
    const { log, cursor } = this.#state;
    return log.epoch === 0 || cursor.heard === 0
      ? null
      : formatPosition({ epoch: log.epoch, seq: cursor.heard });
  }

  #linkChanged(link: LinkState): void {
    const { cursor, outbox } = this.#state;
    if (link.kind === "open" || link.kind === "connecting") {
      this.#set({ link, cursor: { ...cursor, target: null } });
      return;
    }
    const lostAt = link.kind === "lost" ? link.since : cursor.lostAt;
    this.#set({
      link,
      cursor: { ...cursor, lostAt, target: null },
      outbox: outbox.map((o) => ({ ...o, command: "" })),
      inputs: new Map(),
      stop: null,
      answers: new Map(),
      replay: null,
    });
  }

  #receive(text: string): void {
    this.#arrived.push(...decode(text));
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#unschedule = this.#schedule(() => this.#fold());
  }

  #fold(): void {
    this.#scheduled = false;
    const messages = this.#arrived;
    this.#arrived = [];
    const { state, resume, pongs } = foldMessages(this.#state, messages, {
      near: this.#near,
      most: this.#most,
    });
    this.#set(state);
    for (const n of pongs) this.#link.send(encodeCommand({ type: "pong", n }));
    if (resume) {
      this.#link.reconnect();
      return;
    }
    this.#caughtUp();
    this.#deliver();
  }

  /** When what was missed has come, says so for a moment if it was much or took long. */
  #caughtUp(): void {
    const { cursor, replay } = this.#state;
    if (cursor.lostAt === 0 || cursor.target === null || cursor.heard < cursor.target) return;
    const worth = replay !== null && (replay.total >= worthSaying || Date.now() - cursor.lostAt > sayFor);
    this.#set({ cursor: { ...cursor, lostAt: 0 }, ...(worth ? {} : { replay: null }) });
    clearTimeout(this.#sayTimer);
    if (worth) this.#sayTimer = setTimeout(() => this.#set({ replay: null }), sayFor);
  }

  /** Sends what waits, in its order, once the server has greeted. */
  #deliver(): void {
    if (this.#state.cursor.target === null) return;
    for (const item of this.#state.outbox) {
      if (item.command !== "") continue;
      const command: PromptCommand = {
        type: "prompt",
        id: this.#nextId(),
        clientId: item.clientId,
        text: item.text,
        whenBusy: "reject",
        ...item.selection,
      };
      if (item.text.length > socketText) void this.#post(command);
      else if (!this.#link.send(encodeCommand(command))) return;
      const id = command.id ?? "";
      this.#set({ outbox: this.#state.outbox.map((o) => (o === item ? { ...o, command: id } : o)) });
    }
  }

  async #post(command: PromptCommand): Promise<void> {
    let answer: PromptResult | Fault;
    try {
      answer = await this.#options.server.prompt(command);
    } catch {
      answer = { code: "unavailable", message: "" };
    }
    if (!("code" in answer)) return;
    const ack = { type: "ack", id: command.id ?? "", ok: false, error: answer } as const;
    this.#set(foldMessages(this.#state, [ack], { near: this.#near, most: this.#most }).state);
  }

  #nextId(): string {
    this.#commands += 1;
    return String(this.#commands);
  }
}
