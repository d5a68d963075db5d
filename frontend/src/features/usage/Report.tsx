import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { compact, duration } from "../../messages/format";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import type { UsageReport } from "../../wire/types";
import { costOf, tokensOf } from "./usage.logic";

type Props = {
  query: UseQueryResult<UsageReport>;
  none: string;
  children: (report: UsageReport) => ReactNode;
};

/** What was used in total, and the parts of it; or why there is nothing to show. */
export function Report({ query, none, children }: Props) {
  const { data, error, refetch } = query;
  if (data === undefined) {
    return error === null ? (
      <p role="status" className="text-ui text-ink-3">
        {t("loading")}
      </p>
    ) : (
      <p role="alert" className="flex flex-wrap items-center gap-3 text-ui text-stop">
        {error.message === "" ? t("usage.failed") : error.message}
        <Button onClick={() => void refetch()}>{t("retry")}</Button>
      </p>
    );
  }
  const { total, index } = data;
  return (
    <>
      {total.runs === 0 ? (
        <p className="py-4 text-ui text-ink-3">{none}</p>
      ) : (
        <>
          <p className="flex flex-wrap gap-x-4 text-ui text-ink-2">
            <span>{t("usage.total.runs", { n: total.runs })}</span>
            <span>{t("usage.total.tokens", { n: compact(tokensOf(total)) })}</span>
            <span>{duration(total.ms)}</span>
            <span>{costOf(total)}</span>
          </p>
          {children(data)}
        </>
      )}
      {error === null ? null : <p className="text-small text-stop">{t("usage.old")}</p>}
      {index.behind > 0 ? (
        <p className="text-small text-ink-3">{t("search.behind", { n: index.behind })}</p>
      ) : null}
    </>
  );
}
