import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Prompt } from "../../../live/rows";
import { t } from "../../../messages/t";
import { Button } from "../../../ui/Button";
import { sayFailed } from "../../../ui/toast";
import { giveBack, unsendable } from "../../composer";
import { useChat } from "../context";
import { alongWith } from "../RetryWith";
import { leavingFrom } from "./outline.logic";
import { useTrack } from "./track.store";
import { useOutline } from "./useOutline";
import { usePoints } from "./usePoints";

type Props = {
  prompt: Prompt;
  text: string;
  onText: (text: string) => void;
  onClose: () => void;
};

/** Writes a prompt anew, in its place: the attempt that it began is kept beside the track. */
export function PromptEdit({ prompt, text, onText, onClose }: Props) {
  const { id, store } = useChat();
  const setRewinding = useTrack((s) => s.setRewinding);
  const { stops } = useOutline();
  const { busy, rewindTo } = usePoints();
  const [fault, setFault] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const box = field.current;
    box?.focus({ preventScroll: true });
    box?.setSelectionRange(box.value.length, box.value.length);
  }, []);
  const later = leavingFrom(stops, prompt.seq) - 1;
  const wrong = unsendable(text);
  const ready = text.trim() !== "" && wrong === "" && !busy;

  const send = async () => {
    if (!ready) return;
    setRewinding(true);
    try {
      const said = await rewindTo(prompt.seq);
      if (said === null) {
        onClose();
        store.send(text, prompt.selection, alongWith(prompt));
      } else if (field.current === null) {
        // Somebody else took the prompt out first, and this field with it.
        giveBack(id, text);
        sayFailed(said);
      } else setFault(said);
    } finally {
      setRewinding(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    } else if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      void send();
    }
  };
  return (
    <form
      aria-label={t("edit.title")}
      className="w-full"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={field}
        dir="auto"
        value={text}
        aria-label={t("edit.title")}
        aria-describedby="edit-note"
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content block max-h-[40dvh] min-h-16 w-full resize-none overflow-y-auto rounded-2 border border-line-3 bg-raised px-2.5 py-1.5 text-field"
      />
      <p id="edit-note" className="mt-1.5 text-small text-ink-2">
        {wrong === "" ? [t("edit.body"), later > 0 ? t("edit.later", { n: later }) : ""].join(" ") : wrong}
      </p>
      {fault === "" ? null : (
        <p role="alert" className="mt-1 text-small text-stop">
          {fault}
        </p>
      )}
      <div className="mt-2 flex flex-wrap gap-3">
        <Button look="primary" type="submit" aria-disabled={!ready}>
          {t("edit.act")}
          <kbd aria-hidden="true" className="font-mono text-count max-sm:hidden">
            Ctrl ⏎
          </kbd>
        </Button>
        <Button look="ghost" onClick={onClose}>
          {t("cancel")}
          <kbd aria-hidden="true" className="font-mono text-count text-ink-3 max-sm:hidden">
            {t("key.esc")}
          </kbd>
        </Button>
      </div>
    </form>
  );
}
