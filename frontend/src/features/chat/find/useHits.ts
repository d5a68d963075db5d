import { useEffect } from "react";
import { useTrack } from "../track";

const name = "find";

/** Marks a text in the row that is shown, where the browser can do that without touching the page. */
export function useHits(text: string): void {
  const row = useTrack((s) => s.marked);
  useEffect(() => {
    if (row === null || text === "" || typeof Highlight === "undefined") return undefined;
    // The row is drawn by the time that the next frame is.
    const frame = requestAnimationFrame(() => {
      const element = document.querySelector(`[data-row="${CSS.escape(row)}"]`);
      if (element !== null) CSS.highlights.set(name, new Highlight(...rangesOf(element, text.toLowerCase())));
    });
    return () => {
      cancelAnimationFrame(frame);
      CSS.highlights.delete(name);
    };
  }, [row, text]);
}

function rangesOf(element: Element, text: string): readonly Range[] {
  const ranges: Range[] = [];
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
    const whole = (node.textContent ?? "").toLowerCase();
    for (let at = whole.indexOf(text); at >= 0; at = whole.indexOf(text, at + text.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + text.length);
      ranges.push(range);
    }
  }
  return ranges;
}
