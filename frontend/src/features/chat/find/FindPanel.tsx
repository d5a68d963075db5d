import { useInfiniteQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, Search, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { findQuery } from "../../../api/search";
import { t } from "../../../messages/t";
import { IconButton } from "../../../ui/Button";
import { useKeyIn } from "../../../ui/useKeyIn";
import { useChat } from "../context";
import { useFind } from "./find.store";
import { foundOf, stepFrom } from "./find.logic";
import { useHits } from "./useHits";

/** Typing is let go on for so long before the server is asked. */
const pause = 200;

/** Finds a text in the whole chat, loaded or not, and goes from place to place. */
export default function FindPanel() {
  const { id, store } = useChat();
  const times = useFind((s) => s.times);
  const close = useFind((s) => s.close);
  const [text, setText] = useState("");
  const [q, setQ] = useState("");
  const [at, setAt] = useState<number | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const { data, isFetching, isError, fetchNextPage } = useInfiniteQuery(findQuery(id, q));
  const found = useMemo(() => foundOf(data?.pages ?? []), [data]);
  useHits(q);

  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [times]);
  useEffect(() => {
    const timer = setTimeout(() => {
      setQ(text.trim());
      setAt(null);
    }, pause);
    return () => clearTimeout(timer);
  }, [text]);

  // The last place is shown as soon as there is one.
  const last = found.seqs.at(-1);
  if (at === null && last !== undefined && data !== undefined) setAt(last);
  useEffect(() => {
    if (at !== null) store.visit(at);
  }, [store, at]);
  // A page may have nothing although older ones have.
  const none = found.seqs.length === 0 && found.more && !isFetching;
  useEffect(() => {
    if (none) void fetchNextPage();
  }, [none, fetchNextPage]);

  const step = async (by: 1 | -1) => {
    const to = stepFrom(found, at, by);
    if (typeof to === "number") setAt(to);
    if (to !== "older") return;
    const next = foundOf((await fetchNextPage()).data?.pages ?? []);
    const older = stepFrom(next, at, by);
    if (typeof older === "number") setAt(older);
  };
  const leave = () => {
    store.leave();
    close();
    document.getElementById("composer")?.focus();
  };
  const bar = useRef<HTMLElement>(null);
  useKeyIn(bar, (event) => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      leave();
    } else if (event.key === "Enter" && event.target === field.current) {
      event.preventDefault();
      void step(event.shiftKey ? -1 : 1);
    }
  });
  const here = at === null ? 0 : found.seqs.indexOf(at) + 1;
  const count = `${found.seqs.length.toLocaleString("en")}${found.more ? "+" : ""}`;
  const words =
    q === ""
      ? ""
      : isError
        ? t("find.failed")
        : found.seqs.length > 0
          ? t("find.count", { n: here, all: count })
          : isFetching || found.more
            ? t("find.looking")
            : t(found.behind ? "find.behind" : "find.none");
  return (
    <search
      ref={bar}
      aria-label={t("find.open")}
      className="flex items-center gap-2 border-b border-line bg-raised px-3 py-1 sm:px-5 thumb:gap-3"
    >
      <Search aria-hidden="true" size={14} className="text-ink-3" />
      <input
        ref={field}
        type="text"
        dir="auto"
        value={text}
        aria-label={t("find.field")}
        aria-describedby="find-count"
        placeholder={t("find.field")}
        onChange={(event) => setText(event.target.value)}
        className="min-h-[max(2rem,var(--target))] min-w-0 flex-1 bg-transparent text-field outline-none"
      />
      <span
        id="find-count"
        role="status"
        className={isError ? "text-small text-stop" : "text-small whitespace-nowrap text-ink-3"}
      >
        {words}
      </span>
      <IconButton label={t("find.previous")} onClick={() => void step(-1)}>
        <ChevronUp aria-hidden="true" size={16} />
      </IconButton>
      <IconButton label={t("find.next")} onClick={() => void step(1)}>
        <ChevronDown aria-hidden="true" size={16} />
      </IconButton>
      <IconButton label={t("close")} onClick={leave}>
        <X aria-hidden="true" size={16} />
      </IconButton>
    </search>
  );
}
