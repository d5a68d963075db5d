import { describe, expect, it } from "vitest";
import type { ChatSummary } from "../../wire/types";
import { groupsOf, inOrder, nextThatNeeds, signalOf, sorted, stateWords, tabTitle } from "./chats.logic";

function chat(id: string, part: Partial<ChatSummary> = {}): ChatSummary {
  return {
    id,
    title: id,
    owner: { id: "u_1", name: "siskin" },
    created: "2026-11-30T14:00:00.000Z",
    active: "2026-11-30T14:00:00.000Z",
    running: false,
    phase: "idle",
    unread: false,
    selected: {},
    cwd: "",
    ...part,
  };
}

const needs = (since: string) => ({
  needsYou: { kind: "command" as const, title: "make", since, count: 1 },
  running: true,
});

describe("the signal of a chat", () => {
  it.each([
    ["needs over all", { ...needs("1"), verdict: "failed", unread: true }, "needs", "⊖ c"],
    ["held", { phase: "held", running: true }, "held", "◍ c"],
    ["running", { running: true }, "running", "◔ c"],
    ["failed", { verdict: "failed" }, "failed", "⊗ c"],
    ["interrupted", { verdict: "interrupted" }, "failed", "⊗ c"],
    ["finished and unread", { verdict: "ok", unread: true }, "ready", "● c"],
    ["read", { verdict: "ok" }, "rest", "c"],
  ] as const)("is %s, and stands in the tab's title", (_name, part, signal, title) => {
    expect(signalOf(chat("c", part))).toBe(signal);
    expect(tabTitle(chat("c", part))).toBe(title);
    expect(stateWords(chat("c", part))).not.toBe("");
  });
});

describe("the sidebar", () => {
  const chats = [
    chat("c_old", { active: "2026-11-30T10:00:00.000Z" }),
    chat("c_new", { active: "2026-11-30T15:00:00.000Z", unread: true }),
    chat("c_pin", { pinned: true }),
    chat("c_done", { archived: true }),
    chat("c_asks", { ...needs("2026-11-30T14:05:00.000Z"), archived: true }),
    chat("c_waits", { ...needs("2026-11-30T14:01:00.000Z"), pinned: true }),
  ];

  it("has each chat in one group; an archived one shows when it needs somebody", () => {
    const groups = groupsOf(sorted(chats), false);
    expect(groups.needs.map((c) => c.id)).toEqual(["c_waits", "c_asks"]);
    expect(groups.pinned.map((c) => c.id)).toEqual(["c_pin"]);
    expect(groups.rest.map((c) => c.id)).toEqual(["c_new", "c_old"]);
    expect(groupsOf(chats, true).rest.map((c) => c.id)).toEqual(["c_new"]);
  });

  it("is gone through in the order in which it is drawn", () => {
    expect(inOrder(sorted(chats)).map((c) => c.id)).toEqual(["c_waits", "c_asks", "c_pin", "c_new", "c_old"]);
  });

  it("leads to the one that waits longest, and from there to the next, round and round", () => {
    expect(nextThatNeeds(chats, null)?.id).toBe("c_waits");
    expect(nextThatNeeds(chats, "c_waits")?.id).toBe("c_asks");
    expect(nextThatNeeds(chats, "c_asks")?.id).toBe("c_waits");
    expect(nextThatNeeds([], null)).toBeNull();
  });
});
