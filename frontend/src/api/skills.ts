import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { FoundFiles, SkillList } from "../wire/types";
import { call } from "./http";

/** The skills that an agent has: in a chat, or for one that is still to be made. */
export const skillsQuery = (agent: string, chat: string | null) =>
  queryOptions({
    queryKey: ["skills", agent, chat],
    queryFn: () =>
      call<SkillList>(
        "GET",
        `/api${chat === null ? "" : `/chats/${chat}`}/skills?agent=${encodeURIComponent(agent)}`,
      ),
    staleTime: 10_000,
    retry: false,
  });

/** The files of a chat's working directory by parts of their names. */
export const filesQuery = (chat: string, q: string) =>
  queryOptions({
    queryKey: ["files", chat, q],
    queryFn: () => call<FoundFiles>("GET", `/api/chats/${chat}/files?q=${encodeURIComponent(q)}`),
    staleTime: 5_000,
    placeholderData: keepPreviousData,
    retry: false,
  });
