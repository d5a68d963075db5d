import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Near } from "../../live/evict";

/** Nearer to the end than this counts as at the end. */
const slack = 48;
/** Where a row that was asked for comes to stand under the upper edge: the prompt of it may stick there. */
const under = 8;
const underPrompt = 56;

/** What the reader looks at. */
export type Place = {
  /** The reader is at the end, and what comes is followed. */
  readonly following: boolean;
  /** The first row that shows; null at the end. */
  readonly at: string | null;
  /** The height of the view. */
  readonly view: number;
};

type Follow = Place & {
  readonly toEnd: () => void;
  readonly onScroll: () => void;
  /** Brings a row to the top, and the focus to its station if wanted. */
  readonly show: (key: string, focus?: boolean) => void;
};

type Options = {
  readonly scroller: RefObject<HTMLElement | null>;
  /** What scrolls, with a `data-row` on each row that is drawn. */
  readonly content: RefObject<HTMLElement | null>;
  /** The row at a distance from the start, where none is drawn. */
  readonly locate: (distance: number) => string | null;
  readonly onEdge: (edge: Near) => void;
  /** Which end is nearer: what is let go lies at the other. */
  readonly onNear: (near: Near) => void;
  /** The end of what is held is the end of the chat; another one is read on from, not followed. */
  readonly attached: boolean;
};

/** A row that is to stay where it is. Its distance from the start of what scrolls is not changed by scrolling. */
type Anchor = { readonly element: Element; readonly distance: number };
type Target = { readonly key: string; readonly focus: boolean };

const start: Place = { following: true, at: null, view: 900 };

/**
 * Keeps what is being read where it is. A reader at the end follows it; anybody else sees the same
 * row at the same place, whatever grows, folds, arrives or is taken out above it.
 */
export function useFollow({ scroller, content, locate, onEdge, onNear, attached }: Options): Follow {
  /** The rows that show, from the first on: the first that is still there is held to. */
  const anchors = useRef<readonly Anchor[]>([]);
  const target = useRef<Target | null>(null);
  const follows = useRef(true);
  /** Where the end was when it was last gone to. */
  const end = useRef(0);
  const [place, setPlace] = useState(start);

  const put = useCallback((next: Place) => {
    follows.current = next.following;
    setPlace((now) =>
      now.following === next.following && now.at === next.at && now.view === next.view ? now : next,
    );
  }, []);

  const settle = useCallback(() => {
    const box = scroller.current;
    const inner = content.current;
    if (box === null || inner === null) return;
    const wanted = target.current;
    if (wanted !== null) {
      const row = inner.querySelector(`[data-row="${CSS.escape(wanted.key)}"]`);
      if (row === null) return;
      target.current = null;
      box.scrollBy(0, row.getBoundingClientRect().top - box.getBoundingClientRect().top - roomFor(wanted));
      anchors.current = [anchorAt(box, row)];
      if (wanted.focus) row.querySelector<HTMLElement>("[data-station]")?.focus({ preventScroll: true });
      return;
    }
    if (follows.current) {
      // The reader has scrolled away, and the event that says so is still to come.
      if (box.scrollTop < end.current - 1 && toEndOf(box) >= slack) return;
      box.scrollTo(0, box.scrollHeight);
      end.current = box.scrollTop;
      return;
    }
    const held = anchors.current.find(({ element }) => element.isConnected);
    const moved = held === undefined ? 0 : anchorAt(box, held.element).distance - held.distance;
    if (Math.abs(moved) >= 1) box.scrollBy(0, moved);
    else if (held !== undefined && held === anchors.current[0]) return;
    anchors.current = visible(box, inner);
  }, [scroller, content]);

  const onScroll = useCallback(() => {
    const box = scroller.current;
    const inner = content.current;
    if (box === null || inner === null || target.current !== null) return;
    const view = box.clientHeight;
    const following = attached && toEndOf(box) < slack;
    anchors.current = following ? [] : visible(box, inner);
    const drawn = anchors.current[0]?.element.getAttribute("data-row") ?? null;
    const distance = box.getBoundingClientRect().top - inner.getBoundingClientRect().top;
    put({ following, at: following ? null : (drawn ?? locate(distance)), view });
    onNear(following || box.scrollTop >= toEndOf(box) ? "end" : "start");
    if (box.scrollTop < view) onEdge("start");
    if (following || (!attached && toEndOf(box) < view)) onEdge("end");
  }, [scroller, content, locate, onEdge, onNear, attached, put]);

  const toEnd = useCallback(() => {
    target.current = null;
    end.current = 0;
    put({ following: true, at: null, view: scroller.current?.clientHeight ?? start.view });
    settle();
  }, [scroller, settle, put]);

  const show = useCallback(
    (key: string, focus = false) => {
      target.current = { key, focus };
      put({ following: false, at: key, view: scroller.current?.clientHeight ?? start.view });
      settle();
    },
    [scroller, settle, put],
  );

  // After every drawing: what was drawn may have moved what is read.
  useLayoutEffect(settle);

  useEffect(() => {
    const inner = content.current;
    const box = scroller.current;
    if (inner === null || box === null) return undefined;
    const observer = new ResizeObserver(() => {
      setPlace((now) => (now.view === box.clientHeight ? now : { ...now, view: box.clientHeight }));
      settle();
    });
    observer.observe(inner);
    observer.observe(box);
    // What is pressed stays under the pointer, also where it makes the end grow.
    const onClick = ({ target: pressed }: MouseEvent) => {
      const button = pressed instanceof Element ? pressed.closest("button") : null;
      if (button === null || !follows.current) return;
      follows.current = false;
      anchors.current = [anchorAt(box, button)];
      requestAnimationFrame(onScroll);
    };
    inner.addEventListener("click", onClick, true);
    return () => {
      observer.disconnect();
      inner.removeEventListener("click", onClick, true);
    };
  }, [scroller, content, settle, onScroll]);

  return { ...place, toEnd, onScroll, show };
}

function toEndOf(box: HTMLElement): number {
  return box.scrollHeight - box.scrollTop - box.clientHeight;
}

function anchorAt(box: HTMLElement, element: Element): Anchor {
  return { element, distance: element.getBoundingClientRect().top + box.scrollTop };
}

function roomFor({ key }: Target): number {
  return key.startsWith("p:") ? under : underPrompt;
}

/** The rows that show, and where they do. */
function visible(box: HTMLElement, inner: HTMLElement): readonly Anchor[] {
  const edge = box.getBoundingClientRect();
  const rows: Anchor[] = [];
  // What stands for a prompt moves up as soon as more of its run is held.
  for (const element of inner.querySelectorAll("[data-row]:not([data-cut])")) {
    const { top, bottom } = element.getBoundingClientRect();
    if (top >= edge.bottom) break;
    if (bottom > edge.top + 1) rows.push(anchorAt(box, element));
  }
  return rows;
}
