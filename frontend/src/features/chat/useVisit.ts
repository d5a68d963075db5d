import { useEffect, useRef } from "react";
import { t } from "../../messages/t";
import { sayFailed } from "../../ui/toast";
import { useChat, useChatState } from "./context";
import type { Group } from "./list.logic";
import { useTrack } from "./track";
import { type Shown, shownOf } from "./visit.logic";

type Places = {
  readonly show: (key: string, focus?: boolean) => boolean;
  readonly toggleFold: (fold: NonNullable<Shown["fold"]>) => void;
};

/** Brings the event that was asked for into view as soon as it is held, and marks its row. */
export function useVisit(groups: readonly Group[], places: Places): void {
  const { store } = useChat();
  const visit = useChatState((s) => s.visit);
  const mark = useTrack((s) => s.mark);
  const done = useRef(0);
  useEffect(() => {
    if (visit === null) mark(null);
    if (visit === null || visit.state === "waiting" || done.current === visit.times) return;
    if (visit.state !== "held") {
      done.current = visit.times;
      sayFailed(t(visit.state === "gone" ? "visit.gone" : "visit.failed"));
      return;
    }
    const event = store.store.getState().log.events.find((e) => e.seq === visit.seq);
    const shown = event === undefined ? null : shownOf(groups, event);
    if (shown === null) return;
    if (shown.fold !== null) {
      // Its rows are there with the next drawing.
      places.toggleFold(shown.fold);
      return;
    }
    done.current = visit.times;
    const focus = visit.how === "focus";
    mark(focus ? null : shown.row);
    places.show(shown.row, focus);
  }, [visit, groups, places, store, mark]);
  useEffect(() => () => mark(null), [mark]);
}
