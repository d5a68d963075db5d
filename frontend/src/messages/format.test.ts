import { expect, it } from "vitest";
import {
  age,
  bytes,
  compact,
  dateAndTime,
  dayName,
  duration,
  elapsed,
  money,
  sentence,
  shortPath,
} from "./format";

it.each([
  [0, "0.0s"],
  [240, "0.2s"],
  [9_940, "9.9s"],
  [48_000, "48s"],
  [59_600, "1m 00s"],
  [102_000, "1m 42s"],
  [7_380_000, "2h 3m"],
  [-5, "0.0s"],
])("%i ms last %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

it.each([
  [999, "999"],
  [1_000, "1k"],
  [18_400, "18.4k"],
  [184_000, "184k"],
  [999_600, "1M"],
  [1_250_000, "1.3M"],
])("%i is written %s", (n, text) => {
  expect(compact(n)).toBe(text);
});

it.each([
  [0, "$0.00"],
  [0.21, "$0.21"],
  [0.0042, "$0.004"],
  [12.345, "$12.35"],
])("%d dollars are %s", (usd, text) => {
  expect(money(usd)).toBe(text);
});

it.each([
  ["the same day", new Date(2026, 10, 30, 0, 1), "Today"],
  ["the evening before", new Date(2026, 10, 29, 23, 59), "Yesterday"],
  ["another day of the year", new Date(2026, 10, 2, 12), "Monday, November 2"],
  ["another year", new Date(2025, 10, 30, 12), "Sunday, November 30, 2025"],
])("a day line names %s", (_name, date, words) => {
  expect(dayName(date.toISOString(), new Date(2026, 10, 30, 0, 5).getTime())).toBe(words);
});

it("says how long ago in one place", () => {
  const now = Date.parse("2026-11-30T14:00:00Z");
  const ago = (s: number) => age(new Date(now - s * 1000).toISOString(), now);
  expect([5, 240, 7_200, 90_000].map(ago)).toEqual(["now", "4m", "2h", "1d"]);
  expect(ago(-30)).toBe("now");
});

it("counts whole seconds and bytes", () => {
  expect([0, 1_900, 61_000].map(elapsed)).toEqual(["0s", "1s", "1m 01s"]);
  expect([12, 4_096, 12_000_000, 53_129_000_000].map(bytes)).toEqual(["12 B", "4.1 KB", "12 MB", "53.1 GB"]);
});

it("names the day only where it is not today", () => {
  const now = new Date(2026, 10, 30, 18).getTime();
  const at = (day: number) => new Date(2026, 10, day, 14, 6).toISOString();
  expect(dateAndTime(at(30), now)).toBe("14:06");
  expect(dateAndTime(at(2), now)).toMatch(/2.* 14:06$/);
});

it.each([
  ["Request rejected (429)", "Request rejected (429)."],
  ["Rate limit reached for requests", "Rate limit reached for requests."],
  ["It broke. ", "It broke."],
  ["", ""],
])("the words %j are the sentence %j", (words, text) => {
  expect(sentence(words)).toBe(text);
});

it("a long path keeps both of its ends", () => {
  expect(shortPath("/home/siskin/ledgerd")).toBe("/home/siskin/ledgerd");
  const short = shortPath(`/home/siskin/${"a/".repeat(40)}ledgerd`);
  expect(short).toMatch(/^\/home\/siskin\/.*….*\/ledgerd$/);
  expect(short).toHaveLength(40);
});
