import { expect, it } from "vitest";
import { initialState } from "../../../live/chat.state";
import type { LoggedEvent } from "../../../wire/types";
import { pastOf, tells } from "./written.logic";

const texts = (from: number, to: number): readonly LoggedEvent[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({
    seq: from + i,
    t: "2026-11-30T10:00:00.000Z",
    type: "assistant_text",
    run: "r_1",
    item: "a",
    delta: "x",
  }));

const held = (
  from: number,
  to: number,
  part: { detached?: boolean; heard?: number; unseen?: number } = {},
) => ({
  loaded: true,
  unseen: part.unseen ?? 0,
  log: { epoch: 2, events: texts(from, to), hasMore: from > 1, open: [], detached: part.detached ?? false },
  cursor: { ...initialState.cursor, heard: part.heard ?? to, paging: false },
});

const none = { epoch: 0, top: 0, unseen: 0 };
const past = { epoch: 2, top: 100, unseen: 0 };

it("asks for the past up to what was heard of when it began", () => {
  expect(pastOf(held(50, 100), none)).toEqual(past);
  expect(pastOf({ ...held(50, 100), loaded: false }, none)).toBe(none);
});

it.each([
  ["the held events go on from it", held(50, 400)],
  ["they begin right after it", held(101, 400)],
  ["nothing came since, whatever is held", held(1, 20, { heard: 100, detached: true })],
])("stays with it where %s", (_, now) => {
  expect(pastOf(now, past)).toBe(past);
});

it.each([
  ["what came right after it was let go", held(102, 400), { epoch: 2, top: 400, unseen: 0 }],
  [
    "a run ended that is not held",
    held(1, 50, { detached: true, heard: 120, unseen: 1 }),
    { epoch: 2, top: 120, unseen: 1 },
  ],
  [
    "the log was changed",
    { ...held(1, 90), log: { ...held(1, 90).log, epoch: 3 } },
    { epoch: 3, top: 90, unseen: 0 },
  ],
])("asks anew where %s", (_, now, want) => {
  expect(pastOf(now, past)).toEqual(want);
});

it("takes of the events those that a change is made of", () => {
  const at = { seq: 1, t: "2026-11-30T10:00:00.000Z", run: "r_1" } as const;
  const start = { ...at, type: "tool_use_start", toolId: "1", input: {} } as const;
  const end = { ...at, type: "tool_use_end", toolId: "1", ok: true, output: "", ms: 1 } as const;
  expect(tells({ ...start, name: "apply_patch" })).toBe(true);
  expect(tells({ ...start, name: "Edit", server: "other" })).toBe(false);
  expect(tells({ ...start, name: "Read" })).toBe(false);
  expect(tells({ ...end, name: "Write" })).toBe(true);
  expect(tells(end)).toBe(true);
  expect(tells({ ...end, name: "Read" })).toBe(false);
  expect(texts(1, 1).some(tells)).toBe(false);
});
