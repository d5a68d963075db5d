import type { Answering } from "../../../live/chat.state";
import type { ApprovalState, QuestionState, Row, Run } from "../../../live/rows";
import { t } from "../../../messages/t";
import type { Answer, ApprovalOption } from "../../../wire/types";

type Settled = { readonly option?: ApprovalOption; readonly name: string; readonly at: string };

const pressed = { once: "ask.once", chat: "ask.chat", deny: "ask.deny" } as const;

function settledOf(item: ApprovalState | QuestionState): Settled | null {
  const { answer } = item;
  if (answer === undefined) return null;
  const option = "option" in answer ? { option: answer.option } : {};
  return { ...option, name: answer.by?.name ?? "", at: answer.at };
}

/** How a request was answered in the end, at whatever depth it stands; null if it was not. */
function settled(rows: readonly Row[], request: string): Settled | null {
  for (const row of rows) {
    if (row.kind !== "steps") continue;
    for (const step of row.steps) {
      if (step.kind === "question" && step.key === request) return settledOf(step.question);
      if (step.kind === "approval" && step.key === request) return settledOf(step.approval);
      if (step.kind !== "tool") continue;
      const approval = step.approvals.find((a) => a.id === request);
      const found = approval === undefined ? settled(step.children, request) : settledOf(approval);
      if (found !== null) return found;
    }
  }
  return null;
}

/** An answer that came too late, in words. `goes` says that what was denied is being done. */
export type LostRace = { readonly what: string; readonly rest: string; readonly goes: boolean };

/** What is told to somebody whose answer had no effect. `ahead` is how far the clock here is ahead. */
export function lostRace(
  run: Run | undefined,
  request: string,
  answering: Answering,
  ahead: number | null,
): LostRace {
  const { answer, at, fault } = answering;
  const won = run === undefined ? null : settled(run.rows, request);
  const button = answer.option === undefined ? t("ask.answer") : t(pressed[answer.option]);
  const late = won === null || ahead === null ? Number.NaN : at - ahead - Date.parse(won.at);
  const what =
    Number.isNaN(late) || late < 50
      ? t("ask.noeffect")
      : t("ask.noeffect.late", { what: button, s: (Math.max(100, late) / 1000).toFixed(1) });
  const goes =
    answer.option === "deny" && won?.option !== undefined && won.option !== "deny" && !run?.complete;
  return { what, rest: fault?.message ?? "", goes };
}

/** The questions of a run that is over, which nobody has answered: the answer to them is the next prompt. */
export function unanswered(run: Run): readonly QuestionState[] {
  if (run.complete === undefined || run.complete.status === "cancelled") return [];
  const found: QuestionState[] = [];
  const collect = (rows: readonly Row[]) => {
    for (const row of rows) {
      if (row.kind !== "steps") continue;
      for (const step of row.steps) {
        if (step.kind === "question" && step.question.answer === undefined) found.push(step.question);
        else if (step.kind === "tool") collect(step.children);
      }
    }
  };
  collect(run.rows);
  return found;
}

/** The answers to questions as a prompt; empty if nothing was answered. */
export function asPrompt(question: QuestionState, answer: Answer): string {
  const { answers = {} } = answer;
  return question.questions
    .flatMap(({ question: text }) => {
      const given = answers[text] ?? [];
      return given.length === 0 ? [] : [`> ${text.replaceAll("\n", "\n> ")}\n\n${given.join(", ")}`];
    })
    .join("\n\n");
}
