import { type RefObject, useEffect } from "react";
import { isTyping } from "../../ui/keys";

/** `[` and `]` go to the station before and after the one that is being read. */
export function useStations(scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.key !== "[" && event.key !== "]") || event.ctrlKey || event.metaKey || isTyping(event))
        return;
      const box = scroller.current;
      if (box === null) return;
      const stations = [...box.querySelectorAll<HTMLElement>("[data-station]")];
      const edge = box.getBoundingClientRect().top + 24;
      const places = stations.map((s) => s.getBoundingClientRect().top);
      const focused = stations.findIndex((s) => s === document.activeElement);
      const here = focused >= 0 ? focused : places.findLastIndex((top) => top <= edge);
      const to =
        stations[event.key === "[" ? Math.max(0, here - 1) : Math.min(stations.length - 1, here + 1)];
      if (to === undefined) return;
      event.preventDefault();
      to.focus({ preventScroll: true });
      to.closest("[data-row]")?.scrollIntoView({ block: "start" });
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [scroller]);
}
