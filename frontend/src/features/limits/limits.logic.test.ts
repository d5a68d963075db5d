import { describe, expect, it } from "vitest";
import { limitsOf, limitTexts } from "./limits.logic";

const none = { minutes: "", tokens: "", costUsd: "" };

describe("the limits of a run", () => {
  it("are none where nothing is written", () => {
    expect(limitsOf(none)).toEqual({ limits: { minutes: 0, tokens: 0, costUsd: 0 }, wrong: [] });
    expect(limitTexts({ minutes: 0 })).toEqual(none);
  });

  it("go into the fields and back", () => {
    const limits = { minutes: 30, tokens: 200_000, costUsd: 2.5 };
    expect(limitsOf(limitTexts(limits))).toEqual({ limits, wrong: [] });
  });

  it.each([
    ["minutes", "1.5"],
    ["minutes", "100001"],
    ["tokens", "many"],
    ["tokens", "-1"],
    ["costUsd", "1e99"],
    ["costUsd", "0"],
  ] as const)("are refused where %s is %s", (name, text) => {
    expect(limitsOf({ ...none, [name]: text }).wrong).toEqual([name]);
  });
});
