import { ArrowDown, ArrowUp } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { t } from "../../../messages/t";
import { Button, IconButton } from "../../../ui/Button";
import { beginning } from "../../../text/characters";

type Props = {
  text: string;
  number: number;
  all: number;
  onWrite: (text: string) => void;
  onSave: () => void;
  onClose: () => void;
  onMove: (step: -1 | 1) => void;
};

/** A prompt of the queue while its text is changed, where it stands. */
export function Editor({ text, number, all, onWrite, onSave, onClose, onMove }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const box = field.current;
    box?.focus();
    box?.setSelectionRange(box.value.length, box.value.length);
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") {
      // It closes the editor, and is not meant for the run.
      event.preventDefault();
      event.stopPropagation();
      onClose();
    } else if (event.key === "Enter" && !event.shiftKey && !matchMedia("(pointer: coarse)").matches) {
      event.preventDefault();
      onSave();
    }
  };
  return (
    <li className="w-full rounded-3 border border-ink-3 bg-raised" data-layer>
      <textarea
        ref={field}
        dir="auto"
        value={text}
        onChange={(event) => onWrite(event.target.value)}
        onKeyDown={onKeyDown}
        aria-label={t("queue.editing", { n: number })}
        className="field-sizing-content block max-h-[30dvh] w-full resize-none bg-transparent px-3 py-2 text-field outline-none"
      />
      <div className="flex items-center gap-2 px-2 pb-2">
        <IconButton
          label={t("queue.move.up", { text: beginning(text, 60) })}
          disabled={number === 1}
          onClick={() => onMove(-1)}
        >
          <ArrowUp aria-hidden="true" size={14} />
        </IconButton>
        <IconButton
          label={t("queue.move.down", { text: beginning(text, 60) })}
          disabled={number === all}
          onClick={() => onMove(1)}
        >
          <ArrowDown aria-hidden="true" size={14} />
        </IconButton>
        <span className="flex-1" />
        <Button look="ghost" onClick={onClose}>
          {t("cancel")}
        </Button>
        <Button look="primary" aria-disabled={text.trim() === ""} onClick={onSave}>
          {t("queue.save")}
        </Button>
      </div>
    </li>
  );
}
