import { money } from "../../messages/format";
import { t } from "../../messages/t";
import type { Sum } from "../../wire/types";

/** All tokens that were read and written. */
export function tokensOf(sum: Sum): number {
  return sum.input + sum.output + sum.cacheRead + sum.cacheWrite;
}

/** What it cost: exact, estimated in part, or unknown for some of the runs or all. */
export function costOf(sum: Sum): string {
  if (sum.runs > 0 && sum.unknown === sum.runs) return t("cost.unknown");
  const known = sum.exact + sum.estimated;
  const amount = sum.estimated > 0 ? t("cost.estimated", { amount: money(known) }) : money(known);
  return sum.unknown === 0 ? amount : t("usage.cost.part", { amount, n: sum.unknown });
}

/** The day that is some days before a time, as a calendar in the reader's zone has it. */
export function dayBefore(now: number, days: number): string {
  const date = new Date(now);
  date.setDate(date.getDate() - days);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Every day of a span, also those on which nothing ran. */
export function everyDay(
  sums: readonly Sum[],
  now: number,
  days: number,
): readonly { readonly day: string; readonly sum: Sum | undefined }[] {
  const known = new Map(sums.map((sum) => [sum.key, sum]));
  return Array.from({ length: days }, (_, i) => {
    const day = dayBefore(now, days - 1 - i);
    return { day, sum: known.get(day) };
  });
}

/** So many agents have a colour of their own; the rest share the last. */
const colours = 4;

/** A series of the chart: an agent, or those that are left over. */
export type Series = { readonly name: string; readonly agents: readonly string[] };

/** The agents that used something, in the order in which they are offered, whatever they used. */
export function seriesOf(
  sums: readonly Sum[],
  offered: readonly { readonly id: string; readonly name: string }[],
  rest: string,
): readonly Series[] {
  const used = new Set(sums.flatMap((sum) => Object.keys(sum.agents ?? {})));
  const known = offered.filter(({ id }) => used.has(id));
  const ids = new Set(known.map(({ id }) => id));
  const all = [
    ...known.map(({ id, name }) => ({ name, agents: [id] })),
    ...[...used].filter((id) => !ids.has(id)).map((id) => ({ name: id, agents: [id] })),
  ];
  if (all.length <= colours) return all;
  const last = all.slice(colours - 1).flatMap(({ agents }) => agents);
  return [...all.slice(0, colours - 1), { name: rest, agents: last }];
}

/** The tokens of a series on a day. */
export function usedBy({ agents }: Series, sum: Sum | undefined): number {
  return agents.reduce((n, id) => n + (sum?.agents?.[id] ?? 0), 0);
}

/** A round number that no bar is higher than. */
export function ceiling(most: number): number {
  if (most <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 3, 5].find((n) => n * unit >= most) ?? 10) * unit;
}
