import { type DragEvent, useState } from "react";

type Over = { readonly id: string; readonly side: "before" | "after" };

/** Dragging one of several prompts to another place. */
export function useReorder(ids: readonly string[], onMove: (id: string, to: number) => void) {
  const [held, setHeld] = useState("");
  const [over, setOver] = useState<Over | null>(null);
  const end = () => {
    setHeld("");
    setOver(null);
  };
  return (id: string) => ({
    over: over?.id === id && held !== id ? over.side : ("" as const),
    onStart: (event: DragEvent) => {
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", id);
      setHeld(id);
    },
    onOver: (event: DragEvent) => {
      if (held === "") return;
      event.preventDefault();
      const box = event.currentTarget.getBoundingClientRect();
      const wide = box.width < box.height * 12;
      const late = wide ? event.clientX > box.x + box.width / 2 : event.clientY > box.y + box.height / 2;
      setOver({ id, side: late ? "after" : "before" });
    },
    onDrop: (event: DragEvent) => {
      if (held === "" || over === null) return;
      event.preventDefault();
      const rest = ids.filter((other) => other !== held);
      const at = rest.indexOf(over.id);
      if (at >= 0) onMove(held, at + (over.side === "after" ? 2 : 1));
      end();
    },
    onEnd: end,
  });
}
