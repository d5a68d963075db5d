import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { MailOpen } from "lucide-react";
import { useCallback, useState } from "react";
import { meQuery } from "../../api/queries";
import { age } from "../../messages/format";
import { t } from "../../messages/t";
import { IconButton } from "../../ui/Button";
import { useNow } from "../../ui/useNow";
import type { ChatSummary } from "../../wire/types";
import { ChatRow } from "./ChatRow";
import { groupsOf, mostInSidebar } from "./chats.logic";
import { useChats, useWorkspaceState } from "./context";

type Props = { onVisit: () => void };

/** The chats in the sidebar, live: those that need somebody, those that were pinned, and the latest. */
export function ChatList({ onVisit }: Props) {
  const chats = useChats();
  const loaded = useWorkspaceState((s) => s.loaded);
  const [unreadOnly, setUnreadOnly] = useState(false);
  const groups = groupsOf(chats, unreadOnly);
  const all = chats.filter((chat) => chat.archived !== true).length;
  return (
    <>
      <Group id="needs-you" name={t("needsyou")} chats={groups.needs} waits onVisit={onVisit} />
      <Group id="pinned" name={t("pinned")} chats={groups.pinned} onVisit={onVisit} />
      <div className="flex items-center pt-2 ps-4 pe-2">
        <h2 id="chats" className="flex-1 text-caption font-semibold text-ink-2">
          {t("chats")}
        </h2>
        <IconButton
          label={t("chats.unread")}
          aria-pressed={unreadOnly}
          onClick={() => setUnreadOnly(!unreadOnly)}
          className={clsx(unreadOnly && "bg-selected text-ink")}
        >
          <MailOpen aria-hidden="true" size={14} strokeWidth={1.75} />
        </IconButton>
      </div>
      <Rows chats={groups.rest.slice(0, mostInSidebar)} labelledBy="chats" onVisit={onVisit} />
      {groups.rest.length === 0 && loaded ? (
        <p className="px-4 py-1 text-small text-ink-3">
          {t(unreadOnly ? "chats.unread.none" : "chats.none")}
        </p>
      ) : null}
      <Link
        to="/chats"
        activeOptions={{ exact: true }}
        onClick={onVisit}
        className="target mx-2 flex items-center rounded-2 ps-7 pe-2 text-ui text-ink-3 hover:bg-hover aria-[current=page]:bg-selected aria-[current=page]:text-ink"
      >
        {all > mostInSidebar ? t("chats.all.n", { n: all }) : t("chats.all")}
      </Link>
    </>
  );
}

type GroupProps = Props & {
  id: string;
  name: string;
  chats: readonly ChatSummary[];
  /** Its age is how long it waits. */
  waits?: boolean;
};

/** Some of the chats under a name; nothing when there are none. */
function Group({ id, name, chats, waits, onVisit }: GroupProps) {
  if (chats.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="px-4 pt-3 pb-0.5 text-caption font-semibold text-ink-2">
        {name}
      </h2>
      <Rows chats={chats} labelledBy={id} waits={waits === true} onVisit={onVisit} />
    </section>
  );
}

type RowsProps = Props & { chats: readonly ChatSummary[]; labelledBy: string; waits?: boolean };

function Rows({ chats, labelledBy, waits, onVisit }: RowsProps) {
  const now = useNow(30_000);
  const navigate = useNavigate();
  const { id: open } = useParams({ strict: false });
  const write = useQuery(meQuery).data?.role !== "viewer";
  const onRemoved = useCallback(
    (id: string) => {
      if (id === open) void navigate({ to: "/" });
    },
    [open, navigate],
  );
  return (
    <ul aria-labelledby={labelledBy} className="flex flex-col px-2">
      {chats.map((chat) => (
        <ChatRow
          key={chat.id}
          chat={chat}
          write={write}
          age={age(waits === true ? (chat.needsYou?.since ?? chat.active) : chat.active, now)}
          onVisit={onVisit}
          onRemoved={onRemoved}
        />
      ))}
    </ul>
  );
}
