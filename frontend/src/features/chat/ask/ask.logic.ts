import { kindOf, type Request } from "../../../live/requests";
import type { ApprovalState, QuestionState } from "../../../live/rows";
import { t } from "../../../messages/t";
import type { Answer, ApprovalKind, QuestionItem, Scope } from "../../../wire/types";

const needs = {
  command: "need.command",
  edit: "need.edit",
  tool: "need.tool",
  plan: "need.plan",
  question: "need.question",
} as const satisfies Record<ApprovalKind, string>;

/** What a run waits for, in a few words. */
export function needWords(request: Request): string {
  return t(needs[kindOf(request)]);
}

/** Whether an approval reaches out of the working directory. */
export function leaves(approval: ApprovalState): boolean {
  return approval.outside !== undefined && approval.outside !== "";
}

/** The question that a card asks. */
export function titleOf(approval: ApprovalState): string {
  switch (approval.kind) {
    case "command":
      return t("ask.command");
    case "edit":
      return t(leaves(approval) ? "ask.edit.out" : "ask.edit");
    case "plan":
      return t("ask.plan");
    case "tool":
    case "question":
      return t("ask.tool");
  }
}

/** What a scope allows, in the same words wherever it stands. */
export function scopeWords(scope: Scope): string {
  switch (scope.kind) {
    case "command":
      return t("ask.scope.command", { dir: scope.dir ?? "" });
    case "tool":
      return t("ask.scope.tool", { tool: scope.tool ?? "" });
    case "edit":
      return scope.dir === undefined
        ? t("ask.scope.paths", { paths: (scope.paths ?? []).join(", ") })
        : t("ask.scope.dir", { dir: scope.dir });
    case "plan":
    case "question":
      return "";
  }
}

/** What one page of a question holds: the labels chosen, and own words. */
export type Page = { readonly chosen: readonly string[]; readonly other: boolean; readonly text: string };

export const emptyPage: Page = { chosen: [], other: false, text: "" };

/** Chooses the option at a place, or takes it back; the place after the last is the person's own words. */
export function pick(item: QuestionItem, page: Page, at: number): Page {
  const multi = item.multiSelect === true;
  const option = item.options[at];
  if (option === undefined) {
    if (at !== item.options.length) return page;
    return multi ? { ...page, other: !page.other } : { ...page, chosen: [], other: true };
  }
  const { label } = option;
  if (!multi) return { ...page, chosen: [label], other: false };
  const has = page.chosen.includes(label);
  return { ...page, chosen: has ? page.chosen.filter((c) => c !== label) : [...page.chosen, label] };
}

/** What a page answers: empty when it was skipped. */
export function answerOf(item: QuestionItem, page: Page): readonly string[] {
  // In the order in which they are offered, whatever was clicked first.
  const chosen = item.options.map((o) => o.label).filter((label) => page.chosen.includes(label));
  const own = page.text.trim();
  return page.other && own !== "" ? [...chosen, own] : chosen;
}

/** Own words as the answer to the page that is shown: those before it stay, and those after it are skipped. */
export function replyWith(
  { question, at, pages }: { question: QuestionState; at: number; pages: readonly Page[] },
  words: string,
): Answer {
  const own = { ...emptyPage, other: true, text: words };
  const given = pages.map((page, i) => (i < at ? page : i === at ? own : emptyPage));
  return { questionId: question.id, answers: answersOf(question.questions, given) };
}

/** The answers to all pages, by the text of the question. */
export function answersOf(items: readonly QuestionItem[], pages: readonly Page[]): Record<string, string[]> {
  return Object.fromEntries(
    items.flatMap((item, i): [string, string[]][] => {
      const answer = answerOf(item, pages[i] ?? emptyPage);
      return answer.length === 0 ? [] : [[item.question, [...answer]]];
    }),
  );
}
