import { describe, expect, it } from "vitest";
import type { Sum } from "../../wire/types";
import { ceiling, costOf, dayBefore, everyDay, tokensOf } from "./usage.logic";

const sum = (part: Partial<Sum>): Sum => ({
  key: "2026-11-30",
  started: "2026-11-30T10:00:00.000Z",
  runs: 1,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  ms: 0,
  exact: 0,
  estimated: 0,
  unknown: 0,
  ...part,
});

describe("cost", () => {
  it.each([
    ["exact", sum({ exact: 1.5 }), "$1.50"],
    ["estimated in part", sum({ runs: 2, exact: 1, estimated: 0.5 }), "$1.50 estimated"],
    ["unknown", sum({ runs: 2, unknown: 2 }), "cost unknown"],
    ["unknown in part", sum({ runs: 3, exact: 2, unknown: 1 }), "$2.00 and 1 unknown"],
  ])("%s", (_name, given, want) => {
    expect(costOf(given)).toBe(want);
  });
});

it("tokens are all that was read and written", () => {
  expect(tokensOf(sum({ input: 1, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 50 }))).toBe(10);
});

it("days without a run are there", () => {
  const now = new Date(2026, 10, 30, 12).getTime();
  expect(dayBefore(now, 30)).toBe("2026-10-31");
  const days = everyDay([sum({ key: "2026-11-29" })], now, 3);
  expect(days.map((d) => [d.day, d.sum !== undefined])).toEqual([
    ["2026-11-28", false],
    ["2026-11-29", true],
    ["2026-11-30", false],
  ]);
});

it.each([
  [0, 1],
  [1, 1],
  [44, 50],
  [501, 1000],
  [2_100_000, 3_000_000],
])("no bar of %i is higher than %i", (most, want) => {
  expect(ceiling(most)).toBe(want);
});
