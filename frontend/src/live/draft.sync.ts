import type { Fault, SavedDraft } from "../wire/types";
import { adopted, type Draft, mergeDrafts, sameDraft } from "./draft";

export type DraftOptions = {
  readonly load: () => Promise<SavedDraft | Fault>;
  readonly save: (draft: Draft) => Promise<SavedDraft | Fault>;
  readonly read: () => Draft;
  readonly write: (draft: Draft) => void;
  /** Two texts were written at the same time, and both were kept. */
  readonly onBoth: () => void;
};

/** A draft is saved when the person has paused for so long. */
const pause = 700;
const patience = 5_000;

/**
 * Keeps a draft the same in all browsers of its author. What is written here counts at once and is
 * saved after; what comes from elsewhere is taken over only where nothing here would be lost. It works
 * from `open` to `close`.
 */
export class DraftSync {
  readonly #options: DraftOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sent: Draft | null = null;
  /** The newest rev heard of while a save was on its way: its own, or that of another browser. */
  #heard = 0;
  #closed = true;
  /** The server keeps no draft of this person here. */
  #refused = false;

  constructor(options: DraftOptions) {
    this.#options = options;
  }

  /** Takes over what the server has. */
  open(): void {
    this.#closed = false;
    void this.#fetch();
  }

  /** Saves what is not saved, and stops. */
  close(): void {
    this.flush();
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** Says that the draft was changed here. */
  changed(): void {
    if (!this.#closed) this.#later(pause);
  }

  /** Says that the server has another draft. */
  heard(saved: SavedDraft): void {
    const draft = this.#options.read();
    if (saved.rev <= draft.rev) return;
    if (this.#sent !== null) this.#heard = Math.max(this.#heard, saved.rev);
    else if (draft.dirty) this.#later(0);
    else this.#options.write(adopted(saved));
  }

  /** Saves at once what is not saved. */
  flush(): void {
    clearTimeout(this.#timer);
    void this.#save();
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#save(), ms);
  }

  async #save(): Promise<void> {
    const draft = this.#options.read();
    if (this.#refused || this.#closed || this.#sent !== null || !draft.dirty) return;
    this.#sent = draft;
    const answer = await this.#options.save(draft).catch(() => null);
    this.#sent = null;
    if (answer === null) {
      if (!this.#closed) this.#later(patience);
    } else if (!("code" in answer)) {
      const now = this.#options.read();
      this.#options.write({ ...now, rev: answer.rev, dirty: !sameDraft(now, draft) });
      if (this.#heard > answer.rev) await this.#fetch();
      else if (!sameDraft(now, draft) && !this.#closed) this.#later(pause);
    } else if (answer.code === "conflict") {
      await this.#fetch();
    } else if (answer.code === "unavailable" || answer.code === "internal") {
      if (!this.#closed) this.#later(patience);
    } else {
      this.#refused = true;
    }
  }

  async #fetch(): Promise<void> {
    const saved = await this.#options.load().catch(() => null);
    if (saved === null || this.#closed) return;
    if ("code" in saved) {
      this.#refused = saved.code !== "unavailable" && saved.code !== "internal";
      return;
    }
    const mine = this.#options.read();
    if (!mine.dirty) {
      if (saved.rev > mine.rev) this.#options.write(adopted(saved));
      return;
    }
    const theirs = adopted(saved);
    // What was only written on here needs no joining.
    const { draft, both } = saved.rev === mine.rev ? { draft: mine, both: false } : mergeDrafts(theirs, mine);
    this.#options.write(draft);
    if (both) this.#options.onBoth();
    if (draft.dirty) this.#later(saved.rev === mine.rev ? pause : 0);
  }
}
