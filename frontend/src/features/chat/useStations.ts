import { type RefObject, useEffect } from "react";
import { isTyping } from "../../ui/keys";
import type { Group } from "./list.logic";

/** `[` and `]` go to the station before and after the one that is being read. */
export function useStations(
  groups: readonly Group[],
  scroller: RefObject<HTMLElement | null>,
  show: (key: string, focus?: boolean) => boolean,
): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.key !== "[" && event.key !== "]") || event.ctrlKey || event.metaKey || isTyping(event))
        return;
      const box = scroller.current;
      if (box === null) return;
      const prompts = groups.flatMap(({ items }) =>
        items.flatMap((i) => (i.kind === "prompt" ? [i.key] : [])),
      );
      const focused = document.activeElement?.closest("[data-row]")?.getAttribute("data-row") ?? "";
      const here = prompts.includes(focused) ? prompts.indexOf(focused) : prompts.indexOf(lastAbove(box));
      const to = prompts[event.key === "[" ? Math.max(0, here - 1) : Math.min(prompts.length - 1, here + 1)];
      if (to === undefined) return;
      event.preventDefault();
      show(to, true);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [groups, scroller, show]);
}

/** The prompt of what is read. It is drawn, like the head of every run of which something is. */
function lastAbove(box: HTMLElement): string {
  const edge = box.getBoundingClientRect().top + 24;
  const stations = [...box.querySelectorAll("[data-station]")];
  const last = stations.findLast((s) => s.getBoundingClientRect().top <= edge);
  return last?.closest("[data-row]")?.getAttribute("data-row") ?? "";
}
