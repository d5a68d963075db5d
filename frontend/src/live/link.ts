import { backoff } from "./backoff";

/**
 * How a socket stands. `ended` is final: the server said that coming back is of no use, or the
 * socket was never let in.
 */
export type LinkState =
  | { readonly kind: "connecting" }
  | { readonly kind: "open" }
  | { readonly kind: "lost"; readonly since: number; readonly retryAt: number; readonly tries: number }
  | { readonly kind: "ended"; readonly code: number };

export type LinkOptions = {
  /** Called for each try, so that the address can name the position reached. */
  readonly url: () => string;
  readonly onOpen?: () => void;
  /** One text message: JSON texts, one a line. */
  readonly onMessage: (text: string) => void;
  readonly onState: (state: LinkState) => void;
  /**
   * Called when a try failed before the socket was open. A browser does not say why, so the owner
   * may ask the server by other means and call `end`.
   */
  readonly onRefused?: () => void;
  readonly connect?: (url: string) => WebSocket;
};

/** Close codes from here on say that coming back is of no use. */
const finalCodes = 4500;
const pingEvery = 25_000;
const silence = 60_000;
/** After a sleep the socket may be dead without a sign: it gets this long to answer. */
const wakeAnswer = 5_000;

/**
 * One socket that stays connected: it comes back with growing waits, keeps the line alive and drops
 * one that has gone silent. It knows nothing of what it carries but pings.
 */
export class Link {
  readonly #options: LinkOptions;
  #socket: WebSocket | null = null;
  #state: LinkState = { kind: "connecting" };
  #tries = 0;
  #lostAt = 0;
  #heard = 0;
  #pings = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #beat: ReturnType<typeof setInterval> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Connects, until `close`. */
  start(): void {
    this.#stopped = false;
    this.#open();
  }

  /** Leaves for good. */
  close(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#drop();
  }

  /** Says that coming back is of no use. */
  end(code: number): void {
    clearTimeout(this.#retry);
    this.#drop();
    this.#set({ kind: "ended", code });
  }

  /** Tries at once instead of waiting. */
  tryNow(): void {
    if (this.#state.kind !== "lost" || this.#stopped) return;
    clearTimeout(this.#retry);
    this.#open();
  }

  /** Drops the socket and connects anew, from the address as it is now. */
  reconnect(): void {
    if (this.#stopped || this.#state.kind === "ended") return;
    clearTimeout(this.#retry);
    this.#open();
  }

  /** Checks a line that may have died while the machine slept. */
  wake(): void {
    if (this.#state.kind === "lost") this.tryNow();
    else if (this.#state.kind === "open" && Date.now() - this.#heard > pingEvery + wakeAnswer) {
      const before = this.#heard;
      this.#ping();
      clearTimeout(this.#deadline);
      this.#deadline = setTimeout(() => {
        if (this.#heard === before) this.#lose();
      }, wakeAnswer);
    }
  }

  /** Sends a message; false when the line is not open, and then nothing was sent. */
  send(text: string): boolean {
    if (this.#state.kind !== "open" || this.#socket === null) return false;
    this.#socket.send(text);
    return true;
  }

  #open(): void {
    this.#drop();
    if (this.#state.kind !== "lost") this.#set({ kind: "connecting" });
    const connect = this.#options.connect ?? ((url: string) => new WebSocket(url));
    const socket = connect(this.#options.url());
    this.#socket = socket;
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.#tries = 0;
      this.#lostAt = 0;
      this.#heard = Date.now();
      this.#beat = setInterval(() => this.#watch(), pingEvery);
      this.#set({ kind: "open" });
      this.#options.onOpen?.();
    };
    socket.onmessage = (message: MessageEvent<unknown>) => {
      this.#heard = Date.now();
      if (typeof message.data === "string") this.#options.onMessage(message.data);
    };
    socket.onclose = (close: CloseEvent) => {
      if (close.code >= finalCodes) {
        this.end(close.code);
        return;
      }
      this.#lose();
      if (!opened) this.#options.onRefused?.();
    };
  }

  #watch(): void {
    if (Date.now() - this.#heard >= silence) this.#lose();
    else this.#ping();
  }

  #ping(): void {
    this.#pings += 1;
    this.#socket?.send(JSON.stringify({ type: "ping", n: this.#pings }));
  }

  #lose(): void {
    this.#drop();
    if (this.#stopped) return;
    const wait = backoff(this.#tries);
    this.#tries += 1;
    if (this.#lostAt === 0) this.#lostAt = Date.now();
    this.#set({ kind: "lost", since: this.#lostAt, retryAt: Date.now() + wait, tries: this.#tries });
    this.#retry = setTimeout(() => this.#open(), wait);
  }

  /** Lets go of the socket without waiting for it: a dead line may never say that it is closed. */
  #drop(): void {
    clearInterval(this.#beat);
    clearTimeout(this.#deadline);
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) return;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  }

  #set(state: LinkState): void {
    this.#state = state;
    if (!this.#stopped) this.#options.onState(state);
  }
}
