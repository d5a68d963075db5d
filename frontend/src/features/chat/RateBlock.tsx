import type { Run } from "../../live/rows";
import { clockTime, elapsed, sentence } from "../../messages/format";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { useNow } from "../../ui/useNow";
import { Block } from "./Block";
import { useChat, useChatState } from "./context";
import { RetryWith } from "./RetryWith";
import { continuing, type RateStop } from "./run.logic";

type Props = { run: Run; stop: RateStop; open: boolean };

/** A run that the agent's vendor refused for now: until when, and how it goes on. */
export function RateBlock({ run, stop, open }: Props) {
  const { store } = useChat();
  const now = useNow(1000);
  const items = useChatState((s) => s.queue.items);
  const until = useChatState((s) => s.queue.paused?.until ?? "");
  const pending = useChatState((s) => s.goingOn !== null && s.goingOn.fault === undefined);
  const online = useChatState((s) => s.link.kind === "open");
  const { error, resetsAt } = stop;
  const waits = continuing(run, items);
  const left = resetsAt === "" ? 0 : Date.parse(resetsAt) - now;
  const at = resetsAt === "" ? "" : clockTime(resetsAt);
  const when =
    waits !== null && until !== ""
      ? t("rate.by.itself", { left: elapsed(Math.max(0, Date.parse(until) - now)) })
      : "";
  return (
    <Block
      signal="held"
      title={left > 0 ? t("rate.until", { at }) : t("rate.title")}
      body={[sentence(error?.message ?? ""), when, t("error.kept")].join(" ").trim()}
    >
      {!open ? null : waits === null ? (
        <Button
          look="primary"
          disabled={pending || !online}
          onClick={() => void store.goOn(left > 0 ? "reset" : undefined)}
        >
          {left > 0 ? t("rate.continue", { at }) : t("continue")}
        </Button>
      ) : (
        <Button disabled={!online} onClick={() => store.queue.act(waits.clientId, { kind: "remove" })}>
          {t("rate.stay")}
        </Button>
      )}
      {open ? <RetryWith /> : null}
    </Block>
  );
}
