import { createContext, useContext } from "react";
import { useStore } from "zustand";
import { ChatStore } from "../../live/chat.store";
import type { ChatState } from "../../live/chat.state";

/** The chat that is open. */
export type OpenChat = { readonly id: string; readonly store: ChatStore };

export const ChatContext = createContext<OpenChat | null>(null);

export function useChat(): OpenChat {
  const chat = useContext(ChatContext);
  if (chat === null) throw new Error("no chat is open here");
  return chat;
}

/** A piece of the state of the chat that is open; drawn again only when that piece changes. */
export function useChatState<T>(select: (state: ChatState) => T): T {
  return useStore(useChat().store.store, select);
}
