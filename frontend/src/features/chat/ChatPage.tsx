import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo } from "react";
import { eventsBefore, me, postPrompt, socketUrl } from "../../api/calls";
import { continueRun } from "../../api/compose";
import { ApiError } from "../../api/http";
import { agentsQuery, chatQuery, meQuery } from "../../api/queries";
import { ChatStore } from "../../live/chat.store";
import { sessionOutbox } from "../../live/outbox";
import { t } from "../../messages/t";
import type { ChatSummary } from "../../wire/types";
import { signalOf, tabTitle, useWorkspaceState } from "../chats";
import { Banners } from "./Banners";
import { ChatComposer } from "./ChatComposer";
import { ChatHeader } from "./ChatHeader";
import { ChatContext, useChatState } from "./context";
import { Skeleton } from "./Skeleton";
import { Status } from "./Status";
import { Thread } from "./Thread";

type Props = { id: string; menu: ReactNode; missing: ReactNode; onSignIn: () => void };

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
export function ChatPage({ id, menu, missing, onSignIn }: Props) {
  const live = useWorkspaceState((s) => s.chats.get(id));
  const fetched = useQuery(chatQuery(id));
  const chat = live ?? fetched.data;
  if (chat === undefined) {
    return fetched.error instanceof ApiError && fetched.error.status !== 0 ? (
      missing
    ) : (
      <main className="flex h-full flex-col">
        <Skeleton menu={menu} />
      </main>
    );
  }
  return <Open key={id} chat={chat} menu={menu} onSignIn={onSignIn} />;
}

function Open({ chat, menu, onSignIn }: { chat: ChatSummary; menu: ReactNode; onSignIn: () => void }) {
  const { id } = chat;
  const person = useQuery(meQuery).data?.person.id ?? "";
  const open = useMemo(() => ({ id, store: makeStore(id, person) }), [id, person]);
  const { data } = useQuery(agentsQuery);
  const title = tabTitle(chat);
  useEffect(() => {
    document.title = title;
  }, [title]);
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
      <div className="flex h-full min-h-0 flex-col">
        <ChatHeader chat={chat} signal={signalOf(chat)} menu={menu} demo={agent?.info.demo === true} />
        <main className="flex min-h-0 flex-1 flex-col">
          <Banners onSignIn={onSignIn} />
          <Body />
          <ChatComposer selected={chat.selected} />
          <Status />
        </main>
      </div>
    </ChatContext>
  );
}

function Body() {
  const loaded = useChatState((s) => s.loaded);
  const empty = useChatState((s) => s.thread.length === 0 && s.outbox.length === 0);
  if (!loaded) return <Skeleton />;
  if (empty) return <p className="flex-1 p-8 text-center text-ui text-ink-3">{t("thread.empty")}</p>;
  return <Thread />;
}
