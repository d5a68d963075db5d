import { t } from "../../messages/t";
import { refusalWords, useChoices } from "../composer";
import { useChat, useChatState } from "./context";
import { noteWords } from "./queue/queue.logic";
import { isLive } from "./thread.logic";

type Props = {
  /** Esc was pressed once. */
  armed: boolean;
  /** Two browsers wrote at the same time. */
  both: boolean;
  onSeen: () => void;
};

/** What the writer should know: one thing at a time, the most urgent first. */
export function ComposerNote({ armed, both, onSeen }: Props) {
  const { store } = useChat();
  const refusal = useChatState((s) => s.refusal);
  const stop = useChatState((s) => s.stop?.fault?.message ?? "");
  const queue = useChatState((s) => s.queue);
  const goingOn = useChatState((s) => s.goingOn?.fault);
  if (armed) return <span className="text-ink-2">{t("stop.again")}</span>;
  if (stop !== "") return <Alert text={stop} />;
  if (refusal !== null) return <Alert text={refusalWords(refusal.fault)} />;
  if (goingOn !== undefined)
    return (
      <Alert text={[goingOn.message, goingOn.hint ?? ""].join(" ").trim() || t("refused.unavailable")} />
    );
  if (queue.note !== null)
    return <Alert text={noteWords(queue.note, queue)} onSeen={() => store.queue.forget()} />;
  return both ? <Alert text={t("draft.both")} onSeen={onSeen} /> : <LaterMode />;
}

/** Says that a mode which was chosen while a run goes on is not that run's. */
function LaterMode() {
  const { id } = useChat();
  const next = useChoices((s) => s.chosen[id]?.mode);
  const now = useChatState((s) => s.thread.findLast((run) => isLive(run, s.sync))?.started?.selection.mode);
  if (next === undefined || now === undefined || next === now) return null;
  return <span role="status">{t("mode.later", { now: t(`mode.${now}`), next: t(`mode.${next}`) })}</span>;
}

function Alert({ text, onSeen }: { text: string; onSeen?: () => void }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <span role="alert" className="text-stop">
        {text}
      </span>
      {onSeen === undefined ? null : (
        <button type="button" onClick={onSeen} className="target px-1 font-medium text-accent">
          {t("ask.dismiss")}
        </button>
      )}
    </span>
  );
}
