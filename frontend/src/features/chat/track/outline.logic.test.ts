import { describe, expect, it } from "vitest";
import type { Run } from "../../../live/rows";
import type { Cut, Outline } from "../../../wire/types";
import { agreed, cutsAfter, endBefore, leavingFrom, stopsOf, versionsOf } from "./outline.logic";

const by = { id: "u_1", name: "siskin" };
const at = (n: number) => `2026-11-30T14:00:0${n}.000Z`;

function cut(epoch: number, keep: number, last: number): Cut {
  const times = { at: at(epoch), expires: "2026-12-07T14:00:00.000Z" };
  return {
    epoch,
    keep,
    last,
    prompts: 1,
    line: `try ${epoch}`,
    sent: [{ seq: keep + 1, t: at(epoch), line: `try ${epoch}` }],
    cause: "rewind",
    restorable: false,
    ...times,
  };
}

const outline: Outline = {
  epoch: 3,
  prompts: [
    { seq: 1, t: at(1), run: "r_1", by, line: "first", status: "ok", end: 4 },
    { seq: 20, t: at(2), run: "r_2", by, line: "second", status: "ok", end: 24 },
    { seq: 25, t: at(3), run: "r_3", by, line: "third" },
  ],
  cuts: [cut(3, 4, 18), cut(2, 4, 9)],
};

function run(seq: number, end: number | null): Run {
  const prompt = {
    seq,
    clientId: `k_${seq}`,
    text: "a\nb",
    by,
    at: at(5),
    selection: {},
    refs: {},
    attachments: [],
    continues: "",
  };
  const complete = { type: "complete" as const, seq: end ?? 0, t: at(6), status: "failed" as const, ms: 1 };
  const base: Run = { key: `r_${seq}`, first: seq, last: seq, count: 1, rows: [], prompt };
  return end === null ? base : { ...base, complete };
}

describe("the prompts of a chat", () => {
  it("are those of the outline and those that came since, with what is known of each", () => {
    const stops = stopsOf(outline, [run(25, 30), run(31, null)]);
    expect(stops.map((s) => [s.seq, s.line, s.status, s.end])).toEqual([
      [1, "first", "ok", 4],
      [20, "second", "ok", 24],
      [25, "a", "failed", 30],
      [31, "a", undefined, undefined],
    ]);
    expect(stopsOf(undefined, [run(31, null)])).toHaveLength(1);
  });

  it.each([
    ["the first", 1, 3, null],
    ["one in the middle", 20, 2, 4],
    ["one whose predecessor has ended", 25, 1, 24],
  ] as const)("say what leaves with %s, and where a fork would cut instead", (_name, seq, leave, end) => {
    const stops = stopsOf(outline, []);
    expect(leavingFrom(stops, seq)).toBe(leave);
    expect(endBefore(stops, seq)).toBe(end);
  });

  it("know what was taken out after an answer, and which attempts stood in a prompt's place", () => {
    const stops = stopsOf(outline, []);
    expect(cutsAfter(outline, stops, 1).map((c) => c.epoch)).toEqual([2, 3]);
    expect(cutsAfter(outline, stops, 20)).toEqual([]);
    expect(cutsAfter({ ...outline, cuts: [cut(2, 0, 3)] }, stops, null)).toHaveLength(1);
    expect(versionsOf(outline, stops, 20).map((c) => c.line)).toEqual(["try 2", "try 3"]);
    expect(versionsOf(outline, stops, 25)).toEqual([]);
  });

  it("are without those that left, and without cuts that came back, before the outline is asked for anew", () => {
    const seqs = (thread: Run[], open = true) => {
      const now = agreed(outline, thread, [], open);
      return [now?.prompts.map((p) => p.seq), now?.cuts.map((c) => c.epoch)];
    };
    const all = [
      [1, 20, 25],
      [3, 2],
    ];
    expect(seqs([])).toEqual(all);
    expect(seqs([run(20, 24), run(25, null)])).toEqual(all);
    // Rewound to before the third: it is denied only by who holds what stood before it.
    expect(seqs([run(20, 24)])).toEqual([
      [1, 20],
      [3, 2],
    ]);
    expect(seqs([run(20, 24)], false)).toEqual(all);
    // The newer of the two cuts is back, or both are.
    expect(seqs([run(1, 4), run(10, 18), run(26, 30)])).toEqual([[1], [2]]);
    expect(seqs([run(1, 4), run(5, 9), run(26, 30)])).toEqual([[1], []]);
  });

  it("are with the attempt that a rewind took out, in the moment in which its prompts leave", () => {
    const rewind = (keep: number, seq: number, epoch = 4) =>
      ({ type: "epoch", cause: "rewind", epoch, keep, seq, t: at(8) }) as const;
    const made = (thread: Run[], ...events: ReturnType<typeof rewind>[]) => {
      const now = agreed(outline, thread, events, true);
      const cuts = now?.cuts.filter((c) => c.epoch > 3).map((c) => [c.keep, c.prompts, c.line, c.restorable]);
      return [now?.prompts.map((p) => p.seq), cuts];
    };
    expect(made([run(1, 4)], rewind(4, 30))).toEqual([[1], [[4, 2, "second", true]]]);
    // From the first prompt on: no run is left.
    expect(made([], rewind(0, 30))).toEqual([[], [[0, 3, "first", true]]]);
    // A prompt was sent since.
    expect(made([run(1, 4), run(31, 33)], rewind(4, 30))).toEqual([[1], [[4, 2, "second", false]]]);
    // It came back, or the outline knows of it already.
    expect(made([run(1, 4), run(20, 24), run(25, 28)], rewind(4, 30))).toEqual([[1, 20, 25], []]);
    expect(made([run(1, 4), run(20, 24)], rewind(4, 19, 3))).toEqual([[1, 20], []]);
    const cuts = agreed(outline, [run(1, 4)], [rewind(4, 30)], true)?.cuts;
    expect(cuts?.[0]?.sent.map((s) => [s.seq, s.line])).toEqual([
      [20, "second"],
      [25, "third"],
    ]);
    expect(cuts?.[0]).toMatchObject({ last: 29, at: at(8), expires: "2026-12-07T14:00:08.000Z" });
  });

  it("have no earlier attempt where what was taken out came later", () => {
    const later = { ...outline, cuts: [cut(4, 4, 40)] };
    expect(versionsOf(later, stopsOf(later, []), 20)).toEqual([]);
  });
});
