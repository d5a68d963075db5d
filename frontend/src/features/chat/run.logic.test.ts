import { describe, expect, it } from "vitest";
import type { Run } from "../../live/rows";
import type { CompleteEvent, Usage } from "../../wire/types";
import { contextUse, nearLimit } from "./context.logic";
import { footerOf } from "./footer.logic";
import { quoted, withQuote } from "./quote.logic";
import { retryWith } from "./RetryWith";
import { continuing, isRetrying, limitTitle, rateStopOf, resumeCommand, spentWords } from "./run.logic";
import { typingWords } from "./Typing";

const t = "2026-11-30T14:00:00.000Z";

function complete(part: Partial<CompleteEvent> = {}): CompleteEvent {
  return { type: "complete", seq: 9, t, status: "ok", ms: 0, ...part };
}

function run(key: string, part: Partial<Run> = {}): Run {
  return { key, first: 1, last: 2, count: 2, rows: [], ...part };
}

function error(code: string) {
  return { kind: "error", key: code, code, message: "No.", retryable: false, at: t } as const;
}

const usage: Usage = { input: 12_000, output: 400, cacheRead: 6_000 };

describe("what a run has used", () => {
  it.each<[string, Partial<Usage>, string]>([
    ["nothing of the cost, where it is not known", {}, "18.4k tokens"],
    ["the cost, where it is", { costUsd: 0.21, costKind: "exact" }, "18.4k tokens · $0.21"],
    ["that it is estimated", { costUsd: 0.21, costKind: "estimated" }, "18.4k tokens · $0.21 estimated"],
  ])("says %s", (_name, part, words) => {
    expect(spentWords({ ...usage, ...part })).toBe(words);
  });

  it("says at the end that a cost is unknown", () => {
    expect(footerOf(complete({ ms: 2_000, usage }))).toEqual(["2.0s", "18.4k tokens", "cost unknown"]);
  });
});

describe("a run that a vendor's limit ended", () => {
  it("is known by its code or by its error, and until when", () => {
    const failed = complete({ status: "failed" });
    expect(rateStopOf(run("r", { complete: failed }))).toBeNull();
    expect(rateStopOf(run("r", { rows: [error("rate_limited")] }))).toBeNull();
    expect(rateStopOf(run("r", { complete: { ...failed, code: "rate_limited" } }))).toEqual({
      error: null,
      resetsAt: "",
    });
    const rateLimit = { type: "rate_limit", seq: 3, t, scope: "five_hour", resetsAt: t } as const;
    const rows = [error("rate_limited")];
    expect(rateStopOf(run("r", { complete: failed, rows, rateLimit }))).toMatchObject({
      resetsAt: t,
      error: { code: "rate_limited" },
    });
  });

  it("goes on by itself where a prompt waits that goes on with it", () => {
    const item = { clientId: "k", text: "", by: { id: "u", name: "n" }, at: t, rev: 1 };
    expect(continuing(run("r_1"), [{ ...item, continues: "r_2" }])).toBeNull();
    expect(continuing(run("r_1"), [item, { ...item, clientId: "k2", continues: "r_1" }])?.clientId).toBe(
      "k2",
    );
  });
});

describe("the end of a run", () => {
  it.each([
    ["budget_time", "The run reached its time limit"],
    ["budget_tokens", "The run reached its limit of tokens"],
    ["budget_cost", "The run reached its cost limit"],
    ["budget_chat", "The chat reached its limit"],
    ["budget_day", "The chat reached its limit for today"],
    ["toString", "The run reached its limit of steps"],
  ])("by %s is told as what it is", (code, title) => {
    expect(limitTitle(complete({ status: "max_iterations", code }))).toBe(title);
  });

  it("names the command that goes on with its session, where there is one", () => {
    const session = { type: "session", seq: 2, t, agent: "claude", sessionId: "abc" } as const;
    const info = { id: "claude", name: "", models: [], efforts: [], tiers: [], modes: [] };
    expect(resumeCommand(run("r", { session }), { ...info, resume: "claude --resume {session}" })).toBe(
      "claude --resume abc",
    );
    expect(resumeCommand(run("r", { session }), info)).toBe("");
    expect(resumeCommand(run("r", { session }), { ...info, id: "codex", resume: "x {session}" })).toBe("");
    expect(resumeCommand(run("r"), { ...info, resume: "x {session}" })).toBe("");
  });

  it("is not near while the agent tries again", () => {
    const notice = { kind: "notice", key: "n", level: "warn", code: "api_retry", text: "", at: t } as const;
    expect(isRetrying(run("r", { rows: [notice] }))).toBe(true);
    expect(isRetrying(run("r", { rows: [notice, error("x")] }))).toBe(false);
  });
});

describe("the context of a chat", () => {
  const told = (context: number) => complete({ usage: { ...usage, context, contextMax: 200_000 } });
  it("is what the last run told that told anything", () => {
    expect(contextUse([], null)).toBeNull();
    const thread = [run("a", { complete: told(50_000) }), run("b", { complete: complete({ usage }) })];
    expect(contextUse(thread, null)).toEqual({ used: 50_000, max: 200_000 });
  });

  it("is what the run tells that goes on, and no longer once that is over", () => {
    const live = { type: "usage", run: "b", usage: { ...usage, context: 9, contextMax: 10 } } as const;
    expect(contextUse([run("a", { complete: told(1) }), run("b")], live)).toEqual({ used: 9, max: 10 });
    expect(contextUse([run("b", { complete: told(5) })], live)).toEqual({ used: 5, max: 200_000 });
    expect(contextUse([run("c", { complete: told(5) })], live)).toEqual({ used: 5, max: 200_000 });
  });

  it("is near its limit while there is room for a summary", () => {
    expect(nearLimit({ used: 169_000, max: 200_000 })).toBe(false);
    expect(nearLimit({ used: 184_000, max: 200_000 })).toBe(true);
  });
});

describe("a quotation", () => {
  it("stands behind what is written, with room to write on", () => {
    expect(withQuote("", "one\r\ntwo\n\n\n\nthree ")).toBe("> one\n> two\n>\n> three\n\n");
    expect(withQuote("before\n", "it")).toBe("before\n\n> it\n\n");
    expect(quoted("> it")).toBe("> > it");
  });
});

describe("a prompt again with another model", () => {
  it("keeps what the same agent has, and only the mode for another", () => {
    const before = { agent: "claude", model: "opus", effort: "high", mode: "plan" } as const;
    expect(retryWith(before, { agent: "claude", model: "sonnet" })).toEqual({ ...before, model: "sonnet" });
    expect(retryWith(before, { agent: "codex", model: "gpt" })).toEqual({
      agent: "codex",
      model: "gpt",
      mode: "plan",
    });
  });
});

describe("who is writing", () => {
  const people = ["anna", "ben", "cem"].map((name) => ({ id: name, name }));
  it.each([
    [0, ""],
    [1, "anna is writing"],
    [2, "anna and ben are writing"],
    [3, "3 people are writing"],
  ])("is told of %i people", (n, words) => {
    expect(typingWords(people.slice(0, n))).toBe(words);
  });
});
