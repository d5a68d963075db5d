import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { agentsQuery } from "../../api/queries";
import type { Run } from "../../live/rows";
import { t } from "../../messages/t";
import { CopyButton } from "../../ui/CopyButton";
import type { CompleteEvent, Usage } from "../../wire/types";
import { footerOf, usageDetail } from "./footer.logic";
import { RetryWith } from "./RetryWith";
import { resumeCommand } from "./run.logic";

type Props = {
  run: Run;
  complete: CompleteEvent;
  /** It is the last run, and its prompt can be sent again. */
  open: boolean;
};

/** The line under a finished run: how it ended, how long it took, what it used and cost. */
export function Footer({ run, complete, open }: Props) {
  const [shown, setShown] = useState(false);
  const { data } = useQuery(agentsQuery);
  const info = data?.agents.find((a) => a.info.id === run.session?.agent)?.info;
  const resume = resumeCommand(run, info);
  const { usage } = complete;
  const line = (
    <>
      {complete.status === "cancelled" ? (
        <span className="font-sans font-medium text-ink-2">{t("stopped")}</span>
      ) : null}
      {footerOf(complete).join(" · ")}
    </>
  );
  const look = "flex flex-wrap items-center gap-x-2 text-start font-mono text-count text-ink-3";
  if (usage === undefined && resume === "") return <p className={look}>{line}</p>;
  return (
    <div>
      <button
        type="button"
        aria-expanded={shown}
        title={t("usage.show")}
        onClick={() => setShown(!shown)}
        className={`${look} target -mx-1 rounded-2 px-1 hover:bg-hover hover:text-ink-2`}
      >
        {line}
      </button>
      {shown ? (
        <div className="flex flex-col gap-2">
          {usage === undefined ? null : <Used usage={usage} />}
          {resume === "" ? null : <Resume command={resume} />}
          {open && complete.status !== "failed" ? (
            <span>
              <RetryWith label={t("again.other")} />
            </span>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

function Used({ usage }: { usage: Usage }) {
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-1 font-mono text-count text-ink-3">
      {usage.model === undefined ? null : <Part name={t("usage.model")} value={usage.model} />}
      {usageDetail(usage).map(([name, value]) => (
        <Part key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

/** The command that goes on with the same session outside of this page. */
function Resume({ command }: { command: string }) {
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-small text-ink-2">
      {t("resume")}
      <code
        dir="ltr"
        className="rounded-1 border border-line-2 bg-sunken px-1 font-mono text-code wrap-anywhere"
      >
        {command}
      </code>
      <CopyButton text={command} label={t("copy.command")} />
    </p>
  );
}

function Part({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex gap-1">
      <dt>{name}</dt>
      <dd className="text-ink-2">{value}</dd>
    </div>
  );
}
