import { Folder, Zap } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "../../messages/t";
import { Avatar } from "../../ui/Avatar";
import { Badge } from "../../ui/Badge";
import { Glyph, type Signal } from "../../ui/Glyph";
import type { ChatSummary } from "../../wire/types";
import { Rules } from "./ask";
import { useChatState } from "./context";

const most = 3;

type Props = { chat: ChatSummary; signal: Signal; menu: ReactNode; demo: boolean };

/** Which chat this is, how it stands, and who else is here. */
export function ChatHeader({ chat, signal, menu, demo }: Props) {
  const people = useChatState((s) => s.people);
  const me = useChatState((s) => s.me?.id ?? "");
  const others = people.filter((p) => p.id !== me);
  const title = chat.title === "" ? t("chat.untitled") : chat.title;
  return (
    <header className="flex min-h-12 items-center gap-2 border-b border-line px-2 sm:px-5">
      {menu}
      <Glyph signal={signal} size={14} />
      <h1 dir="auto" className="min-w-0 truncate text-heading font-semibold">
        {title}
      </h1>
      {chat.cwd === "" ? null : (
        <span className="hidden min-w-0 lg:block">
          <Badge className="max-w-full">
            <Folder aria-hidden="true" size={12} />
            <bdi dir="ltr" className="max-w-72 truncate font-mono text-code" title={chat.cwd}>
              {shortPath(chat.cwd)}
            </bdi>
          </Badge>
        </span>
      )}
      {demo ? <Badge tone="accent">{t("demo")}</Badge> : null}
      {chat.selected.mode === "full_auto" ? (
        <Badge tone="caution">
          <Zap aria-hidden="true" size={12} />
          {t("mode.full_auto")}
        </Badge>
      ) : null}
      <span className="flex-1" />
      {others.length === 0 ? null : (
        <ul aria-label={t("viewing", { n: others.length })} className="flex">
          {others.slice(0, most).map((person) => (
            <li key={person.id} title={person.name} className="-ms-1.5 rounded-full border-2 border-canvas">
              <Avatar person={person} />
              <span className="sr-only">{person.name}</span>
            </li>
          ))}
          {others.length > most ? (
            <li className="ms-1 text-small text-ink-3">+{others.length - most}</li>
          ) : null}
        </ul>
      )}
      <Rules chat={chat.id} />
    </header>
  );
}

/** A long path loses its middle: both ends say more. */
function shortPath(path: string): string {
  return path.length <= 40 ? path : `${path.slice(0, 16)}…${path.slice(-23)}`;
}
