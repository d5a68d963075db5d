import { ChevronDown, ChevronRight } from "lucide-react";
import { memo, useId, useState } from "react";
import type { Row } from "../../live/rows";
import { duration } from "../../messages/format";
import { t } from "../../messages/t";
import { shownSteps, StepTable } from "../toolcall";
import { Answer } from "./Answer";
import { Notice } from "./Notice";
import { Reasoning } from "./Reasoning";
import type { Piece } from "./thread.logic";
import { ErrorBlock } from "./Trouble";

type Context = {
  /** The run has ended: nothing grows any more. */
  over: boolean;
  /** The run keeps a to-do list, which is drawn once. */
  hasList: boolean;
  onRetry?: () => void;
};

export function hasListOf(rows: readonly Row[]): boolean {
  return rows.some((row) => row.kind === "steps" && row.steps.some((s) => s.kind === "todo"));
}

type RowProps = Context & { row: Row };

export const RowView = memo(function RowView({ row, over, hasList, onRetry }: RowProps) {
  switch (row.kind) {
    case "answer":
      return <Answer row={row} over={over} />;
    case "reasoning":
      return <Reasoning row={row} over={over} />;
    case "steps": {
      const steps = shownSteps(row.steps, hasList);
      return steps.length === 0 ? null : <StepTable steps={steps} />;
    }
    case "notice":
      return <Notice row={row} />;
    case "error":
      return <ErrorBlock row={row} {...(onRetry === undefined ? {} : { onRetry })} />;
  }
});

/** Steps of a past run, put away under one line. */
export function Fold({ piece, ...context }: Context & { piece: Piece & { kind: "fold" } }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        className="target -ms-1 inline-flex items-center gap-2 rounded-2 px-1 text-ui text-ink-2 hover:text-ink"
      >
        <Chevron aria-hidden="true" size={14} className="text-ink-3" />
        {t("steps", { n: piece.steps })}
        <span className="font-mono text-count text-ink-3">{piece.ms > 0 ? duration(piece.ms) : ""}</span>
      </button>
      {open ? (
        <div id={id} className="mt-1 flex flex-col gap-2">
          {piece.rows.map((row) => (
            <RowView key={row.key} row={row} {...context} />
          ))}
        </div>
      ) : null}
    </div>
  );
}
