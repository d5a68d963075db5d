import { type RefObject, useEffect, useState } from "react";

/** Rows that must stay drawn, by their keys: those between the ends of a selection, and that with the focus. */
export type Held = {
  readonly selected: readonly [string, string] | null;
  readonly focused: string | null;
};

const nothing: Held = { selected: null, focused: null };

function rowOf(node: Node | null, inner: HTMLElement): string | null {
  if (node === null || !inner.contains(node)) return null;
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest("[data-row]")?.getAttribute("data-row") ?? null;
}

/** What of the rows in `content` is in use by the reader: taking it out of the page would take it away. */
export function useHeld(content: RefObject<HTMLElement | null>): Held {
  const [held, setHeld] = useState(nothing);
  useEffect(() => {
    const look = () => {
      const inner = content.current;
      if (inner === null) return;
      const selection = document.getSelection();
      const some = selection !== null && !selection.isCollapsed;
      const from = some ? rowOf(selection.anchorNode, inner) : null;
      const to = some ? rowOf(selection.focusNode, inner) : null;
      const one = from ?? to;
      const other = to ?? from;
      const focused = rowOf(document.activeElement, inner);
      setHeld((now) =>
        same(now.selected, one, other) && now.focused === focused
          ? now
          : { selected: one === null || other === null ? null : [one, other], focused },
      );
    };
    document.addEventListener("selectionchange", look);
    document.addEventListener("focusin", look);
    document.addEventListener("focusout", look);
    return () => {
      document.removeEventListener("selectionchange", look);
      document.removeEventListener("focusin", look);
      document.removeEventListener("focusout", look);
    };
  }, [content]);
  return held;
}

function same(selected: Held["selected"], one: string | null, other: string | null): boolean {
  return selected === null ? one === null : selected[0] === one && selected[1] === other;
}
