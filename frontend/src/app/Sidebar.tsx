import { Link } from "@tanstack/react-router";
import { House, PanelLeftClose, Search, SquarePen } from "lucide-react";
import { ChatList } from "../features/chats";
import { t } from "../messages/t";
import { IconButton } from "../ui/Button";
import { Mark } from "../ui/Mark";
import { useShortcuts } from "../ui/shortcuts";
import type { Person } from "../wire/types";
import { Foot } from "./Foot";

const place =
  "target relative flex items-center gap-2 rounded-2 px-2 text-ui text-ink-2 hover:bg-hover aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-ink before:absolute before:inset-y-1 before:left-0 before:w-0.5 before:rounded-full aria-[current=page]:before:bg-ink";

type Props = {
  person: Person;
  onVisit: () => void;
  onNewChat: () => void;
  onSignOut: () => void;
  /** Folds it to a rail, where it can be. */
  onFold?: () => void;
};

/** Where everything is: new chat, home, the chats, and who is signed in. */
export function Sidebar({ person, onVisit, onNewChat, onSignOut, onFold }: Props) {
  return (
    <nav aria-label={t("nav")} className="flex h-full flex-col bg-rail">
      <div className="flex min-h-12 items-center gap-2 ps-4 pe-2 text-ui font-semibold">
        <Mark />
        <span className="flex-1">{t("product")}</span>
        {onFold === undefined ? null : (
          <IconButton label={t("sidebar.fold")} className="text-ink-3" onClick={onFold}>
            <PanelLeftClose aria-hidden="true" size={16} strokeWidth={1.75} />
          </IconButton>
        )}
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-1">
        <div className="flex flex-col gap-0.5 px-2">
          <button
            type="button"
            onClick={onNewChat}
            className="target flex items-center gap-2 rounded-2 border border-line-3 bg-raised px-2 text-ui font-medium shadow-1 hover:bg-hover"
          >
            <SquarePen aria-hidden="true" size={16} strokeWidth={1.75} />
            <span className="flex-1 text-start">{t("newchat")}</span>
            <NewChatKey />
          </button>
          <Link to="/search" onClick={onVisit} className={place}>
            <Search aria-hidden="true" size={16} strokeWidth={1.75} />
            <span className="flex-1">{t("search")}</span>
            <kbd aria-hidden="true" className="hidden font-mono text-count text-ink-3 sm:inline">
              {t("key.palette")}
            </kbd>
          </Link>
          <Link to="/" onClick={onVisit} className={place}>
            <House aria-hidden="true" size={16} strokeWidth={1.75} />
            {t("home")}
          </Link>
        </div>
        <div className="min-h-0 flex-1 overflow-y-auto pb-2">
          <ChatList onVisit={onVisit} />
        </div>
      </div>
      <Foot person={person} onVisit={onVisit} onSignOut={onSignOut} />
    </nav>
  );
}

function NewChatKey() {
  const { on, keys } = useShortcuts();
  return on ? (
    <kbd aria-hidden="true" className="hidden font-mono text-count text-ink-3 sm:inline">
      {keys.new.toUpperCase()}
    </kbd>
  ) : null;
}
