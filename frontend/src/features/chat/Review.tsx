import { useNavigate } from "@tanstack/react-router";
import type { Run } from "../../live/rows";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { changesOf } from "../toolcall";
import { useChat } from "./context";

/** How many files a run wrote before it ended. */
export function writtenBy(run: Run): number {
  return changesOf([{ rows: run.rows, over: true }], run.started?.cwd ?? "").length;
}

/** Shows what was written, beside the thread. */
export function Review() {
  const { id } = useChat();
  const navigate = useNavigate();
  return (
    <Button
      onClick={() =>
        void navigate({ to: "/chats/$id", params: { id }, search: { panel: "changes" }, replace: true })
      }
    >
      {t("changes.review")}
    </Button>
  );
}
