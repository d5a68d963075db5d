import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { age } from "../../messages/format";
import { t } from "../../messages/t";
import { Glyph } from "../../ui/Glyph";
import { useNow } from "../../ui/useNow";
import type { ChatSummary } from "../../wire/types";
import { signalOf, stateWords, titleOf } from "./chats.logic";
import { useChats, useWorkspaceState } from "./context";

/** The chats in the sidebar, live. */
export function ChatList({ onVisit }: { onVisit: () => void }) {
  const chats = useChats();
  const loaded = useWorkspaceState((s) => s.loaded);
  const now = useNow(30_000);
  if (chats.length === 0)
    return loaded ? <p className="px-4 py-1 text-small text-ink-3">{t("chats.none")}</p> : null;
  return (
    <ul className="flex flex-col px-2">
      {chats.map((chat) => (
        <ChatRow key={chat.id} chat={chat} age={age(chat.active, now)} onVisit={onVisit} />
      ))}
    </ul>
  );
}

/** Chats that wait for somebody, over all others; nothing when there are none. */
export function NeedsYou({ onVisit }: { onVisit: () => void }) {
  const chats = useChats().filter((chat) => chat.needsYou !== undefined);
  const now = useNow(30_000);
  if (chats.length === 0) return null;
  return (
    <section aria-labelledby="needs-you">
      <h2 id="needs-you" className="px-4 pt-3 text-caption font-semibold text-ink-2">
        {t("needsyou")}
      </h2>
      <ul className="flex flex-col px-2">
        {chats.map((chat) => (
          <ChatRow
            key={chat.id}
            chat={chat}
            age={age(chat.needsYou?.since ?? chat.active, now)}
            onVisit={onVisit}
          />
        ))}
      </ul>
    </section>
  );
}

type Props = { chat: ChatSummary; age: string; onVisit: () => void };

const ChatRow = memo(function ChatRow({ chat, age: since, onVisit }: Props) {
  return (
    <li>
      <Link
        to="/chats/$id"
        params={{ id: chat.id }}
        onClick={onVisit}
        className="target relative flex items-center gap-2 rounded-2 px-2 text-ui text-ink-2 -outline-offset-2 hover:bg-hover aria-[current=page]:bg-selected aria-[current=page]:text-ink before:absolute before:inset-y-1 before:left-0 before:w-0.5 before:rounded-full aria-[current=page]:before:bg-ink"
      >
        <Glyph signal={signalOf(chat)} size={12} name={stateWords(chat)} />
        <span
          dir="auto"
          className={
            chat.unread ? "min-w-0 flex-1 truncate font-semibold text-ink" : "min-w-0 flex-1 truncate"
          }
        >
          {titleOf(chat)}
        </span>
        <span className="font-mono text-count text-ink-3">{since}</span>
      </Link>
    </li>
  );
});
