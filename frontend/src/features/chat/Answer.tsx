import { memo } from "react";
import type { TextRow } from "../../live/rows";
import { Markdown } from "../../markdown/Markdown";
import { t } from "../../messages/t";
import { CutNote } from "./CutNote";

/** A piece of the agent's answer. */
export const Answer = memo(function Answer({ row, over }: { row: TextRow; over: boolean }) {
  const live = row.to === undefined && !over;
  return (
    <article aria-label={t("answer")} aria-busy={live} className="text-body">
      <Markdown text={row.text} streaming={live} />
      {row.cut === undefined ? null : <CutNote body={row.cut} />}
    </article>
  );
});
