import { memo } from "react";
import type { Run } from "../../live/rows";
import { dayName } from "../../messages/format";
import { useNow } from "../../ui/useNow";
import { StepRows } from "../toolcall";
import { Late } from "./ask";
import { CopyRun } from "./CopyRun";
import { Footer } from "./Footer";
import type { Item } from "./list.logic";
import { Written } from "./Review";
import { Fold, RowView } from "./Rows";
import { Junctions } from "./track";
import { EndBlock } from "./Trouble";

/** What a run lets its rows know and do. It is the same object as long as nothing of it changes. */
export type RunPlace = {
  /** Nothing of the run grows any more. */
  readonly over: boolean;
  readonly onRetry?: () => void;
};

type Props = {
  item: Exclude<Item, { readonly kind: "prompt" | "cut" | "working" }>;
  place: RunPlace;
};

/** A row of the thread that needs no more than what it is. */
export const ItemView = memo(function ItemView({ item, place }: Props) {
  const retry = place.onRetry === undefined ? {} : { onRetry: place.onRetry };
  switch (item.kind) {
    case "day":
      return <DayLine at={item.at} />;
    case "row":
      return <RowView row={item.row} over={place.over} {...retry} />;
    case "steps":
      return <StepRows rows={item.rows} first={item.first} last={item.last} />;
    case "fold":
      return <Fold item={item} />;
    case "end":
      return <End run={item.run} place={place} />;
  }
});

/** Where a day begins. */
function DayLine({ at }: { at: string }) {
  const now = useNow(60_000);
  return (
    <p className="pb-4 text-center text-small text-ink-3">
      <time dateTime={at}>{dayName(at, now)}</time>
    </p>
  );
}

function End({ run, place }: { run: Run; place: RunPlace }) {
  return (
    <div className="flex flex-col gap-2.5 pb-2.5">
      {run.complete?.status === "interrupted" ? null : <Written run={run} />}
      <RunEnd run={run} place={place} />
      <Junctions run={run.key} />
    </div>
  );
}

/** How a run ended, what it used, and what was left open. */
export function RunEnd({ run, place }: { run: Run; place: RunPlace }) {
  const { onRetry } = place;
  const open = onRetry !== undefined;
  return (
    <>
      {open ? <Late run={run} /> : null}
      <EndBlock run={run} open={open} {...(open ? { onRetry } : {})} />
      {run.complete === undefined ? null : (
        <div className="flex items-start justify-between gap-2 thumb:gap-4">
          <Footer run={run} complete={run.complete} open={open} />
          <CopyRun run={run} />
        </div>
      )}
    </>
  );
}
