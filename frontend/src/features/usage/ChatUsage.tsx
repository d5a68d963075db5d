import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { usageQuery } from "../../api/account";
import { t } from "../../messages/t";
import { Report } from "./Report";
import { SumTable } from "./SumTable";

/** What each run of one chat used; `ended` changes when a run has ended. */
export function ChatUsage({ chat, ended }: { chat: string; ended: string }) {
  const query = useQuery(usageQuery({ by: "run", chat }));
  const { refetch } = query;
  useEffect(() => {
    void refetch();
  }, [ended, refetch]);
  return (
    <div className="flex flex-col gap-3">
      <Report query={query} none={t("usage.none.chat")}>
        {(report) => <SumTable by="run" name={t("usage.by.run")} sums={report.sums} />}
      </Report>
    </div>
  );
}
