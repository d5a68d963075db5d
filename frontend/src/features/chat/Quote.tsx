import { TextQuote } from "lucide-react";
import { type RefObject, useEffect, useState } from "react";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { useDrafts } from "../composer";
import { useChat } from "./context";
import { withQuote } from "./quote.logic";

type Place = { readonly text: string; readonly x: number; readonly y: number };

/** Where a selection of the thread ends, and what it says; null where there is none. */
function selected(): Place | null {
  const selection = document.getSelection();
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const within = range.commonAncestorContainer;
  const element = within instanceof Element ? within : within.parentElement;
  if (element === null || element.closest(".thread") === null) return null;
  const text = selection.toString();
  if (text.trim() === "") return null;
  const boxes = range.getClientRects();
  const last = boxes[boxes.length - 1];
  return last === undefined ? null : { text, x: last.right, y: last.bottom };
}

/** Beside a text that is selected in the thread: takes it into the prompt as a quotation. */
export function Quote({ field }: { field: RefObject<HTMLTextAreaElement | null> }) {
  const { id } = useChat();
  const [place, setPlace] = useState<Place | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      // While the selection is being drawn it is of no use to anybody.
      timer = setTimeout(() => setPlace(selected()), 200);
    };
    const hide = () => setPlace(null);
    document.addEventListener("selectionchange", look);
    document.addEventListener("scroll", hide, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("selectionchange", look);
      document.removeEventListener("scroll", hide, true);
    };
  }, []);
  if (place === null) return null;
  const take = () => {
    const { drafts, write } = useDrafts.getState();
    write(id, withQuote(drafts[id]?.text ?? "", place.text));
    document.getSelection()?.removeAllRanges();
    setPlace(null);
    const box = field.current;
    if (box === null) return;
    box.focus();
    requestAnimationFrame(() => box.setSelectionRange(box.value.length, box.value.length));
  };
  return (
    <Button
      title={t("quote.what")}
      // A press must not take the selection away before it is used.
      onMouseDown={(event) => event.preventDefault()}
      onClick={take}
      className="fixed z-(--z-menu) shadow-2"
      style={{
        left: `clamp(8px, ${place.x - 40}px, calc(100vw - 100px))`,
        top: `clamp(56px, ${place.y + 6}px, calc(var(--view-height) - 48px))`,
      }}
    >
      <TextQuote aria-hidden="true" size={14} />
      {t("quote")}
    </Button>
  );
}
