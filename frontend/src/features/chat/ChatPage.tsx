import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { eventsBefore, me, postPrompt, socketUrl } from "../../api/calls";
import { continueRun } from "../../api/compose";
import { ApiError } from "../../api/http";
import { agentsQuery, chatQuery, meQuery } from "../../api/queries";
import { ChatStore } from "../../live/chat.store";
import { sessionOutbox } from "../../live/outbox";
import type { ChatSummary } from "../../wire/types";
import { useTab, useWorkspaceState } from "../chats";
import { ChatContext } from "./context";
import { ChatFrame } from "./ChatFrame";
import { Skeleton } from "./Skeleton";
import type { View } from "./useShown";

type Props = { id: string; view: View; menu: ReactNode; missing: ReactNode; onSignIn: () => void };

const signedOut = 4500;

function makeStore(id: string, person: string): ChatStore {
  const store: ChatStore = new ChatStore({
    storage: sessionOutbox(person, id),
    server: {
      socket: (since) => socketUrl(`/ws/chat/${id}${since === null ? "" : `?since=${since}`}`),
      page: (before) => eventsBefore(id, before),
      prompt: (command) => postPrompt(id, command),
      goOn: (when) => continueRun(id, when),
      refused: () => {
        // A browser does not say why a socket was not let in; the API does.
        me().catch((error: unknown) => {
          if (error instanceof ApiError && error.status === 401) store.end(signedOut);
        });
      },
    },
  });
  return store;
}

/** A chat: its thread and where the next prompt is written. */
export function ChatPage({ id, view, menu, missing, onSignIn }: Props) {
  const live = useWorkspaceState((s) => s.chats.get(id));
  const fetched = useQuery(chatQuery(id));
  const [last, setLast] = useState<ChatSummary | null>(null);
  const [gone, setGone] = useState(false);
  const [times, setTimes] = useState(0);
  if (live !== undefined && live !== last) setLast(live);
  if (live === undefined && last?.id === id && !gone) setGone(true);
  if (live !== undefined && gone) {
    // A chat that comes back out of the trash is followed anew.
    setGone(false);
    setTimes(times + 1);
  }
  // One that is deleted while it is open stays to be read; its socket says what became of it.
  const chat = live ?? (last?.id === id ? last : fetched.data);
  if (chat === undefined) {
    return fetched.error instanceof ApiError && fetched.error.status !== 0 ? (
      missing
    ) : (
      <main className="flex h-full flex-col">
        <Skeleton menu={menu} />
      </main>
    );
  }
  return <Open key={`${id} ${times}`} chat={chat} view={view} menu={menu} onSignIn={onSignIn} />;
}

type OpenProps = { chat: ChatSummary; menu: ReactNode; view: View; onSignIn: () => void };

function Open({ chat, menu, view, onSignIn }: OpenProps) {
  const { id } = chat;
  const person = useQuery(meQuery).data?.person.id ?? "";
  const open = useMemo(() => ({ id, store: makeStore(id, person) }), [id, person]);
  const { data } = useQuery(agentsQuery);
  useTab(chat);
  useEffect(() => {
    const { store } = open;
    const wake = () => {
      if (document.visibilityState === "visible") store.wake();
    };
    const online = () => store.tryNow();
    store.open();
    document.addEventListener("visibilitychange", wake);
    window.addEventListener("online", online);
    return () => {
      document.removeEventListener("visibilitychange", wake);
      window.removeEventListener("online", online);
      store.close();
    };
  }, [open]);
  const agent = data?.agents.find((a) => a.info.id === chat.selected.agent);
  return (
    <ChatContext value={open}>
      <ChatFrame chat={chat} menu={menu} demo={agent?.info.demo === true} view={view} onSignIn={onSignIn} />
    </ChatContext>
  );
}
