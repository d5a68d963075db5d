import { Archive, ArchiveRestore, Mail, Trash2 } from "lucide-react";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import type { ChatSummary } from "../../wire/types";
import { useChatHands } from "../chats";

type Props = {
  picking: boolean;
  chosen: readonly ChatSummary[];
  archived: boolean;
  onPicking: (on: boolean) => void;
  onAll: () => void;
};

/** What can be done with several chats at once. */
export function Picked({ picking, chosen, archived, onPicking, onAll }: Props) {
  const hands = useChatHands();
  if (!picking) {
    return (
      <p className="mb-2 flex justify-end">
        <Button onClick={() => onPicking(true)}>{t("chats.select")}</Button>
      </p>
    );
  }
  const none = chosen.length === 0;
  const then = (work: Promise<unknown>) => {
    void work.then(() => onPicking(false));
  };
  const Icon = archived ? ArchiveRestore : Archive;
  return (
    <div role="toolbar" aria-label={t("chats.select")} className="mb-2 flex flex-wrap items-center gap-3">
      <span role="status" className="flex-1 text-ui font-medium">
        {t("chats.selected", { n: chosen.length })}
      </span>
      <Button look="ghost" onClick={onAll}>
        {t("chats.select.all")}
      </Button>
      <Button disabled={none} onClick={() => then(hands.unread(chosen))}>
        <Mail aria-hidden="true" size={14} />
        {t("chat.unread")}
      </Button>
      <Button disabled={none} onClick={() => then(hands.archive(chosen, !archived))}>
        <Icon aria-hidden="true" size={14} />
        {t(archived ? "chat.unarchive" : "chat.archive")}
      </Button>
      <Button look="stop" disabled={none} onClick={() => then(hands.remove(chosen))}>
        <Trash2 aria-hidden="true" size={14} />
        {t("chat.delete")}
      </Button>
      <Button look="ghost" onClick={() => onPicking(false)}>
        {t("chats.select.end")}
      </Button>
    </div>
  );
}
