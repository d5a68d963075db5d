import { Link } from "@tanstack/react-router";
import { shortDate } from "../../messages/format";
import { t } from "../../messages/t";
import { Badge } from "../../ui/Badge";
import { Glyph } from "../../ui/Glyph";
import { useNow } from "../../ui/useNow";
import type { ChatSummary, SearchHit } from "../../wire/types";
import { signalOf, stateWords, titleOf } from "../chats";
import { saidBy } from "./search.logic";
import { Snip } from "./Snip";

const row = "target flex items-center gap-3 px-3 py-1.5 text-ui -outline-offset-2 hover:bg-hover";

/** A chat that was found by its title. */
export function ChatLine({ chat }: { chat: ChatSummary }) {
  const now = useNow(60_000);
  return (
    <li>
      <Link to="/chats/$id" params={{ id: chat.id }} className={row}>
        <Glyph signal={signalOf(chat)} size={12} name={stateWords(chat)} />
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {titleOf(chat)}
        </span>
        {chat.archived === true ? <Badge>{t("chat.is.archived")}</Badge> : null}
        <span className="font-mono text-count text-ink-3">{shortDate(chat.active, now)}</span>
      </Link>
    </li>
  );
}

/** A place in a chat; it opens there. */
export function HitLine({ hit }: { hit: SearchHit }) {
  const now = useNow(60_000);
  return (
    <li>
      <Link
        to="/chats/$id"
        params={{ id: hit.chat }}
        hash={`e${hit.seq}`}
        className="block px-3 py-2 text-ui -outline-offset-2 hover:bg-hover"
      >
        <Snip snippet={hit.snippet} />
        <span className="mt-0.5 flex items-center gap-2 text-small text-ink-3">
          <span>{saidBy(hit)}</span>
          <bdi className="min-w-0 truncate">{hit.title === "" ? t("chat.untitled") : hit.title}</bdi>
          <span className="font-mono text-count whitespace-nowrap">{shortDate(hit.t, now)}</span>
          {hit.archived === true ? <Badge>{t("chat.is.archived")}</Badge> : null}
        </span>
      </Link>
    </li>
  );
}
