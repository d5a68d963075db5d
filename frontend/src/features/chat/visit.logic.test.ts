import { describe, expect, it } from "vitest";
import type { Run, ToolStep } from "../../live/rows";
import type { LoggedEvent } from "../../wire/types";
import { itemsOf, toggled, type Group } from "./list.logic";
import { shownOf } from "./visit.logic";

const at = "2026-11-30T14:00:00.000Z";
const by = { id: "u_1", name: "siskin" };

function tool(key: string, part: Partial<ToolStep> = {}): ToolStep {
  return {
    kind: "tool",
    key,
    name: "Bash",
    input: {},
    refs: {},
    from: at,
    live: "",
    result: { ok: true, output: "", ms: 1, refs: {} },
    approvals: [],
    children: [],
    ...part,
  };
}

const inner: ToolStep = tool("t_2", {
  children: [{ kind: "answer", key: "i_9", text: "x", from: at }],
});

const run: Run = {
  key: "r_1",
  first: 1,
  last: 9,
  count: 9,
  prompt: {
    seq: 1,
    clientId: "k_1",
    text: "go",
    by,
    at,
    selection: {},
    refs: {},
    attachments: [],
    continues: "",
  },
  rows: [
    { kind: "reasoning", key: "i_1", text: "x", from: at, to: at },
    { kind: "steps", key: "s:t_1", steps: [tool("t_1"), inner] },
    { kind: "answer", key: "i_2", text: "x", from: at, to: at },
    { kind: "notice", key: "n:8", level: "info", code: "x", text: "x", at },
  ],
  complete: { type: "complete", seq: 9, t: at, run: "r_1", status: "ok", ms: 1 },
};

function groups(past: boolean, opened: ReadonlySet<string> = new Set()): readonly Group[] {
  return [{ run, items: itemsOf(run, { past, live: false, day: null, opened }) }];
}

function event(part: Partial<LoggedEvent> & { readonly type: LoggedEvent["type"] }): LoggedEvent {
  return { seq: 5, t: at, run: "r_1", ...part } as LoggedEvent;
}

describe("where an event is shown", () => {
  it.each([
    ["a prompt", event({ type: "user", seq: 1 }), "p:k_1"],
    ["reasoning", event({ type: "thinking", item: "i_1" }), "r_1/reasoning:i_1"],
    ["an answer", event({ type: "assistant_text", item: "i_2" }), "r_1/answer:i_2"],
    ["a step", event({ type: "tool_use_end", toolId: "t_1" }), "r_1/s:t_1"],
    ["what a subagent said", event({ type: "assistant_text", item: "i_9" }), "r_1/s:t_1"],
    ["a notice", event({ type: "system", seq: 8 }), "r_1/n:8"],
    ["the end", event({ type: "complete", seq: 9 }), "r_1/end"],
    ["what has no row of its own", event({ type: "session" }), "p:k_1"],
  ])("%s", (_name, one, row) => {
    const shown = shownOf(groups(false), one);
    expect(shown?.fold).toBeNull();
    expect(shown?.row).toBe(row === "r_1/n:8" ? "r_1/notice:n:8" : row);
  });

  it("is a fold of a past run until that is open", () => {
    const step = event({ type: "tool_use_start", toolId: "t_2" });
    const closed = shownOf(groups(true), step);
    if (closed === null || closed.fold === null) throw new Error("no fold");
    const open = shownOf(groups(true, toggled(new Set(), closed.fold)), step);
    expect(open).toEqual({ row: "r_1/s:t_1", fold: null });
  });

  it("is nowhere when its run is not held", () => {
    expect(shownOf(groups(false), event({ type: "user", run: "r_7" }))).toBeNull();
  });
});
