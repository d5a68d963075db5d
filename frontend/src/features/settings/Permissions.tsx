import { ChevronDown, ChevronRight } from "lucide-react";
import { useState } from "react";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import type { ChatSummary } from "../../wire/types";
import { RuleList } from "../chat";
import { sorted, titleOf, useChats, useWorkspaceState } from "../chats";

/** So many chats are listed at first. */
const some = 20;

/** What people allowed for each chat, and the way to take it back. */
export function Permissions() {
  const chats = sorted(useChats());
  const [most, setMost] = useState(some);
  const loaded = useWorkspaceState((s) => s.loaded);
  if (chats.length === 0) return loaded ? <p className="py-2 text-ui text-ink-2">{t("chats.none")}</p> : null;
  return (
    <>
      <ul className="divide-y divide-line rounded-3 border border-line-2 bg-raised">
        {chats.slice(0, most).map((chat) => (
          <Chat key={chat.id} chat={chat} />
        ))}
      </ul>
      {chats.length > most ? (
        <Button look="ghost" className="mt-2" onClick={() => setMost(most + some)}>
          {t("permissions.more", { n: chats.length - most })}
        </Button>
      ) : null}
    </>
  );
}

function Chat({ chat }: { chat: ChatSummary }) {
  const [open, setOpen] = useState(false);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="target flex w-full min-w-0 items-center gap-2 px-3 text-start text-ui hover:bg-hover"
      >
        <Chevron aria-hidden="true" size={14} className="text-ink-3" />
        <span dir="auto" className="min-w-0 truncate">
          {titleOf(chat)}
        </span>
      </button>
      {open ? (
        <div className="px-3 pb-3">
          <RuleList chat={chat.id} />
        </div>
      ) : null}
    </li>
  );
}
