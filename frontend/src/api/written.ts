import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { PickedEvents } from "../wire/types";
import { call } from "./http";

const calls = (chat: string, tools: readonly string[], epoch: number, before: number) =>
  call<PickedEvents>(
    "GET",
    `/api/chats/${chat}/calls?tools=${encodeURIComponent(tools.join(","))}&before=${epoch}:${before}`,
  );

/** What calls of some tools did in a chat up to the event `top`, back from there; that never changes in an epoch. */
export const callsQuery = (chat: string, tools: readonly string[], epoch: number, top: number) =>
  infiniteQueryOptions({
    queryKey: ["calls", chat, tools, epoch, top],
    queryFn: ({ pageParam }) => calls(chat, tools, epoch, pageParam),
    initialPageParam: top + 1,
    getNextPageParam: (page) => page.next ?? null,
    enabled: epoch > 0,
    staleTime: Infinity,
    gcTime: 10_000,
    placeholderData: keepPreviousData,
    retry: false,
  });
