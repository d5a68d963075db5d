import { beforeEach, describe, expect, it } from "vitest";
import { firstKeys, meant, ownerOf, readKeys, useShortcuts } from "./shortcuts";

beforeEach(() => useShortcuts.getState().reset());

describe("a key that is pressed", () => {
  it("does what it first did, until it is given away", () => {
    expect(meant("j")).toBe("j");
    useShortcuts.getState().assign("next", "x");
    expect(meant("x")).toBe("j");
    expect(meant("j")).toBe("");
    expect(meant("Enter")).toBe("Enter");
  });

  it("changes places with the one that had it", () => {
    useShortcuts.getState().swap("next", "k");
    expect(meant("k")).toBe("j");
    expect(meant("j")).toBe("k");
  });

  it("acts only on what has the focus where such keys are off", () => {
    useShortcuts.getState().turn(false);
    expect(meant("c")).toBe("");
    expect(meant("5")).toBe("");
    expect(meant("y", true)).toBe("y");
    expect(meant("Escape")).toBe("Escape");
  });
});

describe("keys that were stored", () => {
  it.each([
    ["nothing", null, firstKeys],
    ["a key for something unknown", { keys: { fly: "x" } }, firstKeys],
    ["no keys at all", { keys: "abc" }, firstKeys],
    ["a key that cannot be", { keys: { next: "Enter", help: 3 } }, firstKeys],
    ["one key for two", { keys: { next: "k" } }, firstKeys],
    ["another key", { keys: { next: "x" } }, { ...firstKeys, next: "x" }],
  ])("%s", (_name, stored, want) => {
    expect(readKeys(stored).keys).toEqual(want);
  });

  it("outlive the page", () => {
    useShortcuts.getState().turn(false);
    useShortcuts.getState().assign("help", "h");
    const stored = readKeys(JSON.parse(localStorage.getItem("signalbox.keys.1") ?? ""));
    expect(stored.on).toBe(false);
    expect(ownerOf("h", stored.keys)).toBe("help");
  });
});
