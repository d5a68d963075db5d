import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { shortDate } from "../../messages/format";
import { t } from "../../messages/t";
import { Glyph, type Signal } from "../../ui/Glyph";
import { useNow } from "../../ui/useNow";
import { signalOf, stateWords, titleOf } from "./chats.logic";
import { useChats } from "./context";

const most = 8;

const tones: Readonly<Record<Signal, string>> = {
  ready: "text-clear",
  running: "text-caution",
  waiting: "text-caution",
  held: "text-caution",
  needs: "text-stop",
  failed: "text-stop",
  rest: "text-ink-3",
};

/** The chats in which something happened last, with how they stand. */
export function RecentChats({ agentName }: { agentName: (id: string | undefined) => string }) {
  const chats = useChats()
    .filter((chat) => chat.archived !== true)
    .slice(0, most);
  const now = useNow(30_000);
  if (chats.length === 0) return null;
  return (
    <section aria-labelledby="recent">
      <div className="flex items-baseline pb-1">
        <h2 id="recent" className="flex-1 text-caption font-semibold text-ink-2">
          {t("recent")}
        </h2>
        <Link to="/chats" className="target inline-flex items-center text-small font-medium text-accent">
          {t("chats.all")}
        </Link>
      </div>
      <ul className="divide-y divide-line overflow-hidden rounded-3 border border-line-2 bg-raised">
        {chats.map((chat) => {
          const signal = signalOf(chat);
          return (
            <li key={chat.id}>
              <Link
                to="/chats/$id"
                params={{ id: chat.id }}
                className="target flex items-center gap-3 px-3 py-1.5 text-ui -outline-offset-2 hover:bg-hover"
              >
                <span className="w-12 flex-none font-mono text-count text-ink-3">
                  {shortDate(chat.active, now)}
                </span>
                <Glyph signal={signal} size={12} name={stateWords(chat)} />
                <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
                  {titleOf(chat)}
                </span>
                <span className="hidden w-40 truncate text-ink-2 sm:block">
                  {agentName(chat.selected.agent)}
                </span>
                <span
                  aria-hidden="true"
                  className={clsx("max-w-24 truncate text-end sm:w-24", tones[signal])}
                >
                  {stateWords(chat)}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
