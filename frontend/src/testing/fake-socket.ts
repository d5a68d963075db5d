import type { ServerMessage } from "../wire/types";

/** A socket whose other end is the test. */
export class FakeSocket extends EventTarget implements WebSocket {
  static readonly all: FakeSocket[] = [];

  static get last(): FakeSocket {
    const socket = FakeSocket.all.at(-1);
    if (socket === undefined) throw new Error("nothing has connected");
    return socket;
  }

  readonly CONNECTING = 0;
  readonly OPEN = 1;
  readonly CLOSING = 2;
  readonly CLOSED = 3;
  readonly binaryType = "blob";
  readonly bufferedAmount = 0;
  readonly extensions = "";
  readonly protocol = "";
  readyState: 0 | 1 | 2 | 3 = 0;
  onopen: ((this: WebSocket, ev: Event) => unknown) | null = null;
  onmessage: ((this: WebSocket, ev: MessageEvent) => unknown) | null = null;
  onclose: ((this: WebSocket, ev: CloseEvent) => unknown) | null = null;
  onerror: ((this: WebSocket, ev: Event) => unknown) | null = null;
  readonly url: string;
  readonly sent: string[] = [];

  constructor(url: string) {
    super();
    this.url = url;
    FakeSocket.all.push(this);
  }

  send(data: string | ArrayBufferLike | Blob | ArrayBufferView): void {
    if (typeof data === "string") this.sent.push(data);
  }

  close(): void {
    this.readyState = this.CLOSED;
  }

  /** The commands of one type that were sent, decoded. */
  commands(type: string): Record<string, unknown>[] {
    return this.sent
      .map((text): Record<string, unknown> => JSON.parse(text))
      .filter((command) => command["type"] === type);
  }

  accept(): void {
    this.readyState = this.OPEN;
    this.onopen?.call(this, new Event("open"));
  }

  say(...messages: readonly ServerMessage[]): void {
    this.raw(messages.map((m) => JSON.stringify(m)).join("\n"));
  }

  raw(data: string): void {
    this.onmessage?.call(this, new MessageEvent("message", { data }));
  }

  drop(code = 1006): void {
    this.readyState = this.CLOSED;
    this.onclose?.call(this, new CloseEvent("close", { code }));
  }
}
