import { ChevronDown, ChevronUp } from "lucide-react";
import { useId, useState } from "react";
import type { Run, TodoStep } from "../../live/rows";
import { t } from "../../messages/t";
import { Glyph } from "../../ui/Glyph";
import { TodoList } from "../toolcall";
import { useChatState } from "./context";

/** The list that the last run keeps, while there is something left to do on it or the run goes on. */
function listOf(run: Run | undefined): TodoStep | null {
  for (const row of run?.rows.toReversed() ?? []) {
    if (row.kind !== "steps") continue;
    const list = row.steps.findLast((step) => step.kind === "todo");
    if (list !== undefined) {
      const open = list.items.some((item) => item.status !== "completed");
      return open || run?.complete === undefined ? list : null;
    }
  }
  return null;
}

/** What the agent means to do, over the composer: in one line, or whole. */
export function PinnedList() {
  const list = useChatState((s) => listOf(s.thread.at(-1)));
  const running = useChatState((s) => s.sync?.running === true);
  const [open, setOpen] = useState(false);
  const id = useId();
  if (list === null || list.items.length === 0) return null;
  const done = list.items.filter((item) => item.status === "completed").length;
  const now =
    list.items.find((item) => item.status === "in_progress") ??
    list.items.find((item) => item.status === "pending");
  const Chevron = open ? ChevronDown : ChevronUp;
  return (
    <div
      role="group"
      aria-label={t("tool.list.pinned")}
      className="mb-2 overflow-hidden rounded-3 border border-line-2 bg-raised"
    >
      {open ? (
        // A long list scrolls, and the keyboard must reach it.
        <div
          id={id}
          tabIndex={0}
          role="group"
          aria-label={t("tool.list")}
          className="max-h-48 overflow-y-auto border-b border-line -outline-offset-2"
        >
          <TodoList items={list.items} />
        </div>
      ) : null}
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        className="target flex w-full items-center gap-2 px-3 text-start text-ui -outline-offset-2 hover:bg-hover"
      >
        <Glyph signal={running ? "running" : "rest"} size={12} />
        <span className="flex-none font-medium">{t("tool.list")}</span>
        <span className="flex-none font-mono text-count text-ink-3">
          {t("tool.list.count", { done, all: list.items.length })}
        </span>
        <span dir="auto" className="min-w-0 flex-1 truncate text-ink-2">
          {now?.text ?? ""}
        </span>
        <Chevron aria-hidden="true" size={14} className="text-ink-3" />
      </button>
    </div>
  );
}
