import { Link } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { UsageBy } from "../../api/account";
import { agentsQuery } from "../../api/queries";
import { compact, dateAndTime, duration } from "../../messages/format";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { useNow } from "../../ui/useNow";
import type { UsageSum } from "../../wire/types";
import { costOf, tokensOf } from "./usage.logic";

/** So many rows are drawn at first, and more at a time. */
const some = 50;

const number = "px-2 py-1.5 text-end font-mono text-count whitespace-nowrap last:pe-3";

type Props = { by: UsageBy; sums: readonly UsageSum[]; name: string };

/** What each of something used. */
export function SumTable({ by, sums, name }: Props) {
  const [most, setMost] = useState(some);
  return (
    <>
      {/* What scrolls must be reached by the keyboard. */}
      <div
        tabIndex={0}
        role="region"
        aria-label={name}
        className="overflow-x-auto rounded-3 border border-line-2 bg-raised"
      >
        <table className="w-full text-ui">
          <thead className="text-caption text-ink-2">
            <tr className="border-b border-line">
              <th scope="col" className="px-3 py-1.5 text-start font-semibold">
                {t(`usage.by.${by}`)}
              </th>
              {(["runs", "tokens", "time", "cost"] as const)
                .filter((column) => by !== "run" || column !== "runs")
                .map((column) => (
                  <th key={column} scope="col" className="px-2 py-1.5 text-end font-semibold last:pe-3">
                    {t(`usage.${column}`)}
                  </th>
                ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {sums.slice(0, most).map((sum) => (
              <tr key={sum.key}>
                <th scope="row" className="max-w-0 min-w-32 px-3 py-1.5 text-start font-normal">
                  <Name by={by} sum={sum} />
                </th>
                {by === "run" ? null : <td className={number}>{sum.runs}</td>}
                <td className={number} title={partsOf(sum)}>
                  {compact(tokensOf(sum))}
                </td>
                <td className={number}>{duration(sum.ms)}</td>
                <td className={number}>{costOf(sum)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {sums.length > most ? (
        <Button look="ghost" className="mt-2" onClick={() => setMost(most + some)}>
          {t("usage.more", { n: sums.length - most })}
        </Button>
      ) : null}
    </>
  );
}

/** The parts of the tokens, in words. */
function partsOf(sum: UsageSum): string {
  return (["input", "output", "cacheRead", "cacheWrite", "reasoning"] as const)
    .map((part) => `${t(`usage.${part}`)} ${compact(sum[part])}`)
    .join(", ");
}

function Name({ by, sum }: { by: UsageBy; sum: UsageSum }) {
  const now = useNow(60_000);
  const agents = useQuery(agentsQuery).data?.agents ?? [];
  switch (by) {
    case "chat":
      return sum.title === undefined ? (
        <span className="text-ink-3">{t("usage.chat.gone")}</span>
      ) : (
        <Link
          to="/chats/$id"
          params={{ id: sum.key }}
          dir="auto"
          className="block truncate text-accent underline-offset-2 hover:underline"
        >
          {sum.title === "" ? t("chat.untitled") : sum.title}
        </Link>
      );
    case "agent":
      return agents.find(({ info }) => info.id === sum.key)?.info.name ?? sum.key;
    case "person":
      return (
        <bdi className="block truncate">{sum.name === undefined || sum.name === "" ? sum.key : sum.name}</bdi>
      );
    case "run":
      return <span className="font-mono text-count">{dateAndTime(sum.started, now)}</span>;
    case "day":
    case "model":
      return <span className="block truncate">{sum.key === "" ? t("usage.model.none") : sum.key}</span>;
  }
}
