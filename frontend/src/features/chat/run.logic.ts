import type { ErrorRow, Run } from "../../live/rows";
import { compact, money } from "../../messages/format";
import { t } from "../../messages/t";
import type { AgentInfo, CompleteEvent, QueuedItem, Usage } from "../../wire/types";

/** All tokens that were used, those of caches too. */
export function tokensOf(usage: Usage): number {
  return usage.input + usage.output + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

/** What was used so far, in words: the cost only where it is known. */
export function spentWords(usage: Usage): string {
  const { costUsd, costKind } = usage;
  const cost =
    costUsd === undefined
      ? ""
      : costKind === "exact"
        ? money(costUsd)
        : t("cost.estimated", { amount: money(costUsd) });
  return [t("tokens", { n: compact(tokensOf(usage)) }), cost].filter((part) => part !== "").join(" · ");
}

export const rateLimited = "rate_limited";

/** The vendor's refusal that ended a run: what it said, and when the limit is over where that is known. */
export type RateStop = { readonly error: ErrorRow | null; readonly resetsAt: string };

export function rateStopOf(run: Run): RateStop | null {
  const { complete } = run;
  if (complete === undefined || complete.status !== "failed") return null;
  const error = run.rows.findLast((row) => row.kind === "error") ?? null;
  if (complete.code !== rateLimited && error?.code !== rateLimited) return null;
  return { error, resetsAt: run.rateLimit?.resetsAt ?? "" };
}

/** The prompt that is to go on with a run, if one waits. */
export function continuing(run: Run, items: readonly QueuedItem[]): QueuedItem | null {
  return items.find((item) => item.continues === run.key) ?? null;
}

const budgets = {
  budget_time: "max.time",
  budget_tokens: "max.tokens",
  budget_cost: "max.cost",
  budget_chat: "max.chat",
  budget_day: "max.day",
} as const;

function isBudget(code: string): code is keyof typeof budgets {
  return Object.hasOwn(budgets, code);
}

/** Which limit a run came to. */
export function limitTitle(complete: CompleteEvent): string {
  const code = complete.code ?? "";
  return t(isBudget(code) ? budgets[code] : "max.title");
}

/** The command that goes on with a run's session in a terminal; empty where there is none. */
export function resumeCommand(run: Run, info: AgentInfo | undefined): string {
  const { session } = run;
  if (session === undefined || info?.resume === undefined || info.id !== session.agent) return "";
  return info.resume.replace("{session}", session.sessionId);
}

/** Whether the agent is trying again after its model did not answer. */
export function isRetrying(run: Run): boolean {
  const last = run.rows.at(-1);
  return last?.kind === "notice" && last.code === "api_retry";
}
