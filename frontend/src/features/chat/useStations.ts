import { type RefObject, useEffect } from "react";
import { isTyping } from "../../ui/keys";
import { meant } from "../../ui/shortcuts";
import { useChat } from "./context";
import type { Group } from "./list.logic";
import { useOutline } from "./track";

/** `[` and `]` go to the station before and after the one that is being read, held or not. */
export function useStations(
  groups: readonly Group[],
  scroller: RefObject<HTMLElement | null>,
  show: (key: string, focus?: boolean) => boolean,
): void {
  const { store } = useChat();
  const { stops } = useOutline();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const pressed = meant(event.key);
      if ((pressed !== "[" && pressed !== "]") || event.ctrlKey || event.metaKey || isTyping(event)) return;
      const box = scroller.current;
      if (box === null) return;
      const held = new Map(
        groups.flatMap(({ run, items }) =>
          items.flatMap((i) => {
            const cut = i.kind === "cut" ? stops.find((stop) => stop.run === run.key) : undefined;
            const seq = i.kind === "prompt" ? i.prompt.seq : cut?.seq;
            return seq === undefined ? [] : [[i.key, seq] as const];
          }),
        ),
      );
      const focused = document.activeElement?.closest("[data-row]")?.getAttribute("data-row") ?? "";
      const seq = held.get(focused) ?? held.get(lastAbove(box)) ?? 0;
      const to =
        pressed === "["
          ? (stops.findLast((stop) => stop.seq < seq) ?? stops[0])
          : (stops.find((stop) => stop.seq > seq) ?? stops.at(-1));
      if (to === undefined) return;
      event.preventDefault();
      const key = [...held].find(([, at]) => at === to.seq)?.[0];
      if (key === undefined || !show(key, true)) store.visit(to.seq, "focus");
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [groups, scroller, show, store, stops]);
}

/** The prompt of what is read. It is drawn, like the head of every run of which something is. */
function lastAbove(box: HTMLElement): string {
  const edge = box.getBoundingClientRect().top + 24;
  const stations = [...box.querySelectorAll("[data-station]")];
  const last = stations.findLast((s) => s.getBoundingClientRect().top <= edge);
  return last?.closest("[data-row]")?.getAttribute("data-row") ?? "";
}
