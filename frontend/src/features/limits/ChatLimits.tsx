import { useMutation } from "@tanstack/react-query";
import { changeChat } from "../../api/chats";
import { ApiError } from "../../api/http";
import { t } from "../../messages/t";
import Dialog from "../../ui/Dialog";
import type { ChatSummary, Limits as RunLimits } from "../../wire/types";
import { Limits } from "./Limits";

type Props = { chat: ChatSummary; onChange: (chat: ChatSummary) => void; onClose: () => void };

/** How much each run of one chat may use, whoever sends the prompt. */
export function ChatLimits({ chat, onChange, onClose }: Props) {
  const save = useMutation({
    mutationFn: (limits: RunLimits) => changeChat(chat.id, { limits }),
    onSuccess: (next) => {
      onChange(next);
      onClose();
    },
  });
  const said = save.error instanceof ApiError ? save.error.fault.message : "";
  return (
    <Dialog open title={t("limits")} onClose={onClose}>
      <Limits note={t("limits.chat")} limits={chat.limits ?? {}} onChange={(limits) => save.mutate(limits)} />
      {save.isError ? (
        <p role="alert" className="text-small text-stop">
          {said === "" ? t("settings.refused") : said}
        </p>
      ) : null}
    </Dialog>
  );
}
