import type { QueueNote, QueueRow, QueueState } from "../../../live/queue";
import { clockTime } from "../../../messages/format";
import { t } from "../../../messages/t";
import type { QueuePause } from "../../../wire/types";

const reasons = {
  failed: "queue.paused.failed",
  cancelled: "queue.paused.cancelled",
  interrupted: "queue.paused.interrupted",
  max_iterations: "queue.paused.max_iterations",
  restart: "queue.paused.restart",
  not_sent: "queue.paused.not_sent",
  rate_limit: "queue.paused.rate_limit",
  rewound: "queue.paused.rewound",
} as const;

function isReason(reason: string): reason is keyof typeof reasons {
  return Object.hasOwn(reasons, reason);
}

/** Why the queue does not move on, and what becomes of it. */
export function pauseWords(pause: QueuePause, items: number): string {
  const { reason, by, until } = pause;
  const why =
    reason === "cancelled" && by !== undefined
      ? t("queue.paused.cancelled.by", { name: by.name })
      : t(isReason(reason) ? reasons[reason] : "queue.paused.other");
  const when = until === undefined ? "" : t("queue.until", { at: clockTime(until) });
  return [why, t("queue.kept", { n: items }), when].filter((part) => part !== "").join(" ");
}

/** Why a change of the queue had no effect. */
export function noteWords(note: QueueNote, queue: QueueState): string {
  switch (note.kind) {
    case "gone":
      return t("queue.gone");
    case "changed": {
      const item = queue.items.find((i) => i.clientId === note.clientId);
      if (item === undefined) return t("queue.gone");
      const { name } = item.by;
      return t(note.act === "edit" ? "queue.changed" : "queue.changed.remove", { name });
    }
    case "refused":
      return [t("queue.refused"), note.fault.message, note.fault.hint ?? ""].join(" ").trim();
  }
}

/** What a key does to a prompt of the queue that has the focus. */
export type ChipAct = "none" | "edit" | "remove" | "earlier" | "later";

export function chipAct(key: string, alt: boolean): ChipAct {
  if (alt) {
    if (key === "ArrowUp" || key === "ArrowLeft") return "earlier";
    return key === "ArrowDown" || key === "ArrowRight" ? "later" : "none";
  }
  if (key === "Enter" || key === "F2") return "edit";
  return key === "Delete" || key === "Backspace" ? "remove" : "none";
}

/** Where a prompt would be put by a step, counted from 1; 0 when it is there already. */
export function placeBy(rows: readonly QueueRow[], clientId: string, step: -1 | 1): number {
  const to = rows.findIndex((row) => row.item.clientId === clientId) + step;
  return to < 0 || to >= rows.length ? 0 : to + 1;
}
