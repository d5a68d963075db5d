import { useQuery } from "@tanstack/react-query";
import { createContext, useContext, useMemo, useState } from "react";
import { outlineQuery } from "../../../api/outline";
import type { Thread } from "../../../live/thread";
import type { Outline } from "../../../wire/types";
import { useWorkspaceState } from "../../chats";
import { useChat, useChatState } from "../context";
import { agreed, type Stop, stopsOf } from "./outline.logic";

type Whole = { readonly outline: Outline | undefined; readonly stops: readonly Stop[] };

/** The whole chat at a glance, one for all that draw a part of it. */
export const OutlineContext = createContext<Whole>({ outline: undefined, stops: [] });

export function useOutline(): Whole {
  return useContext(OutlineContext);
}

/** Changes when a prompt comes, goes or ends, and not with every word of an answer. */
function promptsOf(thread: Thread): string {
  const last = thread.at(-1);
  return [thread[0]?.first, thread.length, last?.key, last?.prompt?.seq, last?.complete?.seq].join(" ");
}

/** Asks for the outline of the open chat, and again when its log or its forks have changed. */
export function useOutlineSource(): Whole {
  const { id, store } = useChat();
  const epoch = useChatState((s) => s.log.epoch);
  const prompts = useChatState((s) => promptsOf(s.thread));
  // The last run held is not that of the chat while the reader is far up.
  const detached = useChatState((s) => s.log.detached);
  const last = useChatState((s) => s.thread.at(-1)?.complete?.seq ?? 0);
  const [ended, setEnded] = useState(last);
  if (!detached && ended !== last) setEnded(last);
  const unseen = useChatState((s) => s.unseen);
  const forks = useWorkspaceState((s) => {
    let n = 0;
    for (const chat of s.chats.values()) if (chat.forkOf?.chat === id) n += 1;
    return n;
  });
  const version = `${epoch}.${ended}.${unseen}.${forks}`;
  const { data } = useQuery({ ...outlineQuery(id, version), enabled: epoch > 0 });
  return useMemo(
    () => {
      const { thread, log } = store.store.getState();
      const outline = agreed(data, thread, log.events, !log.detached);
      return { outline, stops: stopsOf(outline, thread) };
    },
    // The thread changes with every word; what is made of it here changes with its prompts.
    // oxlint-disable-next-line react/exhaustive-deps
    [data, store, prompts],
  );
}
