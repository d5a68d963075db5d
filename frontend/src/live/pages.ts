import type { StoreApi } from "zustand/vanilla";
import { formatPosition } from "../wire/codec";
import type { EventPage } from "../wire/types";
import { type Bounds, foldNewer, foldPage } from "./chat.fold";
import type { ChatState, Visit } from "./chat.state";
import { firstSeq, lastSeq, prependPage } from "./chat-log";
import { evict, trimPage } from "./evict";
import { foldThread } from "./thread";

/** Loads the page of events before a position; "stale" when the log has changed since. */
export type LoadPage = (before: string) => Promise<EventPage | "stale">;

/** A page has at least so many events, where there are so many. */
const pageEvents = 200;
/** How many times a page is asked for again because the log changed meanwhile. */
const tries = 3;

/**
 * Brings pages of the log's history into the state of a chat: before what is held, behind it, or
 * instead of it. Each kind is loaded once at a time; a page of a log that has changed is dropped.
 */
export class Pages {
  readonly #load: LoadPage;
  readonly #store: StoreApi<ChatState>;
  readonly #bounds: () => Bounds;
  #newer = false;
  #visiting = 0;

  constructor(load: LoadPage, store: StoreApi<ChatState>, bounds: () => Bounds) {
    this.#load = load;
    this.#store = store;
    this.#bounds = bounds;
  }

  /** Loads the page before the first event held. */
  async older(): Promise<void> {
    const { log, older } = this.#state;
    if (older === "loading" || !log.hasMore || log.epoch === 0) return;
    const before = firstSeq(log);
    this.#store.setState({ older: "loading" });
    let page: EventPage | "stale";
    try {
      page = await this.#page(log.epoch, before);
    } catch {
      this.#store.setState({ older: "failed" });
      return;
    }
    const { near, most } = this.#bounds();
    const { log: now, thread } = this.#state;
    // The socket tells of the change by itself.
    const next = page === "stale" ? null : prependPage(now, before, trimPage(page, "start", most));
    if (next === null) {
      this.#store.setState({ older: "idle" });
      return;
    }
    const kept = evict(next, near, most);
    this.#store.setState({ older: "idle", log: kept, thread: foldThread(kept, thread) });
  }

  /** Loads the page behind the last event held, while the log is detached. */
  async newer(): Promise<void> {
    if (this.#newer) return;
    this.#newer = true;
    try {
      await this.#behind();
    } catch {
      // The reader's next move to the end asks again.
    } finally {
      this.#newer = false;
    }
  }

  /** Shows the event that the state's visit names, from what is held or by the page around it. */
  async visit(): Promise<void> {
    const { visit, log, loaded } = this.#state;
    if (visit === null || visit.state !== "waiting" || this.#visiting === visit.times) return;
    if (log.events.some((e) => e.seq === visit.seq)) {
      this.#end(visit, "held");
      return;
    }
    // Which epoch it is, the socket has yet to tell.
    if (!loaded || log.epoch === 0) return;
    this.#visiting = visit.times;
    try {
      this.#end(visit, await this.#around(visit.seq));
    } catch {
      this.#end(visit, "failed");
    } finally {
      this.#visiting = 0;
    }
  }

  async #around(seq: number): Promise<Visit["state"]> {
    for (let n = 0; n < tries; n += 1) {
      const { epoch } = this.#state.log;
      // A page of large events may not reach back as far as to the middle.
      for (const ahead of [pageEvents / 2, 1]) {
        const page = await this.#page(epoch, seq + ahead);
        if (page === "stale") break;
        if (!page.events.some((e) => e.seq === seq)) continue;
        // What is looked for is near its end, however far it reaches back.
        const next = foldPage(this.#state, trimPage(page, "start", this.#bounds().most));
        if (next === null) break;
        this.#store.setState(next);
        return "held";
      }
      if (this.#state.log.epoch === epoch) return "gone";
    }
    return "gone";
  }

  async #behind(): Promise<void> {
    // Small where events are large, large where a rewind left a hole.
    let step = pageEvents;
    while (step >= 1) {
      const { log, cursor } = this.#state;
      if (!log.detached) return;
      const after = lastSeq(log);
      const page = await this.#page(log.epoch, after + 1 + step);
      if (page === "stale") return;
      const next = foldNewer(this.#state, after, page, this.#bounds());
      if (next === null) return;
      if (next === "apart") step = Math.floor(step / 2);
      else if (lastSeq(next.log) > after || after + step > cursor.heard) {
        this.#store.setState(next);
        return;
      } else step *= 8;
    }
  }

  #page(epoch: number, seq: number): Promise<EventPage | "stale"> {
    return this.#load(formatPosition({ epoch, seq }));
  }

  #end(visit: Visit, state: Visit["state"]): void {
    // Another wish may have come in the meantime.
    if (this.#state.visit?.times === visit.times) this.#store.setState({ visit: { ...visit, state } });
  }

  get #state(): ChatState {
    return this.#store.getState();
  }
}
