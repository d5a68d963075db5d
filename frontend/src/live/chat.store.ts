import { createStore, type StoreApi } from "zustand/vanilla";
import { encodeCommand, formatPosition } from "../wire/codec";
import type {
  Answer,
  Command,
  Fault,
  PingFrame,
  PongFrame,
  PromptCommand,
  PromptResult,
  Selection,
  ServerMessage,
} from "../wire/types";
import { foldMessages } from "./chat.fold";
import { type ChatState, initialState } from "./chat.state";
import { resetLog } from "./chat-log";
import { decode } from "./decode";
import { mostEvents, type Near } from "./evict";
import { nextFrame, type Schedule } from "./frames";
import { Link, type LinkState } from "./link";
import { newClientId, type Outgoing, type OutboxStorage, promptOf } from "./outbox";
import { type LoadPage, Pages } from "./pages";
import { unsent } from "./queue";
import { QueueDesk } from "./queue.desk";

/** The calls of the server that a chat needs. */
type ChatServer = {
  readonly socket: (since: string | null) => string;
  readonly page: LoadPage;
  readonly prompt: (body: PromptCommand) => Promise<PromptResult | Fault>;
  /** Goes on with a run that broke off: at once, or when the vendor's limit is over. */
  readonly goOn: (when?: "reset") => Promise<PromptResult | Fault>;
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
/** That somebody is writing is said once in so long. */
const typingEvery = 3_000;
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
  #visits = 0;
  readonly #pages: Pages;
  #typed = -Infinity;
  /** Changes of the prompts that wait at the server. */
  readonly queue: QueueDesk;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#schedule = options.schedule ?? nextFrame;
    this.#pages = new Pages(options.server.page, this.store, () => ({ near: this.#near, most: this.#most }));
    this.queue = new QueueDesk({
      state: () => this.#state.queue,
      set: (queue) => this.#set({ queue }),
      send: (command) => this.#command(command),
    });
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
  send(
    text: string,
    selection: Selection,
    more: Pick<Outgoing, "whenBusy" | "attachments" | "skills"> = {},
  ): void {
    const item = { clientId: newClientId(), text, selection, at: Date.now(), command: "", ...more };
    this.#set({ outbox: [...this.#state.outbox, item], refusal: null });
    this.#deliver();
  }

  /** Says that the person is writing; heard by the others, and by nobody while there is no line. */
  typing(): void {
    const now = Date.now();
    if (now - this.#typed < typingEvery) return;
    if (this.#command({ type: "typing" }) !== "") this.#typed = now;
  }

  /** Takes back a prompt that waits for a line, and returns it; null when it is on its way already. */
  withdraw(clientId: string): Outgoing | null {
    const item = this.#state.outbox.find((o) => o.clientId === clientId);
    if (item === undefined || item.command !== "") return null;
    this.#set({ outbox: this.#state.outbox.filter((o) => o !== item) });
    return item;
  }

  forgetRefusal(): void {
    if (this.#state.refusal !== null) this.#set({ refusal: null });
  }

  /** Asks the server to stop the run. Nothing is asked while there is no line. */
  cancel(): void {
    const { sync } = this.#state;
    const command = this.#command({ type: "cancel", ...(sync?.run === undefined ? {} : { run: sync.run }) });
    if (command !== "") this.#set({ stop: { command } });
  }

  /** Goes on with the last run, which broke off. What came of it shows in the log. */
  async goOn(when?: "reset"): Promise<void> {
    const { goingOn } = this.#state;
    if (goingOn !== null && goingOn.fault === undefined) return;
    this.#set({ goingOn: {} });
    let answer: PromptResult | Fault;
    try {
      answer = await this.#options.server.goOn(when);
    } catch {
      answer = { code: "unavailable", message: "" };
    }
    this.#set({ goingOn: "code" in answer ? { fault: answer } : null });
  }

  /** Answers what the agent asks; false when there is no line, and then nothing was sent. */
  answer(body: Answer, words = body.text ?? ""): boolean {
    const command = this.#command({ type: "answer", ...body });
    if (command === "") return false;
    const request = body.approvalId ?? body.questionId ?? "";
    this.#set({ answers: new Map([[request, { command, answer: body, words, at: Date.now() }]]) });
    return true;
  }

  /** Takes down the word that an answer had no effect. */
  forgetAnswers(): void {
    this.#set({ answers: new Map() });
  }

  /** Loads the page before the first event held. */
  loadOlder(): Promise<void> {
    return this.#pages.older();
  }

  /** Says which end of the log the reader is near: the other one is let go first. */
  reading(near: Near): void {
    this.#near = near;
  }

  /** Comes back to the end of a log that was let go there: page by page, or at once. */
  attach(how: "onward" | "latest"): void {
    const { log, cursor } = this.#state;
    if (!log.detached) return;
    this.#near = "end";
    if (how === "onward") {
      void this.#pages.newer();
      return;
    }
    const next = resetLog(0);
    this.#set({ log: next, unseen: 0, cursor: { ...cursor, heard: 0, target: null, paging: true } });
    this.#link.reconnect();
  }

  /** Asks to show an event, also one that is not held: the page around it is loaded then. */
  visit(seq: number, how: "mark" | "focus" = "mark"): void {
    this.#visits += 1;
    this.#set({ visit: { seq, state: "waiting", times: this.#visits, how } });
    void this.#pages.visit();
  }

  /** Forgets the event that was asked for. */
  leave(): void {
    if (this.#state.visit !== null) this.#set({ visit: null });
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
      outbox: outbox.map((o) => ({ ...o, command: "", queued: false })),
      queue: unsent(this.#state.queue),
      inputs: new Map(),
      stop: null,
      answers: new Map(),
      replay: null,
      typing: [],
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
    this.#set({ ...state, ahead: aheadOf(state.ahead, messages) });
    for (const n of pongs) this.#link.send(encodeCommand({ type: "pong", n }));
    if (resume) {
      this.#link.reconnect();
      return;
    }
    this.#caughtUp();
    this.#deliver();
    this.queue.deliver();
    if (state.visit?.state === "waiting") void this.#pages.visit();
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
      const command: PromptCommand = { id: this.#nextId(), ...promptOf(item) };
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

  /** Sends a command and returns its id; empty when there is no line, and then nothing was sent. */
  #command(body: Exclude<Command, PingFrame | PongFrame>): string {
    const id = this.#nextId();
    return this.#link.send(encodeCommand({ ...body, id })) ? id : "";
  }

  #nextId(): string {
    this.#commands += 1;
    return String(this.#commands);
  }
}

/** What arrives live was written just now, so the least difference is that of the two clocks. */
function aheadOf(ahead: number | null, messages: readonly ServerMessage[]): number | null {
  const last = messages.findLast((m) => "seq" in m);
  if (last === undefined || !("seq" in last)) return ahead;
  const found = Date.now() - Date.parse(last.t);
  return Number.isNaN(found) ? ahead : Math.min(ahead ?? found, found);
}
