import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import type { ClipboardEvent, KeyboardEvent, RefObject } from "react";
import { settingsQuery } from "../../api/queries";
import { t } from "../../messages/t";
import { fieldAct } from "./keys.logic";
import type { FieldMenu } from "./useFieldMenu";

type Props = {
  field: RefObject<HTMLTextAreaElement | null>;
  text: string;
  placeholder: string;
  /** The page is there for it: two lines at least. */
  roomy: boolean;
  autoFocus: boolean;
  /** What is offered for the word in which the caret is. */
  menu: FieldMenu;
  /** Backspace was pressed where nothing of the text is left before it. */
  onEat: () => void;
  onWrite: (text: string) => void;
  onSend: (now: boolean) => void;
  onRecall?: () => boolean;
  onFiles?: (files: readonly File[]) => void;
};

/** The text of a prompt as it is written. */
export function PromptField({ field, text, roomy, menu, onWrite, ...props }: Props) {
  const enterSends = useQuery(settingsQuery).data?.enterSends ?? true;
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (menu.onKeyDown(event)) return;
    const { selectionEnd } = event.currentTarget;
    const composing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (event.key === "Backspace" && selectionEnd === 0 && !event.repeat && !composing) props.onEat();
    const act = fieldAct(
      {
        key: event.key,
        shift: event.shiftKey,
        alt: event.altKey,
        command: event.metaKey || event.ctrlKey,
        composing,
        repeat: event.repeat,
      },
      { enterSends, touch: matchMedia("(pointer: coarse)").matches, empty: text === "" },
    );
    if (act === "none") return;
    if (act === "recall") {
      if (props.onRecall?.() === true) event.preventDefault();
      return;
    }
    event.preventDefault();
    props.onSend(act === "now");
  };
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const { files, types } = event.clipboardData;
    // What has a text is pasted as one: office programs put a picture of it beside it.
    if (props.onFiles === undefined || files.length === 0 || types.includes("text/plain")) return;
    event.preventDefault();
    props.onFiles([...files]);
  };
  return (
    <textarea
      ref={field}
      id="composer"
      dir="auto"
      rows={Math.min(12, text.split("\n").length)}
      value={text}
      onChange={(event) => {
        onWrite(event.target.value);
        menu.onCaret(event.target);
      }}
      onSelect={(event) => menu.onCaret(event.currentTarget)}
      onBlur={menu.onLeave}
      aria-autocomplete="list"
      aria-haspopup="listbox"
      aria-controls={menu.open && menu.offers.length > 0 ? menu.id : undefined}
      aria-activedescendant={menu.open && menu.offers.length > 0 ? `${menu.id}-${menu.here}` : undefined}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
      placeholder={props.placeholder}
      aria-label={t("prompt")}
      aria-describedby="composer-note"
      enterKeyHint="enter"
      // The page that is only a composer starts in it.
      autoFocus={props.autoFocus}
      className={clsx(
        roomy && "min-h-15 short:min-h-0",
        "field-sizing-content block max-h-[40dvh] thumb:min-h-11 thumb:py-2.5 w-full resize-none overflow-y-auto bg-transparent px-3.5 py-2 text-field outline-none",
      )}
    />
  );
}
