import { ChevronDown, ChevronRight } from "lucide-react";
import { memo } from "react";
import type { Row } from "../../live/rows";
import { duration } from "../../messages/format";
import { t } from "../../messages/t";
import { StepRows, stepRows } from "../toolcall";
import { Answer } from "./Answer";
import type { Item } from "./list.logic";
import { Notice } from "./Notice";
import { useThreadPlace } from "./placement";
import { Reasoning } from "./Reasoning";
import { ErrorBlock } from "./Trouble";

type RowProps = {
  row: Row;
  /** The run has ended: nothing grows any more. */
  over: boolean;
  onRetry?: () => void;
};

/** A row as it came, wherever it stands: in a run, or in what a subagent did. */
export const RowView = memo(function RowView({ row, over, onRetry }: RowProps) {
  switch (row.kind) {
    case "answer":
      return <Answer row={row} over={over} />;
    case "reasoning":
      return <Reasoning row={row} over={over} />;
    case "steps": {
      const rows = stepRows(row.steps, false);
      return rows.length === 0 ? null : <StepRows rows={rows} />;
    }
    case "notice":
      return <Notice row={row} />;
    case "error":
      return <ErrorBlock row={row} {...(onRetry === undefined ? {} : { onRetry })} />;
  }
});

/** The line under which the work of a past run is put away; what it opens to are rows of the list. */
export function Fold({ item }: { item: Item & { readonly kind: "fold" } }) {
  const { toggleFold } = useThreadPlace();
  const { piece, open } = item;
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      aria-expanded={open}
      onClick={() => toggleFold(item)}
      className="target -ms-1 inline-flex items-center gap-2 rounded-2 px-1 text-ui text-ink-2 hover:text-ink"
    >
      <Chevron aria-hidden="true" size={14} className="text-ink-3" />
      {t("steps", { n: piece.steps })}
      <span className="font-mono text-count text-ink-3">{piece.ms > 0 ? duration(piece.ms) : ""}</span>
    </button>
  );
}
