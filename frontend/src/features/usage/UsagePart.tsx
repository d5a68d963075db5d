import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type UsageBy, usageQuery } from "../../api/account";
import { t } from "../../messages/t";
import { useNow } from "../../ui/useNow";
import { Choice } from "./Choice";
import { DayChart } from "./DayChart";
import { Report } from "./Report";
import { SumTable } from "./SumTable";
import { dayBefore } from "./usage.logic";

const spans = [7, 14, 90] as const;
const kinds: readonly UsageBy[] = ["day", "agent", "model", "person", "chat", "run"];

/** What runs used in the last days: by day, agent, model, person, chat or run. */
export function UsagePart() {
  const now = useNow(60_000);
  const [days, setDays] = useState<number>(14);
  const [by, setBy] = useState<UsageBy>("day");
  const from = dayBefore(now, days - 1);
  const byDay = useQuery({ ...usageQuery({ by: "day", from }), placeholderData: keepPreviousData });
  const asked = useQuery({ ...usageQuery({ by, from }) });
  return (
    <section aria-label={t("settings.usage")} className="flex flex-col gap-3">
      <Choice
        name={t("usage.span")}
        chosen={days}
        options={spans.map((n) => ({ value: n, name: t("usage.days", { n }) }))}
        onChoose={setDays}
      />
      <Report query={byDay} none={t("usage.none")}>
        {(report) => (
          <div className="rounded-3 border border-line-2 bg-raised p-3">
            <p className="pb-2 text-ui font-medium">{t("usage.tokens")}</p>
            <DayChart sums={report.sums} now={now} days={days} />
          </div>
        )}
      </Report>
      {byDay.data === undefined || byDay.data.total.runs === 0 ? null : (
        <>
          <Choice
            name={t("usage.by")}
            chosen={by}
            options={kinds.map((kind) => ({ value: kind, name: t(`usage.by.${kind}`) }))}
            onChoose={setBy}
          />
          {asked.isError ? <p className="text-ui text-stop">{t("usage.failed")}</p> : null}
          {asked.data === undefined ? (
            <p className="text-ui text-ink-3">{t("loading")}</p>
          ) : (
            <SumTable
              key={by}
              by={by}
              name={t(`usage.by.${by}`)}
              sums={by === "day" ? asked.data.sums.toReversed() : asked.data.sums}
            />
          )}
        </>
      )}
    </section>
  );
}
