import { describe, expect, it } from "vitest";
import type { FindResults } from "../../../wire/types";
import { type Found, foundOf, stepFrom } from "./find.logic";

const index = { behind: 0, chats: 1 };

function page(seqs: readonly number[], next?: number): FindResults {
  const matches = seqs.map((seq) => ({
    seq,
    type: "user" as const,
    t: "2026-11-30T14:00:00.000Z",
    count: 1,
    snippet: { text: "", marks: [] },
  }));
  return { matches, index, ...(next === undefined ? {} : { next }) };
}

describe("what was found in a chat", () => {
  it("is put into the order of reading, each place once", () => {
    expect(foundOf([page([30, 20], 20), page([20, 9])])).toEqual({
      seqs: [9, 20, 30],
      more: false,
      behind: false,
    });
    expect(foundOf([page([30], 20)])).toMatchObject({ more: true });
    expect(foundOf([{ ...page([]), index: { behind: 3, chats: 9 } }])).toMatchObject({ behind: true });
    expect(foundOf([])).toEqual({ seqs: [], more: false, behind: false });
  });

  const all: Found = { seqs: [9, 20, 30], more: false, behind: false };
  it.each([
    ["the last one first", all, null, -1, 30],
    ["back", all, 20, -1, 9],
    ["on", all, 20, 1, 30],
    ["round from the end", all, 30, 1, 9],
    ["round from the beginning", all, 9, -1, 30],
    ["further back than was looked", { ...all, more: true }, 9, -1, "older"],
    ["nowhere", { ...all, seqs: [] }, null, 1, null],
    ["back where nothing was found yet", { ...all, seqs: [], more: true }, null, -1, "older"],
  ] as const)("is gone through: %s", (_name, found, at, by, to) => {
    expect(stepFrom(found, at, by)).toBe(to);
  });
});
