import type { LoggedEvent } from "../src/wire/types";
import { decodeBatch, isEvent } from "../src/wire/codec";
import type { Daemon } from "./daemon";

/** What a run said, in the order of the log. */
export type Run = readonly LoggedEvent[];

type Options = { readonly mode?: string; readonly agent?: string };

/** A program that uses the daemon without a browser: with a cookie and the daemon's own Origin. */
export class Client {
  readonly #url: string;
  readonly #cookie: string;

  private constructor(url: string, cookie: string) {
    this.#url = url;
    this.#cookie = cookie;
  }

  static async signIn(daemon: Daemon, name: string, password: string): Promise<Client> {
    const answer = await fetch(`${daemon.url}/api/login`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: daemon.url },
      body: JSON.stringify({ name, password }),
    });
    const cookie = answer.headers.get("set-cookie")?.split(";")[0];
    if (!answer.ok || cookie === undefined) throw new Error(`not signed in: ${answer.status}`);
    return new Client(daemon.url, cookie);
  }

  async #fetch(method: string, path: string, body?: object, accept = "application/json"): Promise<Response> {
    const answer = await fetch(this.#url + path, {
      method,
      headers: { "content-type": "application/json", origin: this.#url, cookie: this.#cookie, accept },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  async call<T>(method: string, path: string, read: (body: unknown) => T, body?: object): Promise<T> {
    const answer = await this.#fetch(method, path, body);
    return read(answer.status === 204 ? undefined : await answer.json());
  }

  /** Makes a chat and returns its id. */
  createChat(selected: Options): Promise<string> {
    return this.call("POST", "/api/chats", idOf, { selected });
  }

  /**
   * Sends a prompt and returns the events of its run, to the end. `seen` is told of each as it
   * comes, and may answer it.
   */
  async prompt(
    chat: string,
    text: string,
    options: Options,
    seen: (event: LoggedEvent) => void,
  ): Promise<Run> {
    const answer = await this.#fetch(
      "POST",
      `/api/chats/${chat}/messages`,
      { text, ...options },
      "text/event-stream",
    );
    const run: LoggedEvent[] = [];
    if (answer.body === null) return run;
    let rest = "";
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const line of blocks.flatMap((block) => block.split("\n"))) {
        if (!line.startsWith("data:")) continue;
        for (const message of decodeBatch(line.slice(5).trim())) {
          if (!isEvent(message)) continue;
          run.push(message);
          seen(message);
        }
      }
    }
    return run;
  }

  answer(chat: string, body: object): Promise<void> {
    return this.call("POST", `/api/chats/${chat}/answer`, () => undefined, body);
  }

  cancel(chat: string): Promise<void> {
    return this.call("POST", `/api/chats/${chat}/cancel`, () => undefined, {});
  }
}

/** Reads the `id` of an answer. */
export function idOf(body: unknown): string {
  if (typeof body === "object" && body !== null && "id" in body && typeof body.id === "string")
    return body.id;
  throw new Error(`no id in ${JSON.stringify(body)}`);
}
