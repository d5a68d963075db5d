import { compact, duration, money } from "../../messages/format";
import { t } from "../../messages/t";
import { tokensOf } from "./run.logic";
import type { CompleteEvent, Usage } from "../../wire/types";

/** What a run cost, in words: exact, estimated or unknown. */
function costOf(usage: Usage | undefined): string {
  if (usage?.costUsd === undefined || usage.costKind === undefined) return t("cost.unknown");
  const amount = money(usage.costUsd);
  return usage.costKind === "exact" ? amount : t("cost.estimated", { amount });
}

/** The words of the line under a finished run. */
export function footerOf(complete: CompleteEvent): readonly string[] {
  const { usage } = complete;
  return [
    ...(complete.ms > 0 ? [duration(complete.ms)] : []),
    ...(usage === undefined ? [] : [t("tokens", { n: compact(tokensOf(usage)) })]),
    costOf(usage),
  ];
}

/** The parts of the usage, for those who ask. */
export function usageDetail(usage: Usage): readonly (readonly [name: string, value: string])[] {
  const parts: (readonly [string, string])[] = [
    [t("usage.input"), compact(usage.input)],
    [t("usage.output"), compact(usage.output)],
  ];
  if (usage.cacheRead !== undefined) parts.push([t("usage.cacheRead"), compact(usage.cacheRead)]);
  if (usage.cacheWrite !== undefined) parts.push([t("usage.cacheWrite"), compact(usage.cacheWrite)]);
  if (usage.reasoning !== undefined) parts.push([t("usage.reasoning"), compact(usage.reasoning)]);
  if (usage.context !== undefined && usage.contextMax !== undefined) {
    parts.push([
      t("usage.context"),
      t("usage.of", { n: compact(usage.context), max: compact(usage.contextMax) }),
    ]);
  }
  return parts;
}
