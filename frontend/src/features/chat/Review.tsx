import { useNavigate } from "@tanstack/react-router";
import { FileDiff } from "lucide-react";
import { memo } from "react";
import type { Run } from "../../live/rows";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { Counts } from "../../ui/Counts";
import { changesOf } from "../toolcall";
import { useChat } from "./context";

/** What a run wrote before it ended. */
function writesOf(run: Run) {
  return changesOf([{ rows: run.rows, over: true }], run.started?.cwd ?? "");
}

/** How many files a run wrote before it ended. */
export function writtenBy(run: Run): number {
  return writesOf(run).length;
}

/** Opens the panel with what was written, beside the thread. */
function useReview(): () => void {
  const { id } = useChat();
  const navigate = useNavigate();
  return () =>
    void navigate({ to: "/chats/$id", params: { id }, search: { panel: "changes" }, replace: true });
}

/** Shows what was written, beside the thread. */
export function Review() {
  return <Button onClick={useReview()}>{t("changes.review")}</Button>;
}

/** The files that a run wrote, in numbers that lead to the changes; nothing where they are not known. */
export const Written = memo(function Written({ run }: { run: Run }) {
  const review = useReview();
  // Of a run of which only the end is held, the numbers would be wrong.
  const files = run.complete === undefined || run.prompt === undefined ? [] : writesOf(run);
  if (files.length === 0) return null;
  return (
    <div>
      <button
        type="button"
        title={t("changes.review")}
        onClick={review}
        className="target inline-flex items-center gap-2 rounded-1 border border-line-2 bg-sunken px-2 text-small text-ink-2 hover:bg-hover"
      >
        <FileDiff aria-hidden="true" size={14} strokeWidth={1.75} className="text-ink-3" />
        {t("files", { n: files.length })}
        <Counts
          added={files.reduce((n, file) => n + file.added, 0)}
          removed={files.reduce((n, file) => n + file.removed, 0)}
        />
      </button>
    </div>
  );
});
