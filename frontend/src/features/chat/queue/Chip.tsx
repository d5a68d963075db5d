import { clsx } from "clsx";
import { GripVertical, X } from "lucide-react";
import type { KeyboardEvent } from "react";
import type { QueueRow } from "../../../live/queue";
import { t } from "../../../messages/t";
import { Glyph } from "../../../ui/Glyph";
import { IconButton } from "../../../ui/Button";
import { beginning } from "../../../text/characters";
import { chipAct, type ChipAct } from "./queue.logic";

type Props = {
  row: QueueRow;
  number: number;
  all: number;
  me: string;
  /** Nothing can be changed: the person only reads, or there is no line. */
  fixed: boolean;
  onAct: (act: Exclude<ChipAct, "none">) => void;
  /** Another prompt is held over it, and would be put there. */
  over: "" | "before" | "after";
};

/** One prompt of the queue: its place, its beginning, and whose it is where that is another. */
export function Chip({ row, number, all, me, fixed, onAct, over }: Props) {
  const { item, text, pending } = row;
  const short = beginning(text, 60);
  const failed = item.error !== undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    const act = fixed ? "none" : chipAct(event.key, event.altKey);
    if (act === "none" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onAct(act);
  };
  const body = (
    <>
      <span className="sr-only">{t("queue.item", { n: number, all })}</span>
      {failed ? (
        <Glyph signal="failed" size={12} name={t("queue.unsent")} />
      ) : (
        <span aria-hidden="true" className="font-mono text-count text-ink-3">
          {number}
        </span>
      )}
      <span dir="auto" className={clsx("min-w-0 truncate", pending === "remove" && "line-through")}>
        {text}
      </span>
      {item.by.id === me ? null : <bdi className="flex-none text-ink-3">{item.by.name}</bdi>}
      {pending === null ? null : <span className="flex-none text-ink-3">{t("queue.saving")}</span>}
    </>
  );
  return (
    <li
      draggable={!fixed}
      data-chip={item.clientId}
      className={clsx(
        "inline-flex max-w-full min-w-0 items-center rounded-2 border bg-raised text-small max-sm:w-full",
        failed ? "border-stop-line" : "border-line-2",
        pending === "remove" && "opacity-60",
        over === "before" && "border-s-accent shadow-2",
        over === "after" && "border-e-accent shadow-2",
      )}
    >
      {fixed ? (
        <span className="flex min-h-7 min-w-0 items-center gap-2 px-2">{body}</span>
      ) : (
        <>
          <GripVertical aria-hidden="true" size={12} className="ms-1 cursor-grab text-ink-3 max-sm:hidden" />
          <button
            type="button"
            data-queued={item.clientId}
            aria-describedby="queue-keys"
            title={text}
            onClick={() => onAct("edit")}
            onKeyDown={onKeyDown}
            className="target flex max-w-80 min-w-0 items-center gap-2 px-1.5 text-start hover:text-ink max-sm:max-w-none max-sm:flex-1"
          >
            {body}
          </button>
          <IconButton
            label={t("queue.remove", { text: short })}
            onClick={() => onAct("remove")}
            className="flex-none text-ink-3 thumb:ms-3"
          >
            <X aria-hidden="true" size={14} />
          </IconButton>
        </>
      )}
    </li>
  );
}
