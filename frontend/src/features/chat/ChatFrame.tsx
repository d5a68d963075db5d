import { type ReactNode, Suspense } from "react";
import { t } from "../../messages/t";
import type { ChatSummary } from "../../wire/types";
import { signalOf } from "../chats";
import { Banners } from "./Banners";
import { ChatComposer } from "./ChatComposer";
import { useChatState } from "./context";
import { FindBar } from "./find";
import { ChatHeader } from "./header";
import { Skeleton } from "./Skeleton";
import { Status } from "./Status";
import { Thread } from "./Thread";
import { Junctions, OutlineContext, useGone, useOutlineSource } from "./track";
import { useShown, type View } from "./useShown";
import { fetched } from "../../ui/fetched";

const Panel = fetched(() => import("./panel/Panel"));

type Props = { chat: ChatSummary; menu: ReactNode; demo: boolean; view: View; onSignIn: () => void };

const none: readonly string[] = [];

/** What is drawn of the chat that is open: its header, thread and composer, and the panel beside them. */
export function ChatFrame({ chat, menu, demo, view, onSignIn }: Props) {
  const whole = useOutlineSource();
  useGone(whole.stops);
  useShown(view.event);
  return (
    <OutlineContext value={whole}>
      <div className="chat-frame flex h-full min-h-0">
        <div className="flex min-w-0 flex-1 flex-col">
          <ChatHeader chat={chat} signal={signalOf(chat)} menu={menu} demo={demo} view={view} />
          <main className="relative flex min-h-0 flex-1 flex-col">
            <Banners onSignIn={onSignIn} />
            <FindBar />
            <Body />
            <ChatComposer selected={chat.selected} skills={chat.skills ?? none} />
            <Status />
          </main>
        </div>
        {view.panel === null ? null : (
          <Suspense fallback={null}>
            <Panel chat={chat} tab={view.panel} onTab={view.openPanel} onClose={() => view.openPanel(null)} />
          </Suspense>
        )}
      </div>
    </OutlineContext>
  );
}

function Body() {
  const loaded = useChatState((s) => s.loaded);
  const empty = useChatState(
    (s) =>
      s.outbox.length === 0 &&
      !s.log.hasMore &&
      !s.thread.some((run) => run.prompt !== undefined || run.rows.length > 0),
  );
  if (!loaded) return <Skeleton />;
  if (!empty) return <Thread />;
  return (
    <div className="column flex-1 overflow-y-auto py-4">
      <p className="p-4 text-center text-ui text-ink-3">{t("thread.empty")}</p>
      <Junctions run={null} />
    </div>
  );
}
