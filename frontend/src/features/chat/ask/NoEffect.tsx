import { t } from "../../../messages/t";
import { Button } from "../../../ui/Button";
import { Glyph } from "../../../ui/Glyph";
import { useChat, useChatState } from "../context";

/** Says that an answer of this browser came too late, and whose counted. */
export function NoEffect() {
  const { store } = useChat();
  const fault = useChatState((s) => [...s.answers.values()].find((a) => a.fault !== undefined)?.fault);
  if (fault === undefined) return null;
  return (
    <div
      role="alert"
      className="mb-2 flex flex-wrap items-center gap-3 rounded-3 border border-line-3 bg-raised px-3.5 py-2"
    >
      <Glyph signal="held" size={14} />
      <p className="min-w-48 flex-1 text-ui">
        <span className="font-semibold">{t("ask.noeffect")}</span> {fault.message}
      </p>
      <Button onClick={() => store.forgetAnswers()}>{t("ask.dismiss")}</Button>
    </div>
  );
}
