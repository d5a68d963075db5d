import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Near } from "../../live/evict";
import { MarkdownChat } from "../../markdown/context";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { useChat, useChatState } from "./context";
import { type Group, type Item, ThreadList, toggled } from "./list.logic";
import { ThreadPlace } from "./placement";
import { PromptCard } from "./Prompt";
import { RowWindow } from "./rowwindow";
import { type Drawn, RunView } from "./RunView";
import { isLive, type Left, leftAt, newSince, stateOf } from "./thread.logic";
import { StickyPrompt } from "./StickyPrompt";
import { Junctions, useOutline } from "./track";
import { useFollow } from "./useFollow";
import { useHeld } from "./useHeld";
import { useRead } from "./useRead";
import { useStations } from "./useStations";
import { useVisit } from "./useVisit";
import type { Slot } from "./window.logic";

const noFolds: ReadonlySet<string> = new Set();

/** A chat as it is read, from the oldest run held to the last. Only what is near the reader is drawn. */
export function Thread() {
  const { id, store } = useChat();
  const thread = useChatState((s) => s.thread);
  const sync = useChatState((s) => s.sync);
  const inputs = useChatState((s) => s.inputs);
  const outbox = useChatState((s) => s.outbox);
  const me = useChatState((s) => s.me?.id ?? "");
  const detached = useChatState((s) => s.log.detached);
  const whole = useChatState((s) => !s.log.hasMore);
  const unseen = useChatState((s) => s.unseen);
  const loaded = useChatState((s) => s.loaded);

  const onNear = useCallback((near: Near) => store.reading(near), [store]);
  const onEdge = useCallback(
    (edge: Near) => {
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
  const [, redraw] = useState(0);
  const [rows] = useState(() => new RowWindow(() => redraw((n) => n + 1)));
  const locate = useCallback((distance: number) => rows.locate(distance), [rows]);
  const { toEnd, onScroll, show, ...place } = useFollow({
    scroller,
    content,
    locate,
    onEdge,
    onNear,
    attached: !detached,
  });
  const { following } = place;

  const [folds, setFolds] = useState(noFolds);
  const [list] = useState(() => new ThreadList());
  const living = thread.findLast((run) => isLive(run, sync))?.key ?? null;
  const groups = list.groups(thread, living, folds, whole);
  const slots = rows.slots(groups, place, useHeld(content));

  const [left, setLeft] = useState<Left | null>(null);
  if (following && left !== null) setLeft(null);
  if (!following && left === null) setLeft(leftAt(thread));
  const fresh = detached ? unseen : left === null ? 0 : newSince(thread, left);
  useRead(following && loaded && !detached, thread.at(-1)?.complete?.seq ?? 0);
  useFirstPage(scroller);
  useBar(scroller);

  // What a person sends is what that person wants to see.
  const sent = outbox.length;
  const before = useRef(sent);
  useEffect(() => {
    if (sent > before.current) toEnd();
    before.current = sent;
  }, [sent, toEnd]);

  const [keptIn] = useState(() => new Map<string, Map<string, boolean>>());
  const places = useMemo(
    () => ({
      kept: (run: string) => {
        const kept = keptIn.get(run) ?? new Map<string, boolean>();
        keptIn.set(run, kept);
        return kept;
      },
      show: (key: string, focus?: boolean) => {
        const held = rows.items.some((item) => item.key === key);
        if (held) show(key, focus);
        return held;
      },
      toggleFold: (fold: Item & { readonly kind: "fold" }) => setFolds((open) => toggled(open, fold)),
    }),
    [show, rows, keptIn],
  );
  useStations(groups, scroller, places.show);
  useVisit(groups, places);

  const live = useMemo(() => (sync === null ? null : { sync, inputs }), [sync, inputs]);
  const parts = partsOf(groups, slots);
  const { stops } = useOutline();
  const known = useMemo(() => new Set(stops.map((stop) => stop.run)), [stops]);
  const stations = parts.flatMap((p) =>
    "group" in p && (p.group.run.prompt !== undefined || known.has(p.group.run.key))
      ? [`station-${p.group.run.key}`]
      : [],
  );
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
          <Older />
          <div ref={content}>
            <MarkdownChat value={id}>
              <ThreadPlace value={places}>
                {parts.map((part) =>
                  "room" in part ? (
                    <div key={part.key} aria-hidden="true" style={{ height: part.room }} />
                  ) : (
                    <RunView
                      key={part.group.run.key}
                      run={part.group.run}
                      drawn={part.drawn}
                      state={stateOf(part.group.run, sync)}
                      last={part.group === groups.at(-1)}
                      me={me}
                      over={
                        part.group.run.complete !== undefined ||
                        (sync !== null && part.group.run.key !== living)
                      }
                      measure={rows.measure}
                      {...(live !== null && part.group.run.key === living ? { live } : {})}
                    />
                  ),
                )}
              </ThreadPlace>
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
      <ThreadPlace value={places}>
        <StickyPrompt scroller={scroller} />
      </ThreadPlace>
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

type Part =
  | { readonly group: Group; readonly drawn: readonly Drawn[] }
  | { readonly room: number; readonly key: string };

/** The slots of the list by the runs that they belong to. A room that goes over the end of a run stands between runs. */
function partsOf(groups: readonly Group[], slots: readonly Slot[]): readonly Part[] {
  const owner = groups.flatMap((group) => group.items.map((item) => ({ group, item })));
  const parts: Part[] = [];
  let drawn: Drawn[] = [];
  let open: Group | undefined;
  slots.forEach((slot, i) => {
    if ("room" in slot) {
      const next = slots[i + 1];
      const inside =
        open !== undefined && next !== undefined && "at" in next && owner[next.at]?.group === open;
      if (inside) drawn.push(slot);
      else {
        open = undefined;
        parts.push({ room: slot.room, key: `room:${i === 0 ? "start" : i}` });
      }
      return;
    }
    const owned = owner[slot.at];
    if (owned === undefined) return;
    const { group, item } = owned;
    if (group !== open) {
      open = group;
      drawn = [];
      parts.push({ group, drawn });
    }
    drawn.push({ item });
  });
  return parts;
}

/** Tells what stands over and under the thread how much of its width the bar takes at each side. */
function useBar(scroller: React.RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const measure = () => {
      const box = scroller.current;
      if (box === null) return;
      const bar = (box.offsetWidth - box.clientWidth) / 2;
      document.documentElement.style.setProperty("--bar", `${bar}px`);
    };
    measure();
    // Zoom changes how wide a bar is.
    window.addEventListener("resize", measure);
    return () => window.removeEventListener("resize", measure);
  }, [scroller]);
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
  if (!hasMore) return <Junctions run={null} />;
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
