import { queryOptions } from "@tanstack/react-query";
import type { ChatList, ChatPatch, ChatSummary } from "../wire/types";
import { call } from "./http";

export const changeChat = (id: string, patch: ChatPatch) =>
  call<ChatSummary>("PATCH", `/api/chats/${id}`, patch);
export const markUnread = (id: string) => call<unknown>("POST", `/api/chats/${id}/unread`, {});

/** Puts a chat into the trash, where it is kept for a while; a run in it is stopped first. */
export const trashChat = (id: string) => call<unknown>("DELETE", `/api/chats/${id}`);
export const restoreChat = (id: string) => call<ChatSummary>("POST", `/api/trash/${id}/restore`, {});
/** Deletes a chat in the trash for good. */
export const destroyChat = (id: string) => call<unknown>("DELETE", `/api/trash/${id}`);

const trash = () => call<ChatList>("GET", "/api/trash");

export const trashQuery = queryOptions({ queryKey: ["trash"], queryFn: trash, staleTime: 0 });
