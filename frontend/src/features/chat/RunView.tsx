import { clsx } from "clsx";
import { memo, useCallback, useMemo } from "react";
import type { Row, Run } from "../../live/rows";
import { Kept } from "../../ui/kept";
import type { SyncFrame, ToolUseInputFrame } from "../../wire/types";
import { StepContext, type StepPlace } from "../toolcall";
import { useChat } from "./context";
import { ItemView, type RunPlace } from "./ItemView";
import type { Item } from "./list.logic";
import { useThreadPlace } from "./placement";
import { alongWith } from "./RetryWith";
import { RowView } from "./Rows";
import type { RunState } from "./thread.logic";
import { CutStop, seqOf, Stop, TrackLine, useTrack } from "./track";
import { Working } from "./Working";

/** A row of the run, or an empty room that stands for rows which are not drawn. */
export type Drawn = { readonly room: number } | { readonly item: Item };

type Props = {
  run: Run;
  drawn: readonly Drawn[];
  state: RunState;
  /** The last run of the thread: it shows its steps, and can be gone on with. */
  last: boolean;
  me: string;
  /** Nothing of it grows any more. */
  over: boolean;
  /** Set for the run that goes on. */
  live?: { readonly sync: SyncFrame; readonly inputs: ReadonlyMap<string, ToolUseInputFrame> };
  measure: (element: HTMLElement | null) => (() => void) | undefined;
};

/** What is drawn of one prompt and all that it started, with its piece of the track. */
export const RunView = memo(function RunView({ run, drawn, state, last, me, over, live, measure }: Props) {
  const { id, store } = useChat();
  const { kept } = useThreadPlace();
  const { prompt } = run;
  const retry = useCallback(() => {
    if (prompt !== undefined) store.send(prompt.text, prompt.selection, alongWith(prompt));
  }, [store, prompt]);
  const cwd = run.started?.cwd ?? "";
  const steps = useMemo((): StepPlace => {
    const drawRows = (rows: readonly Row[]) =>
      rows.map((row) => <RowView key={row.key} row={row} over={over} />);
    return { chatId: id, over, cwd, drawRows };
  }, [id, over, cwd]);
  const goesOn = last && prompt !== undefined;
  const place = useMemo(
    (): RunPlace => ({ over, ...(goesOn ? { onRetry: retry } : {}) }),
    [over, goesOn, retry],
  );
  const leaving = useTrack((s) => s.asking !== null && run.first >= (seqOf(s.asking, id) ?? Infinity));
  const marked = useTrack((s) => s.marked);
  const [first] = drawn;
  const day = first !== undefined && "item" in first && first.item.kind === "day" ? first.item : null;

  const row = ({ item }: { item: Item }) => {
    switch (item.kind) {
      case "prompt":
        return <Stop prompt={item.prompt} run={run} state={state} me={me} />;
      case "cut":
        return <CutStop run={run} state={state} me={me} />;
      case "working":
        return live === undefined ? null : <Working run={run} sync={live.sync} inputs={live.inputs} />;
      default:
        return <ItemView item={item} place={place} />;
    }
  };
  return (
    <Kept value={kept(run.key)}>
      <StepContext value={steps}>
        {day === null ? null : (
          <div ref={measure} data-row={day.key}>
            <ItemView item={day} place={place} />
          </div>
        )}
        <div className="run relative" data-run={run.key} data-leaving={leaving}>
          <TrackLine state={state} last={last} />
          {drawn.slice(day === null ? 0 : 1).map((slot, i) =>
            "room" in slot ? (
              <div key={`room:${i}`} aria-hidden="true" style={{ height: slot.room }} />
            ) : (
              <div
                key={slot.item.key}
                ref={measure}
                data-row={slot.item.key}
                data-marked={slot.item.key === marked}
                data-cut={slot.item.kind === "cut" ? "" : undefined}
                className={gapOf(slot.item)}
              >
                {row(slot)}
              </div>
            ),
          )}
        </div>
      </StepContext>
    </Kept>
  );
}, sameRun);

/** Room under a row belongs to it: then heights add up. */
function gapOf(item: Item): string {
  if (item.kind === "steps" && !item.last) return "";
  return clsx("pb-2.5", (item.kind === "prompt" || item.kind === "cut") && "relative");
}

function sameRun(a: Props, b: Props): boolean {
  return (
    a.run === b.run &&
    a.state === b.state &&
    a.last === b.last &&
    a.me === b.me &&
    a.over === b.over &&
    a.live === b.live &&
    a.measure === b.measure &&
    a.drawn.length === b.drawn.length &&
    a.drawn.every((slot, i) => {
      const other = b.drawn[i];
      if (other === undefined) return false;
      return "room" in slot
        ? "room" in other && other.room === slot.room
        : "item" in other && other.item === slot.item;
    })
  );
}
