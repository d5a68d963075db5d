import type { RefObject } from "react";
import { compact } from "../../messages/format";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { Glyph } from "../../ui/Glyph";
import { giveBack } from "../composer";
import { contextUse, nearLimit } from "./context.logic";
import { useChat, useChatState } from "./context";

/** Says that the chat is about to be too long for its model, while there is still room for a summary. */
export function NearLimit({ field }: { field: RefObject<HTMLTextAreaElement | null> }) {
  const { id } = useChat();
  const words = useChatState((s) => {
    const use = contextUse(s.thread, s.usage);
    if (use === null || !nearLimit(use)) return "";
    return t("context.near.body", { n: compact(use.used), max: compact(use.max) });
  });
  if (words === "") return null;
  return (
    <div
      role="status"
      className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-3 border border-caution-line bg-caution-bg px-3 py-1.5"
    >
      <Glyph signal="held" size={14} />
      <p className="min-w-48 flex-1 text-ui">
        <strong className="font-semibold">{t("context.near")}</strong> {words}
      </p>
      <Button
        onClick={() => {
          giveBack(id, t("context.summary.prompt"));
          field.current?.focus();
        }}
      >
        {t("context.summary")}
      </Button>
    </div>
  );
}
