import { describe, expect, it } from "vitest";
import type { ApprovalState } from "../../../live/rows";
import type { QuestionItem } from "../../../wire/types";
import { answerOf, answersOf, emptyPage, pick, replyWith, scopeWords, titleOf } from "./ask.logic";

const one: QuestionItem = { question: "Which?", options: [{ label: "A" }, { label: "B" }] };
const many: QuestionItem = {
  question: "What?",
  multiSelect: true,
  options: [{ label: "C" }, { label: "D" }],
};

describe("a page of a question", () => {
  it("takes one of several, or own words instead", () => {
    const a = pick(one, emptyPage, 0);
    expect(answerOf(one, a)).toEqual(["A"]);
    const b = pick(one, a, 1);
    expect(answerOf(one, b)).toEqual(["B"]);
    const own = { ...pick(one, b, 2), text: " mine " };
    expect(answerOf(one, own)).toEqual(["mine"]);
    expect(answerOf(one, pick(one, own, 0))).toEqual(["A"]);
    expect(pick(one, a, 3)).toBe(a);
  });

  it("takes any, in the order in which they are offered, and own words beside them", () => {
    const both = pick(many, pick(many, emptyPage, 1), 0);
    expect(answerOf(many, both)).toEqual(["C", "D"]);
    expect(answerOf(many, pick(many, both, 0))).toEqual(["D"]);
    const own = { ...pick(many, both, 2), text: "E" };
    expect(answerOf(many, own)).toEqual(["C", "D", "E"]);
    expect(answerOf(many, { ...own, text: " " })).toEqual(["C", "D"]);
    expect(answerOf(many, pick(many, own, 2))).toEqual(["C", "D"]);
  });

  it("leaves out what was skipped", () => {
    expect(answersOf([one, many], [emptyPage, pick(many, emptyPage, 0)])).toEqual({ "What?": ["C"] });
    expect(answersOf([one, many], [])).toEqual({});
  });
});

it("own words from below answer the page that is shown, keep those before it and skip those after", () => {
  const question = { id: "q", toolId: "t", questions: [one, many], at: "" };
  const pages = [pick(one, emptyPage, 1), pick(many, emptyPage, 0)];
  expect(replyWith({ question, at: 1, pages }, "E")).toEqual({
    questionId: "q",
    answers: { "Which?": ["B"], "What?": ["E"] },
  });
  expect(replyWith({ question, at: 0, pages }, "E").answers).toEqual({ "Which?": ["E"] });
});

describe("an approval in words", () => {
  const base: ApprovalState = { id: "p", kind: "edit", title: "a", paths: [], options: [], refs: {}, at: "" };

  it("says when it leaves the folder", () => {
    expect(titleOf(base)).toBe("Edit this file?");
    expect(titleOf({ ...base, outside: "/etc/hosts" })).toBe("Edit outside the folder?");
    expect(titleOf({ ...base, kind: "command" })).toBe("Run this command?");
    expect(titleOf({ ...base, kind: "plan" })).toBe("Start with this plan?");
    expect(titleOf({ ...base, kind: "tool" })).toBe("Use this tool?");
  });

  it("says exactly what would be allowed for the chat", () => {
    expect(scopeWords({ kind: "command", command: "make", dir: "/w" })).toBe("this exact command in /w");
    expect(scopeWords({ kind: "tool", tool: "query" })).toBe("every use of query");
    expect(scopeWords({ kind: "edit", dir: "/w" })).toBe("all edits in /w");
    expect(scopeWords({ kind: "edit", paths: ["/etc/hosts", "/b"] })).toBe("edits of /etc/hosts, /b");
  });
});
