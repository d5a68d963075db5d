import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { ChatSummary, Cut, EventPage, Outline } from "../wire/types";
import { call } from "./http";

/** What a fork takes: all up to an answer, or with the prompts that a rewind took out. */
export type ForkAt = { readonly after?: number; readonly cut?: number; readonly title?: string };

/** Every prompt of a chat and what was taken out of it. */
const outline = (id: string) => call<Outline>("GET", `/api/chats/${id}/prompts`);

/** Takes out a prompt and all after it; what was taken out is kept for seven days. */
export const rewind = (id: string, seq: number) => call<Cut>("POST", `/api/chats/${id}/rewind`, { seq });

/** Brings back what a rewind took out, while no prompt was sent since. */
export const restore = (id: string, epoch: number) =>
  call<unknown>("POST", `/api/chats/${id}/restore`, { epoch });

/** A page of what a rewind took out, forward from an event. */
const rewound = (id: string, epoch: number, after: number) =>
  call<EventPage>("GET", `/api/chats/${id}/rewound/${epoch}?after=${after}`);

/** What a rewind took out, page by page; it never changes. */
export const rewoundQuery = (id: string, epoch: number) =>
  infiniteQueryOptions({
    queryKey: ["rewound", id, epoch],
    queryFn: ({ pageParam }) => rewound(id, epoch, pageParam),
    initialPageParam: 0,
    getNextPageParam: (page) => (page.hasMore ? (page.events.at(-1)?.seq ?? null) : null),
    staleTime: Infinity,
  });

/** Makes a chat of its own; without a place it is a copy of the whole. */
export const fork = (id: string, at: ForkAt) => call<ChatSummary>("POST", `/api/chats/${id}/fork`, at);

/** The outline as of a state of the log, of which `version` is any word that changes with it. */
export const outlineQuery = (id: string, version = "") =>
  queryOptions({
    queryKey: ["outline", id, version],
    queryFn: () => outline(id),
    staleTime: version === "" ? 0 : Infinity,
    gcTime: 10_000,
    placeholderData: keepPreviousData,
  });
