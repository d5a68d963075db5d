import { memo } from "react";
import type { ErrorRow, Run } from "../../live/rows";
import { clockTime, sentence } from "../../messages/format";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { Ticked } from "../../ui/Ticked";
import { Block } from "./Block";
import { RateBlock } from "./RateBlock";
import { RetryWith } from "./RetryWith";
import { Review, writtenBy } from "./Review";
import { limitTitle, rateLimited, rateStopOf } from "./run.logic";
import { useChat, useChatState } from "./context";

/** The first sentence of a long message is its title, the rest goes below. */
function parted(message: string): readonly [title: string, rest: string] {
  const end = message.length > 100 ? message.search(/[.:] /) : -1;
  return end < 0 || end > 100 ? [message, ""] : [message.slice(0, end + 1), message.slice(end + 2)];
}

type ErrorProps = { row: ErrorRow; onRetry?: () => void };

/** An error of the agent, where it came. A limit of its vendor is told at the end of the run. */
export const ErrorBlock = memo(function ErrorBlock({ row, onRetry }: ErrorProps) {
  if (row.code === rateLimited) return null;
  const [title, rest] = parted(row.message === "" ? t("error.unknown") : row.message);
  return (
    <Block
      title={title}
      body={
        <>
          {sentence(rest)} {t("error.kept")} {row.hint === undefined ? null : <Ticked text={row.hint} />}
        </>
      }
      detail={`${row.code} · ${clockTime(row.at)}`}
    >
      {onRetry === undefined ? null : (
        <>
          {/* Where something has to be mended first, it is not what one does at once. */}
          <Button look={row.retryable ? "primary" : "plain"} onClick={onRetry}>
            {t("retry")}
          </Button>
          <RetryWith />
        </>
      )}
    </Block>
  );
});

type EndProps = {
  run: Run;
  /** It is the last run, and can be gone on with. */
  open: boolean;
  onRetry?: () => void;
};

/** The end of a run that did not end well, where no error of the agent says so already. */
export function EndBlock({ run, open, onRetry }: EndProps) {
  const { complete } = run;
  if (complete === undefined) return null;
  const at = clockTime(complete.t);
  const told = run.rows.some((row) => row.kind === "error");
  switch (complete.status) {
    case "ok":
    case "cancelled":
      return null;
    case "interrupted": {
      const files = writtenBy(run);
      return (
        <Block
          title={t(complete.code === "shutdown" ? "interrupted.shutdown" : "interrupted.title", { at })}
          body={[
            complete.notice ?? "",
            t("interrupted.body"),
            files === 0 ? "" : t("interrupted.files", { n: files }),
          ]
            .join(" ")
            .trim()}
        >
          {open ? <GoOn /> : null}
          {files === 0 ? null : <Review />}
        </Block>
      );
    }
    case "max_iterations":
      return (
        <Block signal="held" title={limitTitle(complete)} body={complete.notice ?? t("max.body")}>
          {open ? <GoOn /> : null}
        </Block>
      );
    case "failed": {
      const rate = rateStopOf(run);
      if (rate !== null) return <RateBlock run={run} stop={rate} open={open} />;
      if (told && complete.notice === undefined) return null;
      return (
        <Block
          title={complete.notice ?? t("failed.title")}
          body={t(complete.code === "processes_left" ? "failed.processes" : "error.kept")}
          {...(complete.code === undefined ? {} : { detail: `${complete.code} · ${at}` })}
        >
          {onRetry === undefined || told ? null : (
            <>
              <Button look="primary" onClick={onRetry}>
                {t("retry")}
              </Button>
              <RetryWith />
            </>
          )}
        </Block>
      );
    }
  }
}

/** Goes on with the run in the agent's session. */
function GoOn() {
  const { store } = useChat();
  const pending = useChatState((s) => s.goingOn !== null && s.goingOn.fault === undefined);
  const online = useChatState((s) => s.link.kind === "open");
  return (
    <Button look="primary" disabled={pending || !online} onClick={() => void store.goOn()}>
      {t("continue")}
    </Button>
  );
}
