import { expect, it } from "vitest";
import type { Run } from "../../live/rows";
import { emptyRun, foldRun } from "../../live/run";
import type { LoggedEvent } from "../../wire/types";
import { itemsOf, toggled } from "./list.logic";

const options = { past: false, live: false, day: null, opened: new Set<string>() };

/** A run of nothing but steps, of which only those from `from` to `to` are held. */
function steps(from: number, to: number): Run {
  const events = Array.from({ length: to - from }, (_, i): LoggedEvent => ({
    seq: from + i + 1,
    t: "2026-11-30T14:00:00.000Z",
    run: "r_1",
    type: "tool_use_start",
    toolId: `toolu_${from + i}`,
    name: "Bash",
    input: {},
  }));
  const [first] = events;
  if (first === undefined) throw new Error("no events");
  return foldRun(emptyRun("r_1", first), events);
}

const keys = (run: Run) =>
  itemsOf(run, options)
    .filter((item) => item.kind === "steps")
    .map((item) => item.key);

it("begins a run of which only a later part is held with what stands for its prompt", () => {
  const run = steps(500, 510);
  const kinds = (of: Run) => itemsOf(of, options).map((item) => item.kind);
  expect(kinds(run)[0]).toBe("cut");
  const said = { ...run, key: "n:12" };
  expect(kinds(said)).not.toContain("cut");
  const prompt: LoggedEvent = {
    seq: 1,
    t: "2026-11-30T14:00:00.000Z",
    run: "r_1",
    type: "user",
    text: "Go on",
    clientId: "c",
    by: { id: "u_1", name: "siskin" },
  };
  expect(kinds(foldRun(emptyRun("r_1", prompt), [prompt]))).toEqual(["prompt"]);
});

it("draws a long table of steps in pieces, none of them large", () => {
  const items = itemsOf(steps(0, 1_000), options);
  const sizes = items.map((item) => (item.kind === "steps" ? item.rows.length : 0));
  expect(items.length).toBeGreaterThan(40);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(48);
  expect(sizes.reduce((a, b) => a + b)).toBe(1_000);
});

it("keeps the pieces of a table when earlier steps are loaded, when more come and when some are let go", () => {
  const held = keys(steps(500, 1_000));
  // What stood at the border may join a piece there.
  expect(keys(steps(0, 1_000)).slice(-held.length + 1)).toEqual(held.slice(1));
  expect(keys(steps(500, 1_500)).slice(0, held.length)).toEqual(held);
  expect(keys(steps(700, 1_000)).slice(1)).toEqual(held.slice(-keys(steps(700, 1_000)).length + 1));
});

it("keeps a fold open when a page reaches into the same work, from either side, until it is closed", () => {
  const foldOf = (run: Run, opened: ReadonlySet<string>) => {
    const fold = itemsOf(run, { ...options, past: true, opened }).find((item) => item.kind === "fold");
    if (fold?.kind !== "fold") throw new Error("no fold");
    return fold;
  };
  const closed = foldOf(steps(50, 100), new Set());
  const opened = toggled(new Set(), closed);
  expect([closed.open, foldOf(steps(50, 100), opened).open]).toEqual([false, true]);
  for (const [from, to] of [
    [0, 100],
    [50, 150],
    [0, 150],
    [80, 150],
    [0, 70],
  ] as const)
    expect(foldOf(steps(from, to), opened).open).toBe(true);
  const older = foldOf(steps(0, 100), opened);
  expect(older.key).toBe(closed.key);
  expect(foldOf(steps(0, 100), toggled(opened, older)).open).toBe(false);
});
