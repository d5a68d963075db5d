import { createStore, type StoreApi } from "zustand/vanilla";
import type { ChatSummary, SavedDraft, ServerMessage } from "../wire/types";
import { decode } from "./decode";
import { nextFrame, type Schedule } from "./frames";
import { Link, type LinkState } from "./link";

export type WorkspaceState = {
  readonly link: LinkState;
  /** The list has arrived at least once. */
  readonly loaded: boolean;
  readonly chats: ReadonlyMap<string, ChatSummary>;
  /** What the person wrote in another browser and has not sent, by chat; the latest that was heard of. */
  readonly drafts: ReadonlyMap<string, SavedDraft>;
};

export type WorkspaceOptions = {
  readonly url: () => string;
  /** The whole list: what the socket does not say is which chats went while the line was lost. */
  readonly list: () => Promise<readonly ChatSummary[]>;
  readonly refused: () => void;
  readonly schedule?: Schedule;
  readonly connect?: (url: string) => WebSocket;
};

/** The list of chats, live. It owns one socket from `open` to `close`. */
export class WorkspaceStore {
  readonly store: StoreApi<WorkspaceState> = createStore<WorkspaceState>(() => ({
    link: { kind: "connecting" },
    loaded: false,
    chats: new Map(),
    drafts: new Map(),
  }));
  readonly #options: WorkspaceOptions;
  readonly #link: Link;
  readonly #schedule: Schedule;
  #arrived: ServerMessage[] = [];
  #scheduled = false;
  #unschedule: () => void = () => undefined;
  /** Chats told of since the line was last opened, by the socket or here: a list on its way may not know them. */
  #told = new Set<string>();

  constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.#schedule = options.schedule ?? nextFrame;
    this.#link = new Link({
      url: options.url,
      onOpen: () => void this.#refresh(),
      onMessage: (text) => {
        this.#arrived.push(...decode(text));
        if (this.#scheduled) return;
        this.#scheduled = true;
        this.#unschedule = this.#schedule(() => this.#fold());
      },
      onState: (link) => this.store.setState({ link }),
      onRefused: options.refused,
      ...(options.connect === undefined ? {} : { connect: options.connect }),
    });
  }

  open(): void {
    this.#link.start();
  }

  close(): void {
    this.#unschedule();
    this.#scheduled = false;
    this.#link.close();
  }

  end(code: number): void {
    this.#link.end(code);
  }

  tryNow(): void {
    this.#link.tryNow();
  }

  wake(): void {
    this.#link.wake();
  }

  /** Takes in a chat that was learned of otherwise: made here, or opened by its address. */
  put(chat: ChatSummary): void {
    this.#told.add(chat.id);
    this.store.setState({ chats: new Map(this.store.getState().chats).set(chat.id, chat) });
  }

  /** Takes out a chat that was put into the trash here: the socket says so a moment later. */
  drop(id: string): void {
    this.#told.add(id);
    const chats = new Map(this.store.getState().chats);
    chats.delete(id);
    this.store.setState({ chats });
  }

  async #refresh(): Promise<void> {
    this.#told = new Set();
    const told = this.#told;
    let list: readonly ChatSummary[];
    try {
      list = await this.#options.list();
    } catch {
      // The socket brings the list too; only chats that are gone stay until the next time.
      return;
    }
    if (told !== this.#told) return;
    const { chats } = this.store.getState();
    // What was told since is newer than the list.
    const next = new Map(list.filter((chat) => !told.has(chat.id)).map((chat) => [chat.id, chat]));
    for (const id of told) {
      const chat = chats.get(id);
      if (chat !== undefined) next.set(id, chat);
    }
    this.store.setState({ chats: next, loaded: true });
  }

  #fold(): void {
    this.#scheduled = false;
    const messages = this.#arrived;
    this.#arrived = [];
    const chats = new Map(this.store.getState().chats);
    let { drafts } = this.store.getState();
    for (const message of messages) {
      if (message.type === "chat") {
        this.#told.add(message.chat.id);
        chats.set(message.chat.id, message.chat);
      } else if (message.type === "chat_removed") {
        this.#told.add(message.id);
        chats.delete(message.id);
      } else if (message.type === "draft") {
        drafts = new Map(drafts).set(message.chat, message.draft);
      } else if (message.type === "ping") {
        this.#link.send(JSON.stringify({ type: "pong", n: message.n }));
      }
    }
    this.store.setState({ chats, drafts });
  }
}
