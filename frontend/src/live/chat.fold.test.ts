import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Follower, LogServer } from "../testing/log-server";
import type { LoggedEvent, ServerMessage } from "../wire/types";
import { foldMessages, foldNewer, foldPage } from "./chat.fold";
import { type ChatState, initialState } from "./chat.state";
import { firstSeq, lastSeq, prependPage } from "./chat-log";
import { evict } from "./evict";
import { foldThread } from "./thread";

const person = { id: "u_1", name: "siskin" };
const pageSize = 6;

type Act =
  | { readonly kind: "prompt" }
  | { readonly kind: "text"; readonly item: number }
  | { readonly kind: "tool" }
  | { readonly kind: "complete" }
  | { readonly kind: "rewind"; readonly pick: number }
  | { readonly kind: "restore" }
  | { readonly kind: "clear" }
  | { readonly kind: "drop" }
  | { readonly kind: "deliver"; readonly most: number }
  | { readonly kind: "repeat"; readonly pick: number }
  | { readonly kind: "lose" }
  | { readonly kind: "askPage" }
  | { readonly kind: "givePage" }
  | { readonly kind: "near"; readonly end: boolean }
  | { readonly kind: "visit"; readonly pick: number }
  | { readonly kind: "askNewer" }
  | { readonly kind: "giveNewer" };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Act>({ kind: "prompt" }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("text" as const), item: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.constant<Act>({ kind: "tool" }) },
  { weight: 2, arbitrary: fc.constant<Act>({ kind: "complete" }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("rewind" as const), pick: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.constant<Act>({ kind: "restore" }) },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: "clear" }) },
  { weight: 2, arbitrary: fc.constant<Act>({ kind: "drop" }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("deliver" as const), most: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("repeat" as const), pick: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: "lose" }) },
  { weight: 2, arbitrary: fc.constant<Act>({ kind: "askPage" }) },
  { weight: 2, arbitrary: fc.constant<Act>({ kind: "givePage" }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("near" as const), end: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("visit" as const), pick: fc.nat(99) }) },
  { weight: 2, arbitrary: fc.constant<Act>({ kind: "askNewer" }) },
  { weight: 2, arbitrary: fc.constant<Act>({ kind: "giveNewer" }) },
);

/** A browser that follows the model: what the store does around the pure fold. */
class Client {
  state: ChatState = initialState;
  near: "end" | "start" = "end";
  readonly #server: LogServer;
  readonly #most: number;
  #follower: Follower;
  #newer: { after: number; page: ReturnType<LogServer["page"]> } | null = null;
  #asked: { before: number; page: ReturnType<LogServer["page"]> } | null = null;
  readonly #delivered: ServerMessage[] = [];

  constructor(server: LogServer, most: number) {
    this.#server = server;
    this.#most = most;
    this.#follower = server.follow(null);
  }

  connect(): void {
    this.#server.followers.delete(this.#follower);
    const { log, cursor } = this.state;
    const since = log.epoch === 0 || cursor.heard === 0 ? null : { epoch: log.epoch, seq: cursor.heard };
    this.#follower = this.#server.follow(since);
  }

  take(messages: readonly ServerMessage[]): void {
    this.#delivered.push(...messages.filter((m) => "seq" in m && m.type !== "epoch"));
    const { state, resume } = foldMessages(this.state, messages, { near: this.near, most: this.#most });
    this.state = state;
    if (resume) this.connect();
  }

  deliver(most: number): number {
    const messages = this.#follower.next(most);
    this.take(messages);
    return messages.length;
  }

  lose(): void {
    this.#follower.lose();
  }

  /** An event comes again, right where a client may see it: in the epoch in which it is still held. */
  repeat(pick: number): void {
    const held = this.#delivered.filter((m) => "seq" in m && m.seq <= this.state.cursor.heard);
    const again = held[pick % Math.max(1, held.length)];
    if (again !== undefined) this.take([again]);
  }

  askPage(): void {
    const { log } = this.state;
    if (log.hasMore && log.epoch === this.#server.epoch) {
      this.#asked = { before: firstSeq(log), page: this.#server.page(firstSeq(log)) };
    }
  }

  givePage(): void {
    const asked = this.#asked;
    this.#asked = null;
    if (asked === null) return;
    const log = prependPage(this.state.log, asked.before, asked.page);
    if (log === null) return;
    const kept = evict(log, this.near, this.#most);
    this.state = { ...this.state, log: kept, thread: foldThread(kept, this.state.thread) };
  }

  /** The page around an event takes the place of what was held. */
  visit(pick: number): void {
    const { events } = this.#server;
    const event = events[pick % Math.max(1, events.length)];
    if (event === undefined || !this.state.loaded) return;
    const next = foldPage(this.state, this.#server.page(event.seq + pageSize / 2));
    if (next === null) return;
    this.near = "start";
    this.state = next;
    expect(this.state.log.events).toContainEqual(event);
  }

  askNewer(step = pageSize): void {
    const { log } = this.state;
    if (!log.detached || log.epoch !== this.#server.epoch) return;
    const after = lastSeq(log);
    this.#newer = { after, page: this.#server.page(after + 1 + step) };
  }

  /** Takes a newer page in; false when it had nothing new. */
  giveNewer(): boolean {
    const asked = this.#newer;
    this.#newer = null;
    if (asked === null) return true;
    this.near = "end";
    const next = foldNewer(this.state, asked.after, asked.page, { near: this.near, most: this.#most });
    if (next === "apart") throw new Error("a page without a limit of bytes always reaches back");
    if (next === null) return true;
    const moved = lastSeq(next.log) > lastSeq(this.state.log);
    this.state = next;
    return moved;
  }

  /** Goes on to the end, as a reader does who scrolls there. */
  toEnd(): void {
    let step = pageSize;
    for (let i = 0; i < 1000 && this.state.log.detached; i += 1) {
      this.askNewer(step);
      if (this.giveNewer()) step = pageSize;
      else step *= 8;
    }
  }

  settle(): void {
    this.connect();
    for (let i = 0; i < 1000 && this.deliver(50) > 0; i += 1);
    this.toEnd();
    this.near = "end";
    this.connect();
    for (let i = 0; i < 1000 && this.deliver(50) > 0; i += 1);
  }
}

function play(acts: readonly Act[], most: number): { server: LogServer; client: Client } {
  const server = new LogServer(pageSize);
  const client = new Client(server, most);
  let runs = 0;
  const id = () => `r_${runs}`;
  for (const a of acts) {
    switch (a.kind) {
      case "prompt":
        runs += 1;
        server.append({ type: "user", run: id(), text: "go", clientId: `k_${runs}`, by: person });
        break;
      case "text":
        if (runs > 0)
          server.append({ type: "assistant_text", run: id(), item: `i_${runs}_${a.item}`, delta: "ab " });
        break;
      case "tool":
        if (runs > 0)
          server.append({
            type: "tool_use_start",
            run: id(),
            toolId: `t_${server.high}`,
            name: "Bash",
            input: {},
          });
        break;
      case "complete":
        if (runs > 0) server.append({ type: "complete", run: id(), status: "ok", ms: 1 });
        break;
      case "rewind":
        server.rewind(a.pick);
        runs += 1;
        break;
      case "restore":
        server.restore();
        break;
      case "clear":
        server.clear();
        runs += 1;
        break;
      case "drop":
        client.connect();
        break;
      case "deliver":
        client.deliver(a.most);
        break;
      case "repeat":
        client.repeat(a.pick);
        break;
      case "lose":
        client.lose();
        break;
      case "askPage":
        client.askPage();
        break;
      case "givePage":
        client.givePage();
        break;
      case "near":
        client.near = a.end ? "end" : "start";
        break;
      case "visit":
        client.visit(a.pick);
        break;
      case "askNewer":
        client.askNewer();
        break;
      case "giveNewer":
        client.giveNewer();
        break;
    }
  }
  client.settle();
  return { server, client };
}

describe("foldMessages", () => {
  it("ends with the server's log whatever is rewound, restored, visited, paged, lost, repeated or dropped", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const { server, client } = play(acts, 10_000);
        for (let i = 0; i < 100 && client.state.log.hasMore; i += 1) {
          client.askPage();
          client.givePage();
        }
        expect(client.state.log.events).toEqual(server.events);
        expect(client.state.log.epoch).toBe(server.epoch);
        expect(client.state.thread).toEqual(foldThread({ ...client.state.log, events: server.events }));
      }),
      { numRuns: 2000 },
    );
  });

  it("holds a piece of the server's log without holes, and not much more than it may", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 120 }), (acts) => {
        const { server, client } = play(acts, 12);
        const { events } = client.state.log;
        const from = server.events.findIndex((e) => e.seq === events[0]?.seq);
        expect(events).toEqual(from < 0 ? [] : server.events.slice(from));
        expect(client.state.thread.flatMap((r) => r.key)).toEqual(
          foldThread(client.state.log).flatMap((r) => r.key),
        );
        const longest = Math.max(0, ...client.state.thread.map((r) => r.count));
        expect(events.length).toBeLessThanOrEqual(12 + longest + pageSize);
      }),
      { numRuns: 1000 },
    );
  });

  // A last page that begins in the middle of a tool call shows the call.
  it("takes the starts that go before a page", () => {
    const at = { t: "2026-03-01T10:00:00.000Z", run: "r_1" };
    const call: LoggedEvent = { ...at, seq: 2, type: "tool_use_start", toolId: "t", name: "Bash", input: {} };
    const end: LoggedEvent = {
      ...at,
      seq: 900,
      type: "tool_use_end",
      toolId: "t",
      ok: true,
      output: "done",
      ms: 1,
    };
    const messages: ServerMessage[] = [
      { type: "connected", chat: "c_1", epoch: 1, lastSeq: 900, running: true, person, version: "1" },
      { type: "open", events: [call] },
      end,
    ];
    const { state } = foldMessages(initialState, messages, { near: "end", most: 100 });
    expect(state.log.events).toEqual([end]);
    expect(state.log.open).toEqual([call]);
    const names = state.thread.flatMap((run) =>
      run.rows.flatMap((row) =>
        row.kind === "steps" ? row.steps.map((s) => (s.kind === "tool" ? s.name : "")) : [],
      ),
    );
    expect(names).toEqual(["Bash"]);
  });
});
