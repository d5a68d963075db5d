import type { Position } from "../wire/codec";
import type { EventPage, LoggedEvent, ServerMessage } from "../wire/types";

type Body = LoggedEvent extends infer E ? (E extends LoggedEvent ? Omit<E, "seq" | "t"> : never) : never;

const person = { id: "u_1", name: "siskin" };
const chat = "c_1";

/** A model of the server's side of one chat: the log and the rules by which it is followed. */
export class LogServer {
  events: LoggedEvent[] = [];
  epoch = 1;
  high = 0;
  #rewound: LoggedEvent[] | null = null;
  readonly #page: number;
  readonly followers = new Set<Follower>();

  constructor(page: number) {
    this.#page = page;
  }

  get last(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  append(body: Body): void {
    this.high += 1;
    const event: LoggedEvent = { seq: this.high, t: new Date(this.high * 1000).toISOString(), ...body };
    this.events.push(event);
    if (event.type === "user") this.#rewound = null;
  }

  /** Takes out everything from a prompt on; followers learn it from the epoch event. */
  rewind(pick: number): void {
    const users = this.events.filter((e) => e.type === "user");
    const user = users[pick % Math.max(1, users.length)];
    if (user === undefined) return;
    this.#rewound = this.events.filter((e) => e.seq >= user.seq);
    this.#replace(
      this.events.filter((e) => e.seq < user.seq),
      "rewind",
    );
  }

  /** Brings back what the last rewind took, while no prompt was sent since. */
  restore(): void {
    const tail = this.#rewound;
    const [first] = tail ?? [];
    if (tail === null || first === undefined) return;
    this.#rewound = null;
    this.#replace([...this.events.filter((e) => e.seq < first.seq), ...tail], "restore");
    for (const f of this.followers) f.reset("restored");
  }

  clear(): void {
    this.#rewound = null;
    this.#replace([], "clear");
    for (const f of this.followers) f.reset("cleared");
  }

  #replace(events: LoggedEvent[], cause: "rewind" | "restore" | "clear"): void {
    this.events = events;
    const keep = this.last;
    this.epoch += 1;
    this.append({ type: "epoch", epoch: this.epoch, keep, cause });
  }

  page(before: number | null, limit = this.#page): EventPage {
    const held = before === null ? this.events : this.events.filter((e) => e.seq < before);
    let from = Math.max(0, held.length - limit);
    while (from > 0 && held[from]?.type !== "user") from -= 1;
    return { epoch: this.epoch, events: held.slice(from), hasMore: from > 0, open: [] };
  }

  follow(since: Position | null): Follower {
    const follower = new Follower(this, since);
    this.followers.add(follower);
    return follower;
  }

  /** Whether a position is one from which the log can simply be read on. */
  holds(since: Position): boolean {
    if (since.epoch !== this.epoch) return false;
    if (since.seq === 0) return this.events.length <= this.#page;
    return this.events.some((e) => e.seq === since.seq);
  }
}

/** One client's cursor over the log. */
export class Follower {
  readonly #server: LogServer;
  #ready: ServerMessage[] = [];
  #at: number;

  constructor(server: LogServer, since: Position | null) {
    this.#server = server;
    this.#ready.push({
      type: "connected",
      chat,
      epoch: server.epoch,
      lastSeq: server.last,
      running: false,
      person,
      version: "1",
    });
    this.#at = since?.seq ?? 0;
    if (since === null) this.#lastPage();
    else if (!server.holds(since)) this.reset("stale_epoch");
  }

  reset(reason: string): void {
    this.#ready.push({ type: "reset", reason, epoch: this.#server.epoch });
    this.#lastPage();
  }

  #lastPage(): void {
    const { events } = this.#server.page(null);
    this.#ready.push(...events);
    this.#at = events.at(-1)?.seq ?? 0;
  }

  /** An event does not get through, as when its line cannot be read. */
  lose(): void {
    const [next] = this.next(1);
    if (next !== undefined && !("seq" in next)) this.#ready.unshift(next);
  }

  /** What goes out next, at most `most` messages. */
  next(most: number): ServerMessage[] {
    const ahead = this.#server.events.filter((e) => e.seq > this.#at);
    this.#at = ahead.at(-1)?.seq ?? this.#at;
    this.#ready.push(...ahead);
    return this.#ready.splice(0, most);
  }
}
