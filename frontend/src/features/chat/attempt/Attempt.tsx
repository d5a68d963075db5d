import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { rewoundQuery } from "../../../api/outline";
import { ApiError } from "../../../api/http";
import { extendThread } from "../../../live/thread";
import { t } from "../../../messages/t";
import { Button } from "../../../ui/Button";
import type { Cut } from "../../../wire/types";
import { useChat, useChatState } from "../context";
import { AttemptRun } from "./AttemptRun";

/** All that a rewind took out, from its first prompt on, to be read and not to be changed. */
export function Attempt({ cut }: { cut: Cut }) {
  const { id } = useChat();
  const me = useChatState((s) => s.me?.id ?? "");
  const query = useInfiniteQuery(rewoundQuery(id, cut.epoch));
  const { data, error, hasNextPage, isFetching } = query;
  const runs = useMemo(
    () =>
      extendThread([], data?.pages.flatMap((page) => page.events) ?? []).filter(
        (run) => run.prompt !== undefined || run.rows.length > 0,
      ),
    [data],
  );
  const said = error instanceof ApiError ? error.fault.message : "";
  return (
    // It scrolls by itself, and the keyboard must reach it.
    <div
      role="group"
      aria-label={t("attempt")}
      aria-busy={isFetching}
      tabIndex={0}
      className="mt-1.5 flex max-h-[60dvh] flex-col gap-3 overflow-y-auto border-t border-line py-2 -outline-offset-2"
    >
      {runs.map((run) => (
        <AttemptRun key={run.key} run={run} me={me} />
      ))}
      {error !== null ? (
        <p role="alert" className="flex flex-wrap items-center gap-3 text-small text-stop">
          {said === "" ? t("attempt.failed") : said}
          <Button onClick={() => void (data === undefined ? query.refetch() : query.fetchNextPage())}>
            {t("retry")}
          </Button>
        </p>
      ) : isFetching ? (
        <p className="text-small text-ink-3">
          {data === undefined ? <bdi className="block">{cut.line}</bdi> : null}
          {t("attempt.loading")}
        </p>
      ) : hasNextPage ? (
        <span>
          <Button onClick={() => void query.fetchNextPage()}>{t("attempt.more")}</Button>
        </span>
      ) : null}
    </div>
  );
}
