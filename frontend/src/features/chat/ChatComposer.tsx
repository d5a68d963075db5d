import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { agentsQuery, meQuery } from "../../api/queries";
import { t } from "../../messages/t";
import type { Selection } from "../../wire/types";
import { useWorkspaceState } from "../chats";
import { Composer, giveBack, takeOut, useDraftSync, useUploads, type Written } from "../composer";
import { NoEffect, useAcceptedPlan, useReply } from "./ask";
import { ComposerNote } from "./ComposerNote";
import { ContextMeter } from "./ContextMeter";
import { useChat, useChatState } from "./context";
import { NearLimit } from "./NearLimit";
import { Queue, type QueueHandle } from "./queue/Queue";
import { Quote } from "./Quote";
import { Reader } from "./Reader";
import { Typing } from "./Typing";
import { useChatSkills } from "./useChatSkills";
import { useStopKey } from "./useStopKey";
import { PinnedList } from "./PinnedList";
import { Waiting } from "./Waiting";

type Props = { selected: Selection; skills: readonly string[] };

/** The foot of a chat: where prompts are written, for those who may send them. */
export function ChatComposer(props: Props) {
  const reader = useQuery(meQuery).data?.role === "viewer";
  return reader ? <Reader /> : <Writer {...props} />;
}

/** The composer of a chat: it sends, queues, stops, and keeps what could not be sent. */
function Writer({ selected, skills }: Props) {
  const { id, store } = useChat();
  const { data } = useQuery(agentsQuery);
  const sync = useChatState((s) => s.sync);
  const link = useChatState((s) => s.link.kind);
  const outbox = useChatState((s) => s.outbox);
  const answering = useChatState((s) =>
    [...s.answers.values()].some((a) => a.fault === undefined && a.words !== ""),
  );
  const stop = useChatState((s) => s.stop);
  const paused = useChatState((s) => s.queue.paused !== null && s.queue.items.length > 0);
  const heard = useWorkspaceState((s) => s.drafts.get(id));
  const choice = useChatSkills(id, skills);
  const people = useOthers();
  const draft = useDraftSync(id, true, heard);
  const field = useRef<HTMLTextAreaElement>(null);
  const queue = useRef<QueueHandle>(null);
  const online = link === "open";
  const running = sync?.running === true;
  const stopping = sync?.phase === "stopping" || (stop !== null && stop.fault === undefined);
  const { waits, answer } = useReply();
  const replies = online && !stopping && answer !== null;
  useReturned();
  useAcceptedPlan();
  const goes = outbox.length > 0;
  useEffect(() => {
    // What sent it may be gone, as the first page is: one goes on to write where nothing else has the focus.
    if (goes && document.activeElement === document.body && !matchMedia("(pointer: coarse)").matches)
      field.current?.focus({ preventScroll: true });
  }, [goes]);

  const cancel = useCallback(() => store.cancel(), [store]);
  const armed = useStopKey(running && online && !stopping, cancel);
  const attach = useCallback((files: readonly File[]) => useUploads.getState().add(id, files), [id]);
  const send = ({ text, selection, attachments, skills: named, now }: Written) => {
    if (replies && !now) {
      store.answer(answer(text), text);
      return false;
    }
    store.send(text, selection, {
      attachments,
      skills: named,
      ...(now && running ? { whenBusy: "interrupt" } : {}),
    });
    draft.settle();
    return true;
  };
  const queues = online && (running || paused);

  return (
    <div className="column composer-place">
      <Typing />
      <NoEffect />
      <PinnedList />
      <NearLimit field={field} />
      <Waiting
        items={online ? [] : outbox}
        onWithdraw={(clientId) => {
          const item = store.withdraw(clientId);
          if (item !== null) giveBack(id, item.text, item.attachments);
          field.current?.focus();
        }}
      />
      <Queue fixed={!online} going={queues ? outbox.filter((o) => o.command !== "") : []} handle={queue} />
      <Composer
        draftKey={id}
        agents={data?.agents ?? []}
        selected={selected}
        field={field}
        placeholder={t(
          !online
            ? "placeholder.offline"
            : replies
              ? "placeholder.asks"
              : running
                ? "placeholder.running"
                : "placeholder",
        )}
        sendLabel={t(!online ? "keep" : replies ? "ask.instead" : queues ? "queue.act" : "send")}
        {...(replies ? { instead: t("ask.instead.what") } : {})}
        {...(waits ? { aside: t("ask.held") } : {})}
        busy={answering}
        onSend={send}
        onFiles={attach}
        skills={choice}
        people={people}
        onTyping={() => store.typing()}
        onRecall={() => queue.current?.editLast() ?? false}
        meter={<ContextMeter />}
        note={<ComposerNote armed={armed} both={draft.both} onSeen={draft.settle} />}
        running={running ? { onStop: cancel, armed, stopping, offline: !online } : undefined}
      />
      <Quote field={field} />
    </div>
  );
}

/** The names of the others who have the chat open. */
function useOthers(): readonly string[] {
  const me = useChatState((s) => s.me?.id ?? "");
  const people = useChatState((s) => s.people);
  return useMemo(() => people.filter((p) => p.id !== me).map((p) => p.name), [people, me]);
}

/** What could not be sent, or did not get into the queue, comes back to where it was written. */
function useReturned(): void {
  const { id } = useChat();
  const refusal = useChatState((s) => s.refusal);
  const note = useChatState((s) => s.queue.note);
  const said = useChatState((s) => s.said);
  useEffect(() => {
    if (refusal !== null) giveBack(id, refusal.text, refusal.attachments);
  }, [id, refusal]);
  useEffect(() => {
    if (note !== null && note.text !== "") giveBack(id, note.text);
  }, [id, note]);
  const command = said?.command ?? "";
  const text = said?.text ?? "";
  useEffect(() => {
    if (command !== "") takeOut(id, text);
  }, [id, command, text]);
}
