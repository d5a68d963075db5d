import { ChevronDown, ChevronRight } from "lucide-react";
import { memo, useId } from "react";
import type { TextRow } from "../../live/rows";
import { Markdown } from "../../markdown/Markdown";
import { duration, elapsed } from "../../messages/format";
import { t } from "../../messages/t";
import { useKept } from "../../ui/kept";
import { useNow } from "../../ui/useNow";
import { CutNote } from "./CutNote";

/** What the agent thought before it acted: open while it streams, then folded to one line. */
export const Reasoning = memo(function Reasoning({ row, over }: { row: TextRow; over: boolean }) {
  const id = useId();
  const live = row.to === undefined && !over;
  const [chosen, choose] = useKept(`reasoning:${row.key}`);
  const open = chosen ?? live;
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => choose(!open)}
        className="target -ms-1 inline-flex items-center gap-2 rounded-2 px-1 text-ui text-ink-2 hover:text-ink"
      >
        <Chevron aria-hidden="true" size={14} className="text-ink-3" />
        {t(live ? "reasoning.live" : "reasoning.done")}
        <span className="font-mono text-count text-ink-3">
          {live ? <Seconds from={row.from} /> : lasted(row)}
        </span>
      </button>
      {open ? (
        <div id={id} className="ms-1.5 border-s border-line-2 ps-4 text-ink-2">
          <Markdown text={row.text} streaming={live} />
          {row.cut === undefined ? null : <CutNote body={row.cut} />}
        </div>
      ) : null}
    </div>
  );
});

function lasted(row: TextRow): string {
  const ms = row.to === undefined ? 0 : Date.parse(row.to) - Date.parse(row.from);
  return ms < 100 ? "" : duration(ms);
}

function Seconds({ from }: { from: string }) {
  return elapsed(useNow(1000) - Date.parse(from));
}
