import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Nearer to the end than this counts as at the end. */
const slack = 48;

export type Follow = {
  /** The reader is at the end, and what comes is followed. */
  readonly following: boolean;
  readonly toEnd: () => void;
  readonly onScroll: () => void;
};

type Anchor = { readonly element: Element; readonly top: number };

/**
 * Keeps what is being read where it is. A reader at the end follows it; anybody else sees the same
 * row at the same place, whatever grows, folds or arrives above it.
 */
export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  onEdge: (edge: "start" | "end") => void,
): Follow {
  const anchor = useRef<Anchor | null>(null);
  const follows = useRef(true);
  const [following, setFollowing] = useState(true);

  const settle = useCallback(() => {
    const box = scroller.current;
    if (box === null) return;
    if (follows.current) {
      box.scrollTo(0, box.scrollHeight);
      return;
    }
    const held = anchor.current;
    if (held === null || !held.element.isConnected) return;
    const moved = held.element.getBoundingClientRect().top - held.top;
    if (Math.abs(moved) >= 1) box.scrollBy(0, moved);
  }, [scroller]);

  const onScroll = useCallback(() => {
    const box = scroller.current;
    const inner = content.current;
    if (box === null || inner === null) return;
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < slack;
    follows.current = atEnd;
    setFollowing(atEnd);
    anchor.current = atEnd ? null : firstVisible(box, inner);
    if (box.scrollTop < box.clientHeight) onEdge("start");
    else if (atEnd) onEdge("end");
  }, [scroller, content, onEdge]);

  const toEnd = useCallback(() => {
    follows.current = true;
    setFollowing(true);
    settle();
  }, [settle]);

  // After every drawing: what was drawn may have moved what is read.
  useLayoutEffect(settle);

  useEffect(() => {
    const inner = content.current;
    const box = scroller.current;
    if (inner === null || box === null) return undefined;
    const observer = new ResizeObserver(settle);
    observer.observe(inner);
    observer.observe(box);
    return () => observer.disconnect();
  }, [scroller, content, settle]);

  return { following, toEnd, onScroll };
}

/** The first row that shows, and where it does. */
function firstVisible(box: HTMLElement, inner: HTMLElement): Anchor | null {
  const edge = box.getBoundingClientRect().top;
  for (const element of inner.querySelectorAll("[data-row]")) {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom > edge + 1) return { element, top };
  }
  return null;
}
