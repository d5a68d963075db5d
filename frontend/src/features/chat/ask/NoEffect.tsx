import { Eye } from "lucide-react";
import { t } from "../../../messages/t";
import { Button } from "../../../ui/Button";
import { useChat, useChatState } from "../context";
import { lostRace } from "./late.logic";

/** Says that an answer of this browser came too late, by how much, and whose counted. */
export function NoEffect() {
  const { store } = useChat();
  const answers = useChatState((s) => s.answers);
  const run = useChatState((s) => s.thread.at(-1));
  const ahead = useChatState((s) => s.ahead);
  const [request, answering] = [...answers].find(([, a]) => a.fault !== undefined) ?? [];
  if (request === undefined || answering === undefined) return null;
  const { what, rest, goes } = lostRace(run, request, answering, ahead);
  return (
    <div
      role="alert"
      className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-3 border border-line-3 bg-raised px-3.5 py-2"
    >
      <Eye aria-hidden="true" size={14} className="text-ink-3" />
      <p className="min-w-48 flex-1 text-ui wrap-anywhere">
        <span className="font-semibold">{what}</span> {rest} {goes ? t("ask.goes") : null}
      </p>
      {goes ? <Button onClick={() => store.cancel()}>{t("ask.stop")}</Button> : null}
      <Button look="ghost" onClick={() => store.forgetAnswers()}>
        {t("ask.dismiss")}
      </Button>
    </div>
  );
}
