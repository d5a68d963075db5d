import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { Pin } from "lucide-react";
import { type KeyboardEvent, memo, Suspense, useRef, useState } from "react";
import { t } from "../../messages/t";
import { Glyph } from "../../ui/Glyph";
import { MenuButton } from "../../ui/MenuButton";
import type { ChatSummary } from "../../wire/types";
import { signalOf, stateWords, titleOf } from "./chats.logic";
import { TitleField } from "./TitleField";
import { chatActs, useChatHands } from "./useChatActs";
import { useLongPress } from "./useLongPress";
import { fetched } from "../../ui/fetched";

const ActionMenu = fetched(() => import("../../ui/ActionMenu"));

type Props = {
  chat: ChatSummary;
  age: string;
  write: boolean;
  onVisit: () => void;
  onRemoved: (id: string) => void;
};

/** A chat in the sidebar; what can be done with it comes by pointing, focus, F2, Delete or a long press. */
export const ChatRow = memo(function ChatRow({ chat, age: since, write, onVisit, onRemoved }: Props) {
  const hands = useChatHands();
  const [renaming, setRenaming] = useState(false);
  const [menu, setMenu] = useState(false);
  const link = useRef<HTMLAnchorElement>(null);
  const press = useLongPress(() => setMenu(true));
  const title = titleOf(chat);
  const acts = () =>
    chatActs(chat, hands, {
      write,
      onRename: () => setRenaming(true),
      onRemoved: () => onRemoved(chat.id),
    });
  const onKeyDown = (event: KeyboardEvent) => {
    if (!write) return;
    if (event.key === "F2") {
      event.preventDefault();
      setRenaming(true);
    } else if (event.key === "Delete") {
      event.preventDefault();
      void hands.remove([chat]).then((done) => {
        if (done) onRemoved(chat.id);
      });
    }
  };
  if (renaming) {
    return (
      <li className="px-2">
        <TitleField
          title={chat.title}
          onEnd={(next) => {
            setRenaming(false);
            if (next !== null) void hands.rename(chat, next);
            requestAnimationFrame(() => link.current?.focus());
          }}
        />
      </li>
    );
  }
  return (
    <li className="chat-row group relative">
      <Link
        ref={link}
        to="/chats/$id"
        params={{ id: chat.id }}
        onClick={onVisit}
        onKeyDown={onKeyDown}
        data-chat={chat.id}
        {...press}
        className="target relative flex items-center gap-2 rounded-2 px-2 text-ui text-ink-2 -outline-offset-2 group-hover:bg-hover aria-[current=page]:bg-selected aria-[current=page]:text-ink before:absolute before:inset-y-1 before:left-0 before:w-0.5 before:rounded-full aria-[current=page]:before:bg-ink"
      >
        <Glyph signal={signalOf(chat)} size={12} name={stateWords(chat)} />
        <span dir="auto" className={clsx("min-w-0 flex-1 truncate", chat.unread && "font-semibold text-ink")}>
          {title}
        </span>
        {chat.pinned === true ? (
          <Pin role="img" aria-label={t("chat.pinned")} size={12} className="row-age text-ink-3" />
        ) : null}
        <span className="row-age font-mono text-count text-ink-3">{since}</span>
      </Link>
      <span className="row-acts absolute inset-y-0 end-0 flex items-center">
        <MenuButton label={t("chat.acts", { title })} title={title} acts={acts} />
      </span>
      {menu ? (
        <Suspense fallback={null}>
          <ActionMenu label={title} groups={acts()} anchor={link} onClose={() => setMenu(false)} />
        </Suspense>
      ) : null}
    </li>
  );
});
