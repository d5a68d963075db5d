import { describe, expect, it } from "vitest";
import type { Sum } from "../../wire/types";
import { ceiling, costOf, dayBefore, everyDay, seriesOf, tokensOf, usedBy } from "./usage.logic";

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

it("what agents used are series in the order in which they are offered, the fourth for all that are left", () => {
  const offered = ["claude", "codex", "kimi"].map((id) => ({ id, name: id.toUpperCase() }));
  const day = sum({ agents: { kimi: 3, claude: 1 } });
  expect(seriesOf([day], offered, "Others")).toEqual([
    { name: "CLAUDE", agents: ["claude"] },
    { name: "KIMI", agents: ["kimi"] },
  ]);
  const many = sum({ agents: { a: 1, b: 2, claude: 3, codex: 4, kimi: 5 } });
  const series = seriesOf([day, many], offered, "Others");
  expect(series.map(({ name }) => name)).toEqual(["CLAUDE", "CODEX", "KIMI", "Others"]);
  expect(series.map((one) => usedBy(one, many))).toEqual([3, 4, 5, 3]);
  expect(series.map((one) => usedBy(one, undefined))).toEqual([0, 0, 0, 0]);
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
