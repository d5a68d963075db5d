import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { FindResults, SearchResults } from "../wire/types";
import { call } from "./http";

/** What is searched for, and where. */
export type SearchFor = {
  readonly q: string;
  /** Only this chat. */
  readonly chat?: string | undefined;
  readonly agent?: string | undefined;
  /** Only chats that work in this directory or below it. */
  readonly dir?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

function params(values: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(values).filter((e): e is [string, string] => e[1] !== undefined && e[1] !== "");
  return new URLSearchParams(set).toString();
}

const search = ({ q, chat, agent, dir, from, to }: SearchFor, cursor: string) =>
  call<SearchResults>("GET", `/api/search?${params({ q, chat, agent, dir, from, to, cursor })}`);

/** What all chats say about something, the newest first. */
export const searchQuery = (what: SearchFor) =>
  infiniteQueryOptions({
    queryKey: ["search", what],
    queryFn: ({ pageParam }) => search(what, pageParam),
    initialPageParam: "",
    getNextPageParam: (last: SearchResults) => last.next,
    enabled: what.q.trim() !== "",
    staleTime: 10_000,
    placeholderData: keepPreviousData,
    retry: false,
  });

const start: number | undefined = undefined;

const find = (chat: string, q: string, before: number | undefined) =>
  call<FindResults>(
    "GET",
    `/api/chats/${chat}/find?${params({ q, before: before === undefined ? undefined : String(before) })}`,
  );

/** Where a text stands in one chat, the last place first. */
export const findQuery = (chat: string, q: string) =>
  infiniteQueryOptions({
    queryKey: ["find", chat, q],
    queryFn: ({ pageParam }) => find(chat, q, pageParam),
    initialPageParam: start,
    getNextPageParam: (last: FindResults) => last.next,
    enabled: q.trim() !== "",
    staleTime: 10_000,
    retry: false,
  });
