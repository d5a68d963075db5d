import { expect, it } from "vitest";
import { fitting, moved, tabAfter, widest } from "./panel.logic";

it("the panel is 400 wide at least and 60 % at most", () => {
  expect(fitting(100, 1200)).toBe(400);
  expect(fitting(9000, 1200)).toBe(720);
  expect(fitting(548, 1200)).toBe(548);
  expect(widest(500)).toBe(400);
});

it.each([
  ["ArrowLeft", false, 572],
  ["ArrowRight", false, 524],
  ["ArrowLeft", true, 524],
  ["Home", false, 400],
  ["End", false, 720],
  ["Enter", false, null],
] as const)("%s moves its border (right to left: %s)", (key, rtl, want) => {
  expect(moved(key, 548, 1200, rtl)).toBe(want);
});

it("tabs go round", () => {
  expect(tabAfter("forks", -1)).toBe("usage");
  expect(tabAfter("usage", 1)).toBe("forks");
  expect(tabAfter("forks", 1)).toBe("changes");
});
