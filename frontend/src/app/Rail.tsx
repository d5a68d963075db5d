import { Link } from "@tanstack/react-router";
import { House, PanelLeftOpen, Search, SquarePen } from "lucide-react";
import { Suspense } from "react";
import { inOrder, signalOf, stateWords, titleOf, useChats } from "../features/chats";
import { t } from "../messages/t";
import { Avatar } from "../ui/Avatar";
import { IconButton } from "../ui/Button";
import { Glyph } from "../ui/Glyph";
import { Mark } from "../ui/Mark";
import type { Person } from "../wire/types";
import { fetched } from "../ui/fetched";

const AccountMenu = fetched(() => import("./AccountMenu"));

/** So many chats have room; the rest is in the sidebar. */
const most = 12;

const place =
  "target grid size-8 place-items-center rounded-2 text-ink-2 hover:bg-hover aria-[current=page]:bg-selected aria-[current=page]:text-ink";

type Props = { person: Person; onOpen: () => void; onNewChat: () => void; onSignOut: () => void };

/** The sidebar where it has little room: the same places, without their names. */
export default function Rail({ person, onOpen, onNewChat, onSignOut }: Props) {
  const chats = inOrder(useChats()).slice(0, most);
  return (
    <nav aria-label={t("nav")} className="flex h-full w-13 flex-col items-center gap-1 bg-rail pb-2">
      <span className="flex min-h-12 items-center">
        <Mark />
      </span>
      <IconButton label={t("sidebar.open")} className="size-8" onClick={onOpen}>
        <PanelLeftOpen aria-hidden="true" size={16} strokeWidth={1.75} />
      </IconButton>
      <IconButton label={t("newchat")} look="plain" className="size-8" onClick={onNewChat}>
        <SquarePen aria-hidden="true" size={16} strokeWidth={1.75} />
      </IconButton>
      <Link to="/search" aria-label={t("search")} title={t("search")} className={place}>
        <Search aria-hidden="true" size={16} strokeWidth={1.75} />
      </Link>
      <Link to="/" aria-label={t("home")} title={t("home")} className={place}>
        <House aria-hidden="true" size={16} strokeWidth={1.75} />
      </Link>
      <hr className="my-1 w-6 border-line-2" />
      <ul className="flex min-h-0 flex-1 flex-col items-center gap-1 overflow-y-auto p-0.5">
        {chats.map((chat) => (
          <li key={chat.id}>
            <Link
              to="/chats/$id"
              params={{ id: chat.id }}
              aria-label={`${titleOf(chat)}, ${stateWords(chat)}`}
              title={titleOf(chat)}
              className={place}
            >
              <Glyph signal={signalOf(chat)} size={12} name={stateWords(chat)} />
            </Link>
          </li>
        ))}
      </ul>
      <Suspense fallback={<span className="target" />}>
        <AccountMenu onSignOut={onSignOut} onVisit={() => undefined} />
      </Suspense>
      <Avatar person={person} />
    </nav>
  );
}
