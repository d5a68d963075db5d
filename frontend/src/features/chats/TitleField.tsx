import { type KeyboardEvent, useEffect, useRef } from "react";
import { t } from "../../messages/t";

const longest = 200;

type Props = {
  title: string;
  /** The new title, or null when it stays as it was. */
  onEnd: (title: string | null) => void;
  className?: string;
};

/** Writes a chat's title where it stands: Enter or leaving keeps it, Escape does not. */
export function TitleField({ title, onEnd, className }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useEffect(() => field.current?.select(), []);
  const end = (keep: boolean) => {
    if (over.current) return;
    over.current = true;
    const text = (field.current?.value ?? "").trim();
    onEnd(keep && text !== "" && text !== title ? text : null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    end(event.key === "Enter");
  };
  return (
    <input
      ref={field}
      dir="auto"
      aria-label={t("chat.title")}
      defaultValue={title}
      maxLength={longest}
      // It is shown because somebody wants to write.
      autoFocus
      onKeyDown={onKeyDown}
      onBlur={() => end(true)}
      className={
        className ??
        "target w-full rounded-2 border border-line-3 bg-raised px-2 text-ui pointer-coarse:text-field"
      }
    />
  );
}
