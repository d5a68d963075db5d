import { describe, expect, it } from "vitest";
import type { ToolStep } from "../../live/rows";
import {
  excerptOf,
  foundOf,
  literalsOf,
  marked,
  matchesOf,
  outputOf,
  planOf,
  reportOf,
} from "./result.logic";

type Result = NonNullable<ToolStep["result"]>;

function step(output: string, detail?: unknown, input: unknown = {}): ToolStep {
  const result: Result = { ok: true, output, ms: 1, refs: {}, ...(detail === undefined ? {} : { detail }) };
  return {
    kind: "tool",
    key: "t1",
    name: "x",
    input,
    refs: {},
    from: "2026-11-30T14:00:00.000Z",
    live: "",
    approvals: [],
    children: [],
    result,
  };
}

describe("the texts that a pattern stands for", () => {
  it.each([
    ["TODO", ["TODO"]],
    ["\\.Ack\\(", [".Ack("]],
    ["a|b", ["a", "b"]],
    ["(foo|bar)", ["foo", "bar"]],
    ["\\bword\\b", ["word"]],
    ["a.*b", []],
    ["(a+)+$", []],
    ["\\d+", []],
    ["[abc]", []],
    ["", []],
  ])("of %s are %j", (pattern, texts) => {
    expect(literalsOf(pattern)).toEqual(texts);
  });

  it("are marked in a line, as often as they are there", () => {
    expect(marked("x.Ack(y.Ack(", [".Ack("], false)).toEqual([
      ["x", false],
      [".Ack(", true],
      ["y", false],
      [".Ack(", true],
    ]);
    expect(marked("Todo", ["TODO"], true)).toEqual([["Todo", true]]);
    expect(marked("nothing", [], false)).toEqual([["nothing", false]]);
  });
});

describe("what a tool gave back", () => {
  const why = "Stopped before it ended.";
  it.each<[name: string, live: string, result: Partial<Result>, shown: string]>([
    ["is its result", "tick 1\n", { output: "tick 1\ntick 2" }, "tick 1\ntick 2"],
    ["is what streamed and why no more came", "tick 1\n", { ok: false, output: why }, `tick 1\n${why}`],
    ["is the reason alone where nothing streamed", "", { ok: false, output: why }, why],
    ["is not told twice", "no\n", { ok: false, output: "error: no" }, "error: no"],
    ["of a command that failed is its result", "a\n", { ok: false, exitCode: 2, output: "b" }, "b"],
  ])("%s", (_name, live, result, shown) => {
    expect(
      outputOf({ ...step(""), live, result: { ok: true, output: "", ms: 1, refs: {}, ...result } }),
    ).toBe(shown);
  });
});

it("reads what a search found, with its places", () => {
  const found = matchesOf(step("hello.txt:3:TODO: third\nsrc/a.go:4:\t// TODO: hi\nsrc/a.go-5-after"));
  expect(found.rows[1]).toEqual({ path: "src/a.go", line: 4, text: "\t// TODO: hi" });
  expect(found.rows[2]).toEqual({ path: "src/a.go", line: 5, text: "after" });
  expect([found.count, found.files]).toEqual([3, 2]);
  expect(matchesOf(step("Found 2 files\na.go\nb.go")).rows.map((r) => r.path)).toEqual(["a.go", "b.go"]);
  expect(matchesOf(step("No matches found")).count).toBe(0);
  expect(matchesOf(step("3:TODO", undefined, { path: "a.go" })).rows).toEqual([
    { path: "a.go", line: 3, text: "TODO" },
  ]);
});

it("takes the numbers off the lines of a read, and keeps where they begin", () => {
  expect(excerptOf(step(" 7\tpackage a\n 8\t\n\n<note>for the model</note>"))).toEqual({
    text: "package a\n",
    from: 7,
    lines: 2,
  });
  expect(excerptOf(step("     1→a\n     2→b"))).toEqual({ text: "a\nb", from: 1, lines: 2 });
  expect(excerptOf(step("plain"))).toEqual({ text: "plain", from: 1, lines: 1 });
});

it("knows the last words of a subagent from what is meant for the agent that sent it", () => {
  const claude = step("long hand-back", {
    content: [
      { type: "text", text: "<tools-used-before-summary>Bash</tools-used-before-summary>\n" },
      { type: "text", text: "Done." },
    ],
    totalTokens: 1206,
  });
  expect(reportOf(claude)).toEqual({ answer: "Done.", tokens: 1206, background: false });
  const kimi = step("agent_id: agent-0\n\n[summary]\nThe command finished.\n\nresume_hint: Continue with it");
  expect(reportOf(kimi).answer).toBe("The command finished.");
  expect(reportOf(step("The helper is done.")).answer).toBe("The helper is done.");
  expect(reportOf(step("Async agent launched", { isAsync: true }))).toMatchObject({
    answer: "",
    background: true,
  });
});

it("finds the pages of a search of the web, and the plan that was approved", () => {
  const detail = { results: [{ content: [{ title: "Go", url: "https://go.dev/" }] }, "text", { url: 7 }] };
  expect(foundOf(step("", detail))).toEqual([{ title: "Go", url: "https://go.dev/" }]);
  expect(planOf(step("Exited plan mode.\n\n## Approved Plan:\n1. Edit"))).toBe("1. Edit");
});
