import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { agentsQuery } from "../../api/queries";
import { searchQuery } from "../../api/search";
import { useGoOn } from "../../api/useGoOn";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { useKeyIn } from "../../ui/useKeyIn";
import { useChats, useWorkspaceState } from "../chats";
import { Chips, Filters } from "./Filters";
import { ChatLine, HitLine } from "./Lines";
import { dayBorder, titled } from "./search.logic";

const pause = 250;
const mostTitles = 8;

/** Searches the titles and the messages of all chats; what is searched for stands in the address. */
export function SearchPage() {
  const { q = "", chat, agent, dir, from, to } = useSearch({ from: "/inside/search" });
  const navigate = useNavigate();
  const [text, setText] = useState(q);
  const online = useWorkspaceState((s) => s.link.kind === "open");
  const agents = useQuery(agentsQuery).data?.agents ?? [];
  const chats = useChats();
  const loaded = useWorkspaceState((s) => s.loaded);
  const found = useInfiniteQuery(
    searchQuery({ q, chat, agent, dir, from: dayBorder(from, "from"), to: dayBorder(to, "to") }),
  );
  const change = (part: Readonly<Record<string, string>>) => {
    const next = { q, chat, agent, dir, from, to, ...part };
    const kept = Object.entries(next).filter(([, value]) => value !== undefined && value !== "");
    void navigate({ to: "/search", search: Object.fromEntries(kept), replace: true });
  };
  useEffect(() => {
    if (text.trim() === q) return undefined;
    const timer = setTimeout(() => change({ q: text.trim() }), pause);
    return () => clearTimeout(timer);
  });
  const place = useRef<HTMLDivElement>(null);
  useKeyIn(place, (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    if (event.target instanceof HTMLElement && event.target.matches("select, input:not([type=search])"))
      return;
    const stops = [...(place.current?.querySelectorAll<HTMLElement>("input[type=search], li > a") ?? [])];
    const here = stops.findIndex((stop) => stop === document.activeElement);
    const next = stops[here + (event.key === "ArrowDown" ? 1 : -1)];
    if (here < 0 || next === undefined) return;
    event.preventDefault();
    next.focus();
  });
  useEffect(() => {
    document.title = t("search");
    return () => {
      document.title = t("product");
    };
  }, []);

  const pages = found.data?.pages ?? [];
  const hits = q === "" ? [] : pages.flatMap((page) => page.hits);
  const index = pages.at(-1)?.index;
  const filters = { chosen: { chat, agent, dir, from, to }, agents, chats, onChange: change };
  // A title has neither an agent nor a day, and is no message of one chat or directory.
  const filtered = [chat, agent, dir, from, to].some((value) => value !== undefined);
  const titles = filtered ? [] : titled(chats, q).slice(0, mostTitles);
  const goesOn = useGoOn(found, q !== "" && hits.length === 0);
  const nothing =
    q !== "" && hits.length === 0 && titles.length === 0 && !goesOn && !found.isFetching && !found.isError;
  return (
    <main id="content" tabIndex={-1} className="h-full overflow-y-auto outline-none">
      <div ref={place} className="mx-auto w-full max-w-205 px-4 pt-2 pb-6 lg:pt-6">
        <h1 className="text-title font-semibold">{t("search")}</h1>
        <search className="my-3 grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap">
          <label className="writes col-span-2 flex basis-full items-center gap-2 rounded-2 border border-line-3 bg-raised px-3">
            <Search aria-hidden="true" size={16} className="text-ink-3" />
            <input
              type="search"
              dir="auto"
              value={text}
              // Who comes here came to write.
              autoFocus
              aria-label={t("search.field")}
              placeholder={t("search.field")}
              onChange={(event) => setText(event.target.value)}
              className="min-h-[max(2.25rem,var(--target))] min-w-0 flex-1 bg-transparent text-field outline-none"
            />
          </label>
          <Filters {...filters} />
        </search>
        <Chips {...filters} />
        {online ? null : <p className="pb-2 text-small text-stop">{t("search.offline")}</p>}
        {found.isError ? (
          <p role="alert" className="flex flex-wrap items-center gap-3 pb-2 text-ui text-stop">
            {found.error.message === "" ? t("search.failed") : found.error.message}
            <Button onClick={() => void found.refetch()}>{t("retry")}</Button>
          </p>
        ) : null}
        {q === "" && chats.length === 0 && loaded ? (
          <div className="py-8 text-center">
            <p className="text-ui font-medium">{t("chats.none")}</p>
            <p className="mt-1 text-small text-ink-3">{t("chats.empty.body")}</p>
          </div>
        ) : null}
        {q === "" && chats.length > 0 ? (
          <Section id="found-recent" name={t("search.recent")}>
            {chats.slice(0, mostTitles).map((one) => (
              <ChatLine key={one.id} chat={one} />
            ))}
          </Section>
        ) : null}
        {titles.length === 0 ? null : (
          <Section id="found-titles" name={t("search.titles")}>
            {titles.map((one) => (
              <ChatLine key={one.id} chat={one} />
            ))}
          </Section>
        )}
        {hits.length === 0 ? null : (
          <Section id="found-messages" name={t("search.messages")} busy={found.isFetching}>
            {hits.map((hit) => (
              <HitLine key={`${hit.chat} ${hit.seq}`} hit={hit} />
            ))}
          </Section>
        )}
        <p role="status" className="text-small text-ink-3">
          {(found.isFetching || goesOn) && hits.length === 0 && q !== "" ? t("find.looking") : ""}
          {index !== undefined && index.behind > 0 ? t("search.behind", { n: index.behind }) : ""}
        </p>
        {nothing ? (
          <div className="py-8 text-center">
            <p className="text-ui font-medium">{t("search.none", { q })}</p>
            <p className="mt-1 text-small text-ink-3">{t("search.none.body")}</p>
          </div>
        ) : null}
        {found.hasNextPage && hits.length > 0 && q !== "" ? (
          <Button className="mt-3" disabled={found.isFetching} onClick={() => void found.fetchNextPage()}>
            {t("search.more")}
          </Button>
        ) : null}
      </div>
    </main>
  );
}

type SectionProps = { id: string; name: string; busy?: boolean; children: ReactNode };

function Section({ id, name, busy, children }: SectionProps) {
  return (
    <section aria-labelledby={id} aria-busy={busy === true} className="pb-4">
      <h2 id={id} className="pb-1 text-caption font-semibold text-ink-2">
        {name}
      </h2>
      <ul className="divide-y divide-line overflow-hidden rounded-3 border border-line-2 bg-raised">
        {children}
      </ul>
    </section>
  );
}
