import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Fault, SavedDraft } from "../wire/types";
import { type Draft, emptyDraft, mergeDrafts } from "./draft";
import { DraftSync } from "./draft.sync";

const file = (name: string) => ({ name, media: "text/plain", sha256: name, bytes: 1 });

/** The server's side of one person's draft. */
class DraftServer {
  saved: SavedDraft = { text: "", rev: 0, at: "" };
  down = false;

  save(draft: Draft): Promise<SavedDraft | Fault> {
    if (this.down) return Promise.reject(new Error("no line"));
    if (draft.rev !== this.saved.rev) return Promise.resolve({ code: "conflict", message: "" });
    this.saved = { text: draft.text, attachments: [...draft.attachments], rev: draft.rev + 1, at: "" };
    return Promise.resolve(this.saved);
  }
}

/** One browser of the person. */
function browser(server: DraftServer) {
  let draft: Draft = emptyDraft;
  let both = 0;
  const saves: string[] = [];
  const sync = new DraftSync({
    load: () => Promise.resolve(server.saved),
    save: (next) => {
      saves.push(next.text);
      return server.save(next);
    },
    read: () => draft,
    write: (next) => (draft = next),
    onBoth: () => (both += 1),
  });
  return {
    sync,
    saves,
    draft: () => draft,
    both: () => both,
    type: (text: string) => {
      draft = { ...draft, text, dirty: true };
      sync.changed();
    },
  };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a draft", () => {
  it("is saved once the person pauses, and taken over by the other browsers", async () => {
    const server = new DraftServer();
    const one = browser(server);
    const two = browser(server);
    one.sync.open();
    two.sync.open();
    for (const text of ["f", "fi", "fix"]) {
      one.type(text);
      await pass(200);
    }
    expect(one.saves).toEqual([]);
    await pass(1_000);
    expect(one.saves).toEqual(["fix"]);
    expect(one.draft()).toMatchObject({ rev: 1, dirty: false });
    two.sync.heard(server.saved);
    expect(two.draft()).toMatchObject({ text: "fix", rev: 1, dirty: false });
  });

  it("that was written in two browsers at once keeps both texts, and says so", async () => {
    const server = new DraftServer();
    const one = browser(server);
    const two = browser(server);
    one.sync.open();
    two.sync.open();
    await pass(0);
    one.type("one");
    two.type("two");
    await pass(2_000);
    const later = one.both() > 0 ? one : two;
    expect(one.both() + two.both()).toBe(1);
    expect(later.draft().text).toBe(later === one ? "two\n\none" : "one\n\ntwo");
    expect(server.saved).toMatchObject({ text: later.draft().text, rev: 2 });
  });

  it("that is written on while it is saved loses nothing and makes no conflict of its own", async () => {
    const server = new DraftServer();
    const one = browser(server);
    one.sync.open();
    one.type("a");
    await pass(700);
    one.type("ab");
    // The server tells of the first save while the second has not begun.
    one.sync.heard(server.saved);
    expect(one.draft().text).toBe("ab");
    await pass(2_000);
    expect(server.saved).toMatchObject({ text: "ab", rev: 2 });
    expect(one.both()).toBe(0);
  });

  it("is cleared everywhere by whoever sends it", async () => {
    const server = new DraftServer();
    const one = browser(server);
    const two = browser(server);
    one.sync.open();
    two.sync.open();
    one.type("go");
    await pass(1_000);
    two.sync.heard(server.saved);
    one.type("");
    await pass(1_000);
    two.sync.heard(server.saved);
    expect(two.draft()).toMatchObject({ text: "", dirty: false });
  });

  it("waits for a server that does not answer", async () => {
    const server = new DraftServer();
    server.down = true;
    const one = browser(server);
    one.sync.open();
    one.type("kept");
    await pass(1_000);
    expect(one.draft()).toMatchObject({ text: "kept", dirty: true });
    server.down = false;
    await pass(6_000);
    expect(server.saved.text).toBe("kept");
  });

  it("is saved when the page goes away", async () => {
    const server = new DraftServer();
    const one = browser(server);
    one.sync.open();
    await pass(0);
    one.type("last words");
    one.sync.close();
    await pass(0);
    expect(server.saved.text).toBe("last words");
  });
});

describe("two drafts of one person", () => {
  const theirs: Draft = { text: "", attachments: [], rev: 5, dirty: false };
  it.each([
    ["the longer of two that go on from each other", "go on", "go on and on", "go on and on", false],
    ["mine, where theirs was sent", "", "more", "more", false],
    ["theirs, where mine was cleared", "more", "", "more", false],
    ["both, where they differ", "this", "that", "this\n\nthat", true],
  ])("are %s", (_name, other, own, text, both) => {
    const merged = mergeDrafts({ ...theirs, text: other }, { ...emptyDraft, text: own, dirty: true });
    expect(merged.draft).toMatchObject({ text, rev: 5, dirty: text !== other });
    expect(merged.both).toBe(both);
  });

  it("keep the files of both, each once", () => {
    const { draft } = mergeDrafts(
      { ...theirs, attachments: [file("a"), file("b")] },
      { ...emptyDraft, attachments: [file("b"), file("c")], dirty: true },
    );
    expect(draft.attachments.map((f) => f.name)).toEqual(["a", "b", "c"]);
    expect(draft.dirty).toBe(true);
  });
});
