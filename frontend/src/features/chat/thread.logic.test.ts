import { describe, expect, it } from "vitest";
import type { Row, Run } from "../../live/rows";
import type { CompleteEvent, SyncFrame } from "../../wire/types";
import { footerOf, usageDetail } from "./footer.logic";
import { isLive, leftAt, newDay, newSince, piecesOf, stateOf, stationName } from "./thread.logic";

const at = "2026-11-30T14:06:00.000Z";

function complete(part: Partial<CompleteEvent> = {}): CompleteEvent {
  return { type: "complete", seq: 9, t: at, run: "r_1", status: "ok", ms: 102_000, ...part };
}

function run(key: string, part: Partial<Run> = {}): Run {
  const by = { id: "u_1", name: "siskin" };
  const prompt = {
    seq: 1,
    clientId: key,
    text: "go",
    by,
    at,
    selection: {},
    attachments: [],
    continues: "",
    refs: {},
  };
  return { key, first: 1, last: 2, count: 2, rows: [], prompt, ...part };
}

const answer = (key: string): Row => ({ kind: "answer", key, text: "x", from: at });
const reasoning = (key: string): Row => ({
  kind: "reasoning",
  key,
  text: "x",
  from: at,
  to: "2026-11-30T14:06:14.000Z",
});
const steps = (key: string, n: number): Row => ({
  kind: "steps",
  key,
  steps: Array.from({ length: n }, (_, i) => ({
    kind: "tool",
    key: `${key}${i}`,
    name: "Bash",
    input: {},
    refs: {},
    from: "2026-11-30T14:06:20.000Z",
    live: "",
    result: { ok: true, output: "", ms: 1_000, refs: {} },
    approvals: [],
    children: [],
  })),
});

describe("the state of a run", () => {
  const sync: SyncFrame = { type: "sync", running: true, run: "r_1", phase: "running" };
  it.each([
    ["live", run("r_1"), sync, "live"],
    ["held", run("r_1"), { ...sync, phase: "held" }, "held"],
    ["another's", run("r_0"), sync, "done"],
    ["ended", run("r_1", { complete: complete() }), sync, "done"],
    ["failed", run("r_1", { complete: complete({ status: "failed" }) }), null, "stopped"],
    ["interrupted", run("r_1", { complete: complete({ status: "interrupted" }) }), null, "stopped"],
    ["cancelled", run("r_1", { complete: complete({ status: "cancelled" }) }), null, "done"],
  ] as const)("%s", (_name, one, frame, state) => {
    expect(stateOf(one, frame)).toBe(state);
    expect(isLive(one, frame)).toBe(state === "live" || state === "held");
  });

  it("is that of a run that goes on, also where the page that is held begins inside it", () => {
    const { prompt: _, ...inside } = run("r_1");
    expect(isLive(inside, sync)).toBe(true);
  });

  it("is in the name of its station", () => {
    expect(stationName(run("r_1"), "live")).toMatch(/^Prompt at \d\d:\d\d, running$/);
    expect(stationName(run("r_1", { complete: complete({ status: "cancelled" }) }), "done")).toMatch(
      /, stopped$/,
    );
  });
});

describe("what a past run shows", () => {
  it("puts the work away between answers, with its number and time", () => {
    const rows = [reasoning("a"), steps("b", 4), answer("c"), steps("d", 5), steps("e", 1), answer("f")];
    const pieces = piecesOf(rows, true);
    expect(pieces.map((p) => p.kind)).toEqual(["fold", "row", "fold", "row"]);
    expect(pieces[0]).toMatchObject({ steps: 4, ms: 21_000 });
    expect(pieces[2]).toMatchObject({ steps: 6 });
    expect(piecesOf(rows, false).every((p) => p.kind === "row")).toBe(true);
  });

  it("keeps reasoning that led to no step in its place", () => {
    expect(piecesOf([reasoning("a"), answer("b")], true).map((p) => p.kind)).toEqual(["row", "row"]);
  });
});

describe("what is new", () => {
  it("is counted from the place that the reader left", () => {
    const before = [run("r_1"), run("r_2", { rows: [answer("a")] })];
    const left = leftAt(before);
    expect(newSince(before, left)).toBe(0);
    const after = [
      run("r_0"),
      run("r_1"),
      run("r_2", { rows: [answer("a"), steps("b", 3)] }),
      run("r_3", { rows: [answer("c")] }),
    ];
    expect(newSince(after, left)).toBe(5);
    expect(newSince([run("r_9")], left)).toBe(0);
    expect(newSince([run("r_9")], leftAt([]))).toBe(1);
  });

  it("is a day when the date changes, whatever without a prompt stands between", () => {
    const later = "2026-12-02T09:00:00.000Z";
    const now = Date.parse(later);
    const next = run("r_2", { prompt: { ...run("r_2").prompt!, at: later } });
    const { prompt: _prompt, ...note } = run("n:7");
    expect(newDay([run("r_1"), next], 1, true, now)).toBe(later);
    expect(newDay([run("r_1"), note, next], 2, true, now)).toBe(later);
    expect(newDay([run("r_1"), note, next], 1, true, now)).toBeNull();
    expect(newDay([run("r_1"), run("r_2")], 1, true, now)).toBeNull();
  });

  it("is the day of a chat's first prompt where that is not today, and where it is the first", () => {
    const first = run("r_1");
    expect(newDay([first], 0, true, Date.parse(at) + 3 * 86_400_000)).toBe(at);
    expect(newDay([first], 0, true, Date.parse(at))).toBeNull();
    expect(newDay([first], 0, false, Date.parse(at) + 3 * 86_400_000)).toBeNull();
  });
});

describe("the footer", () => {
  const usage = { input: 1_000, output: 400, cacheRead: 17_000 };
  it.each([
    ["exact", { ...usage, costUsd: 0.21, costKind: "exact" }, ["1m 42s", "18.4k tokens", "$0.21"]],
    [
      "estimated",
      { ...usage, costUsd: 0.21, costKind: "estimated" },
      ["1m 42s", "18.4k tokens", "$0.21 estimated"],
    ],
    ["unknown", usage, ["1m 42s", "18.4k tokens", "cost unknown"]],
    ["of no known kind", { ...usage, costUsd: 0.21 }, ["1m 42s", "18.4k tokens", "cost unknown"]],
  ] as const)("says that a cost is %s", (_name, used, parts) => {
    expect(footerOf(complete({ usage: used }))).toEqual(parts);
  });

  it("counts nothing where nothing is known", () => {
    expect(footerOf(complete())).toEqual(["1m 42s", "cost unknown"]);
    expect(usageDetail({ input: 1, output: 2, context: 1_200, contextMax: 1_000_000 }).at(-1)).toEqual([
      "context",
      "1.2k of 1M",
    ]);
  });
});
