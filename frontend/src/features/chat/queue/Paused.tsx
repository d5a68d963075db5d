import type { QueueState } from "../../../live/queue";
import { t } from "../../../messages/t";
import { Button } from "../../../ui/Button";
import { Glyph } from "../../../ui/Glyph";
import { pauseWords } from "./queue.logic";

type Props = { queue: QueueState; fixed: boolean; onResume: () => void };

/** Says that the queue does not move on, why, and lets it. */
export function Paused({ queue, fixed, onResume }: Props) {
  const { paused, items } = queue;
  if (paused === null || items.length === 0) return null;
  const error = items[0]?.error;
  return (
    <div
      role="status"
      className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-3 border border-caution-line bg-raised px-3 py-1.5"
    >
      <Glyph signal="held" size={14} />
      <p className="min-w-48 flex-1 text-ui wrap-anywhere">
        <strong className="font-semibold">{t("queue.paused")}</strong> {pauseWords(paused, items.length)}{" "}
        {error === undefined ? null : <span className="text-stop">{error.message}</span>}
      </p>
      {fixed ? null : (
        <Button disabled={queue.resume !== ""} onClick={onResume}>
          {t(queue.resume === "" ? "queue.resume" : "queue.resuming")}
        </Button>
      )}
    </div>
  );
}
