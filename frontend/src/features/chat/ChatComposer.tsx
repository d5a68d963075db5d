import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { agentsQuery } from "../../api/queries";
import { t } from "../../messages/t";
import type { Selection } from "../../wire/types";
import { Composer, giveBack, refusalWords } from "../composer";
import { NoEffect, useAcceptedPlan } from "./ask";
import { useChat, useChatState } from "./context";
import { useStopKey } from "./useStopKey";
import { Waiting } from "./Waiting";

/** The composer of a chat: it sends, stops, and keeps what could not be sent. */
export function ChatComposer({ selected }: { selected: Selection }) {
  const { id, store } = useChat();
  const { data } = useQuery(agentsQuery);
  const sync = useChatState((s) => s.sync);
  const link = useChatState((s) => s.link.kind);
  const outbox = useChatState((s) => s.outbox);
  const refusal = useChatState((s) => s.refusal);
  const stop = useChatState((s) => s.stop);
  const field = useRef<HTMLTextAreaElement>(null);
  const online = link === "open";
  const running = sync?.running === true;
  const stopping = sync?.phase === "stopping" || (stop !== null && stop.fault === undefined);

  // A refused prompt comes from outside of what is drawn, and its text must not be lost.
  useEffect(() => {
    if (refusal !== null) giveBack(id, refusal.text);
  }, [id, refusal]);

  const cancel = useCallback(() => store.cancel(), [store]);
  const armed = useStopKey(running && online && !stopping, cancel);
  const waiting = online ? [] : outbox;
  useAcceptedPlan();

  return (
    <div className="column composer-place">
      <NoEffect />
      <Waiting
        items={waiting}
        onWithdraw={(clientId) => {
          giveBack(id, store.withdraw(clientId));
          field.current?.focus();
        }}
      />
      <Composer
        draftKey={id}
        agents={data?.agents ?? []}
        selected={selected}
        field={field}
        placeholder={t(online ? (running ? "placeholder.running" : "placeholder") : "placeholder.offline")}
        sendLabel={t(online ? "send" : "keep")}
        onSend={(text, selection) => store.send(text, selection)}
        note={
          <Note
            refused={refusal === null ? "" : refusalWords(refusal.fault)}
            stop={stop?.fault === undefined ? "" : stop.fault.message}
            armed={armed}
          />
        }
        {...(running ? { onStop: cancel, stopArmed: armed, stopping, offline: !online } : {})}
      />
    </div>
  );
}

function Note({ refused, stop, armed }: { refused: string; stop: string; armed: boolean }) {
  if (armed) return <span className="text-ink-2">{t("stop.again")}</span>;
  const text = stop === "" ? refused : stop;
  return text === "" ? null : (
    <span role="alert" className="text-stop">
      {text}
    </span>
  );
}
