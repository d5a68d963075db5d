import { t } from "../../messages/t";
import { Badge } from "../../ui/Badge";
import { CopyButton } from "../../ui/CopyButton";
import { Glyph, type Signal } from "../../ui/Glyph";
import { firstCode, Ticked } from "../../ui/Ticked";
import type { Agent, AgentState } from "../../wire/types";

const signals: Readonly<Record<AgentState, Signal>> = {
  ready: "ready",
  not_installed: "rest",
  not_signed_in: "needs",
  broken: "failed",
  unknown: "rest",
};

/** Which agents this daemon can run, and what is missing where it can't. */
export function AgentCards({ agents }: { agents: readonly Agent[] }) {
  return (
    <ul className="grid gap-2 sm:grid-cols-2">
      {agents.map((agent) => (
        <AgentCard key={agent.info.id} agent={agent} />
      ))}
    </ul>
  );
}

function AgentCard({ agent: { info, status } }: { agent: Agent }) {
  const message = status.message ?? t(`agent.${status.state}`);
  const missing = status.state === "ready" && status.signIn === "missing";
  const state = missing ? "not_signed_in" : status.state;
  const command = status.hint === undefined ? null : firstCode(status.hint);
  return (
    <li className="rounded-3 border border-line-2 bg-raised px-3 py-2.5">
      <div className="flex items-center gap-2">
        <Glyph signal={signals[state]} size={12} name={t(`agent.${state}`)} />
        <h3 className="min-w-0 truncate text-ui font-semibold">{info.name}</h3>
        {info.demo === true ? <Badge tone="accent">{t("demo")}</Badge> : null}
        <span className="flex-1" />
        <span className="truncate font-mono text-count text-ink-3">{status.version ?? ""}</span>
      </div>
      <p className="mt-0.5 text-small text-ink-2">
        {info.demo === true && status.state === "ready" ? t("demo.ready") : message}
      </p>
      {status.hint === undefined ? null : (
        <p className="mt-1 flex items-start gap-1 text-small text-ink-2">
          <span className="min-w-0 flex-1 py-1.25 wrap-anywhere">
            <Ticked text={status.hint} />
          </span>
          {command === null ? null : <CopyButton text={command} label={t("copy.command")} />}
        </p>
      )}
    </li>
  );
}
