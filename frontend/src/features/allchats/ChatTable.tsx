import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { useState } from "react";
import { meQuery } from "../../api/queries";
import { shortDate } from "../../messages/format";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { Glyph } from "../../ui/Glyph";
import { MenuButton } from "../../ui/MenuButton";
import { useNow } from "../../ui/useNow";
import type { ChatSummary } from "../../wire/types";
import {
  chatActs,
  signalOf,
  stateWords,
  TitleField,
  titleOf,
  useChatHands,
  useChats,
  useWorkspaceState,
} from "../chats";
import { Picked } from "./Picked";

/** Rows that are drawn at first, and with each wish for more. */
const step = 100;

/** Chats in a list in which several can be picked at once. */
export function ChatTable({ archived, unread }: { archived: boolean; unread: boolean }) {
  const all = useChats();
  const loaded = useWorkspaceState((s) => s.loaded);
  const write = useQuery(meQuery).data?.role !== "viewer";
  const [shown, setShown] = useState(step);
  const [picked, setPicked] = useState<ReadonlySet<string> | null>(null);
  const chats = all.filter((c) => (c.archived === true) === archived && (!unread || c.unread));
  const chosen = chats.filter((chat) => picked?.has(chat.id) === true);
  if (chats.length === 0) return loaded ? <None archived={archived} unread={unread} /> : <Bars />;
  const pick = (id: string) => {
    const next = new Set(picked);
    if (!next.delete(id)) next.add(id);
    setPicked(next);
  };
  return (
    <>
      {write ? (
        <Picked
          picking={picked !== null}
          chosen={chosen}
          archived={archived}
          onPicking={(on) => setPicked(on ? new Set() : null)}
          onAll={() => setPicked(new Set(chats.map((chat) => chat.id)))}
        />
      ) : null}
      <ul className="divide-y divide-line overflow-hidden rounded-3 border border-line-2 bg-raised">
        {chats.slice(0, shown).map((chat) => (
          <Line
            key={chat.id}
            chat={chat}
            write={write}
            picked={picked === null ? null : picked.has(chat.id)}
            onPick={() => pick(chat.id)}
          />
        ))}
      </ul>
      {chats.length > shown ? (
        <Button className="mt-3" onClick={() => setShown(shown + step)}>
          {t("chats.more")}
        </Button>
      ) : null}
    </>
  );
}

type LineProps = {
  chat: ChatSummary;
  write: boolean;
  /** Null while nothing is picked. */
  picked: boolean | null;
  onPick: () => void;
};

function Line({ chat, write, picked, onPick }: LineProps) {
  const hands = useChatHands();
  const now = useNow(30_000);
  const [renaming, setRenaming] = useState(false);
  const title = titleOf(chat);
  const face = (
    <>
      <Glyph signal={signalOf(chat)} size={12} name={stateWords(chat)} />
      <span dir="auto" className={clsx("min-w-0 flex-1 truncate", chat.unread && "font-semibold")}>
        {title}
      </span>
      <span className="text-end font-mono text-count text-ink-3 sm:w-20">{shortDate(chat.active, now)}</span>
    </>
  );
  const look = "target flex min-w-0 flex-1 items-center gap-3 px-3 py-1.5 text-ui -outline-offset-2";
  if (renaming) {
    return (
      <li className="p-1">
        <TitleField
          title={chat.title}
          onEnd={(next) => {
            setRenaming(false);
            if (next !== null) void hands.rename(chat, next);
          }}
        />
      </li>
    );
  }
  return (
    <li className={clsx("flex items-center pe-1 hover:bg-hover", picked === true && "bg-selected")}>
      {picked === null ? (
        <>
          <Link to="/chats/$id" params={{ id: chat.id }} className={look}>
            {face}
          </Link>
          <MenuButton
            label={t("chat.acts", { title })}
            title={title}
            className="thumb:ms-3"
            acts={() => chatActs(chat, hands, { write, onRename: () => setRenaming(true) })}
          />
        </>
      ) : (
        <label className={look}>
          <input
            type="checkbox"
            checked={picked}
            onChange={onPick}
            aria-label={t("chats.select.one", { title })}
            className="tick"
          />
          {face}
        </label>
      )}
    </li>
  );
}

function None({ archived, unread }: { archived: boolean; unread: boolean }) {
  return (
    <div className="py-8 text-center">
      <p className="text-ui font-medium">
        {t(archived ? "chats.archived.none" : unread ? "chats.unread.none" : "chats.none")}
      </p>
      <p className="mt-1 text-small text-ink-3">
        {archived ? t("chats.archived.body") : unread ? "" : t("chats.empty.body")}
      </p>
    </div>
  );
}

/** The outline of a list that is on its way. */
function Bars() {
  return (
    <div aria-busy="true" className="flex flex-col gap-2">
      <p className="sr-only">{t("loading")}</p>
      {["w-full", "w-4/5", "w-3/5"].map((width) => (
        <div key={width} className={clsx("h-8 rounded-2 bg-hover", width)} />
      ))}
    </div>
  );
}
