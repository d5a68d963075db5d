import { memo, type ReactNode } from "react";
import type { ErrorRow, Run } from "../../live/rows";
import { clockTime } from "../../messages/format";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { Glyph } from "../../ui/Glyph";
import { Ticked } from "../../ui/Ticked";

type BlockProps = { title: string; body: ReactNode; detail?: string; children?: ReactNode };

/** What happened, what is kept, and one next step. */
function Block({ title, body, detail, children }: BlockProps) {
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-2 rounded-3 border border-stop-line bg-raised px-3.5 py-3">
      <span className="flex h-5 items-center">
        <Glyph signal="failed" size={14} />
      </span>
      <div className="min-w-48 flex-1">
        <p className="text-ui font-semibold wrap-anywhere">{title}</p>
        <p className="text-small text-ink-2 wrap-anywhere">{body}</p>
        {detail === undefined ? null : (
          <p className="mt-1 font-mono text-count text-ink-3 wrap-anywhere">{detail}</p>
        )}
      </div>
      {children}
    </div>
  );
}

/** The first sentence of a long message is its title, the rest goes below. */
function parted(message: string): readonly [title: string, rest: string] {
  const end = message.length > 100 ? message.search(/[.:] /) : -1;
  return end < 0 || end > 100 ? [message, ""] : [message.slice(0, end + 1), message.slice(end + 2)];
}

type ErrorProps = { row: ErrorRow; onRetry?: () => void };

/** An error of the agent, where it came. */
export const ErrorBlock = memo(function ErrorBlock({ row, onRetry }: ErrorProps) {
  const [title, rest] = parted(row.message === "" ? t("error.unknown") : row.message);
  return (
    <Block
      title={title}
      body={
        <>
          {rest} {t("error.kept")} {row.hint === undefined ? null : <Ticked text={row.hint} />}
        </>
      }
      detail={`${row.code} · ${clockTime(row.at)}`}
    >
      {row.retryable && onRetry !== undefined ? (
        <Button look="primary" onClick={onRetry}>
          {t("retry")}
        </Button>
      ) : null}
    </Block>
  );
});

type EndProps = { run: Run; onContinue?: () => void; onRetry?: () => void };

/** The end of a run that did not end well, where no error of the agent says so already. */
export function EndBlock({ run, onContinue, onRetry }: EndProps) {
  const { complete } = run;
  if (complete === undefined) return null;
  const at = clockTime(complete.t);
  const told = run.rows.some((row) => row.kind === "error");
  switch (complete.status) {
    case "ok":
    case "cancelled":
      return null;
    case "interrupted":
      return (
        <Block
          title={t(complete.code === "shutdown" ? "interrupted.shutdown" : "interrupted.title", { at })}
          body={[complete.notice ?? "", t("interrupted.body")].join(" ").trim()}
        >
          {onContinue === undefined ? null : (
            <Button look="primary" onClick={onContinue}>
              {t("continue")}
            </Button>
          )}
        </Block>
      );
    case "max_iterations":
      return (
        <Block title={t("max.title")} body={complete.notice ?? t("max.body")}>
          {onContinue === undefined ? null : (
            <Button look="primary" onClick={onContinue}>
              {t("continue")}
            </Button>
          )}
        </Block>
      );
    case "failed":
      if (told && complete.notice === undefined) return null;
      return (
        <Block
          title={complete.notice ?? t("failed.title")}
          body={t(complete.code === "processes_left" ? "failed.processes" : "error.kept")}
          {...(complete.code === undefined ? {} : { detail: `${complete.code} · ${at}` })}
        >
          {onRetry === undefined || told ? null : (
            <Button look="primary" onClick={onRetry}>
              {t("retry")}
            </Button>
          )}
        </Block>
      );
  }
}
