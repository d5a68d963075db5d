import { describe, expect, it } from "vitest";
import { limitsOf, spans, textsOf } from "./limits.logic";

const none = textsOf({});

describe("limits", () => {
  it("are none where nothing is written", () => {
    const empty = { minutes: 0, tokens: 0, costUsd: 0 };
    expect(limitsOf(none).limits).toEqual({ ...empty, chat: empty, day: empty });
    expect(textsOf({ minutes: 0, day: { tokens: 0 } })).toEqual(none);
  });

  it("go into the fields and back, of a run, a chat and a day", () => {
    const run = { minutes: 30, tokens: 200_000, costUsd: 2.5 };
    const limits = {
      ...run,
      chat: { ...run, costUsd: 20 },
      day: { minutes: 60, tokens: 0, costUsd: 0 },
    };
    expect(limitsOf(textsOf(limits)).limits).toEqual(limits);
  });

  it.each([
    ["minutes", "1.5"],
    ["minutes", "100001"],
    ["tokens", "many"],
    ["tokens", "-1"],
    ["costUsd", "1e99"],
    ["costUsd", "0"],
  ] as const)("are refused where %s is %s", (name, text) => {
    for (const span of spans) {
      const { wrong } = limitsOf({ ...none, [span]: { ...none[span], [name]: text } });
      expect(wrong).toEqual({ run: [], chat: [], day: [], [span]: [name] });
    }
  });
});
