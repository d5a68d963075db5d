import { type RefObject, useEffect, useRef, useState } from "react";

type Over = { readonly id: string; readonly side: "before" | "after" };

/** A chip is this many times as wide as high at most; anything wider is a row of its own. */
const chipShape = 12;

function chipOf(event: DragEvent): HTMLElement | null {
  return event.target instanceof Element ? event.target.closest<HTMLElement>("[data-chip]") : null;
}

function sideOf(event: DragEvent, chip: HTMLElement): Over["side"] {
  const { x, y, width, height } = chip.getBoundingClientRect();
  const late = width < height * chipShape ? event.clientX > x + width / 2 : event.clientY > y + height / 2;
  return late ? "after" : "before";
}

/** The place, counted from 1, that a prompt has when it is put beside another. */
export function placeBeside(ids: readonly string[], held: string, { id, side }: Over): number {
  const at = ids.filter((other) => other !== held).indexOf(id);
  return at < 0 ? 0 : at + (side === "after" ? 2 : 1);
}

/** Dragging one of several prompts in a list to another place. Returns what it is held over. */
export function useReorder(
  list: RefObject<HTMLElement | null>,
  ids: readonly string[],
  onMove: (id: string, to: number) => void,
): Over | null {
  const [over, setOver] = useState<Over | null>(null);
  const latest = useRef({ ids, onMove });
  useEffect(() => {
    latest.current = { ids, onMove };
  });
  const some = ids.length > 0;
  useEffect(() => {
    const box = list.current;
    if (box === null || !some) return undefined;
    let held = "";
    const leave = new AbortController();
    const on = (type: "dragstart" | "dragover" | "drop" | "dragend", act: (event: DragEvent) => void) =>
      box.addEventListener(type, act, { signal: leave.signal });
    const end = () => {
      held = "";
      setOver(null);
    };
    on("dragstart", (event) => {
      held = chipOf(event)?.dataset["chip"] ?? "";
      event.dataTransfer?.setData("text/plain", held);
    });
    on("dragover", (event) => {
      const chip = chipOf(event);
      if (held === "" || chip === null) return;
      event.preventDefault();
      const id = chip.dataset["chip"] ?? "";
      setOver(id === held ? null : { id, side: sideOf(event, chip) });
    });
    on("drop", (event) => {
      const chip = chipOf(event);
      const id = chip?.dataset["chip"] ?? "";
      if (held === "" || chip === null || id === held) return;
      event.preventDefault();
      const now = latest.current;
      now.onMove(held, placeBeside(now.ids, held, { id, side: sideOf(event, chip) }));
      end();
    });
    on("dragend", end);
    return () => leave.abort();
  }, [list, some]);
  return over;
}
