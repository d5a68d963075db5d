import { ArrowDown } from "lucide-react";
import { Fragment, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { MarkdownChat } from "../../markdown/context";
import { dayName } from "../../messages/format";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { useChat, useChatState } from "./context";
import { PromptCard } from "./Prompt";
import { RunView } from "./RunView";
import { isLive, type Left, leftAt, newDay, newSince, stateOf } from "./thread.logic";
import { useFollow } from "./useFollow";
import { useRead } from "./useRead";
import { useStations } from "./useStations";

/** A chat as it is read, from the oldest run held to the last. */
export function Thread() {
  const { id, store } = useChat();
  const thread = useChatState((s) => s.thread);
  const sync = useChatState((s) => s.sync);
  const inputs = useChatState((s) => s.inputs);
  const outbox = useChatState((s) => s.outbox);
  const me = useChatState((s) => s.me?.id ?? "");
  const detached = useChatState((s) => s.log.detached);
  const unseen = useChatState((s) => s.unseen);
  const loaded = useChatState((s) => s.loaded);

  const onEdge = useCallback(
    (edge: "start" | "end") => {
      store.reading(edge);
      if (edge === "start") void store.loadOlder();
      else store.attach("onward");
    },
    [store],
  );
  // A prompt on its way shows where it will stand, unless a run holds that place.
  const pending = sync?.running === true ? [] : outbox.filter((o) => o.command !== "");
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { following, toEnd, onScroll } = useFollow(scroller, content, onEdge);
  const [left, setLeft] = useState<Left | null>(null);
  if (following && left !== null) setLeft(null);
  if (!following && left === null) setLeft(leftAt(thread));
  const fresh = detached ? unseen : left === null ? 0 : newSince(thread, left);
  useRead(following && loaded && !detached, thread.at(-1)?.complete?.seq ?? 0);
  useStations(scroller);
  useFirstPage(scroller);

  // What a person sends is what that person wants to see.
  const sent = outbox.length;
  const before = useRef(sent);
  useEffect(() => {
    if (sent > before.current) toEnd();
    before.current = sent;
  }, [sent, toEnd]);

  const live = useMemo(() => (sync === null ? null : { sync, inputs }), [sync, inputs]);
  const stations = thread.filter((r) => r.prompt !== undefined).map((r) => `station-${r.key}`);
  return (
    <div className="relative min-h-0 flex-1">
      {/* A scrolling thread must be reached by the keyboard. */}
      <div
        ref={scroller}
        onScroll={onScroll}
        tabIndex={0}
        className="thread h-full overflow-y-auto -outline-offset-2"
      >
        <nav aria-label={t("track")} aria-owns={stations.join(" ")} />
        <section aria-label={t("thread")} className="column py-4">
          <div ref={content}>
            <Older />
            <MarkdownChat value={id}>
              {thread.map((run, i) => {
                const day = newDay(run, thread[i - 1]);
                const last = i === thread.length - 1;
                return (
                  <Fragment key={run.key}>
                    {day === null ? null : (
                      <p className="pb-4 text-center text-small text-ink-3">{dayName(day)}</p>
                    )}
                    <RunView
                      run={run}
                      state={stateOf(run, sync)}
                      last={last}
                      me={me}
                      over={run.complete !== undefined || (sync !== null && !isLive(run, sync))}
                      {...(live !== null && isLive(run, sync) ? { live } : {})}
                    />
                  </Fragment>
                );
              })}
            </MarkdownChat>
            {pending.map((o) => (
              <div key={o.clientId} className="run relative pb-5 opacity-70" data-pending>
                <PromptCard
                  text={o.text}
                  by={t("you")}
                  own
                  time=""
                  note={<span className="text-small text-ink-3">{t("sending")}</span>}
                />
              </div>
            ))}
          </div>
        </section>
      </div>
      {following && !detached ? null : (
        <Button
          onClick={() => {
            store.attach("latest");
            toEnd();
          }}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-2"
        >
          <ArrowDown aria-hidden="true" size={14} />
          {fresh > 0 ? t("latest.new", { n: fresh }) : t("latest")}
        </Button>
      )}
    </div>
  );
}

/** Asks for more history as long as what is held does not fill the view. */
function useFirstPage(scroller: React.RefObject<HTMLDivElement | null>): void {
  const { store } = useChat();
  const hasMore = useChatState((s) => s.log.hasMore);
  const older = useChatState((s) => s.older);
  const first = useChatState((s) => s.log.events[0]?.seq ?? 0);
  useEffect(() => {
    const box = scroller.current;
    if (box !== null && hasMore && older === "idle" && box.scrollHeight <= box.clientHeight + 1)
      void store.loadOlder();
  }, [scroller, store, hasMore, older, first]);
}

/** What stands over the oldest run: more is coming, did not come, or this is the beginning. */
function Older() {
  const { store } = useChat();
  const older = useChatState((s) => s.older);
  const hasMore = useChatState((s) => s.log.hasMore);
  if (!hasMore) return null;
  return (
    <p className="flex min-h-8 items-center justify-center gap-3 pb-3 text-small text-ink-3">
      {older === "failed" ? (
        <>
          {t("older.failed")}
          <Button onClick={() => void store.loadOlder()}>{t("retry")}</Button>
        </>
      ) : (
        t("older.loading")
      )}
    </p>
  );
}
