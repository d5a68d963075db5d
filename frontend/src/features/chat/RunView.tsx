import { memo, useCallback, useMemo, useRef } from "react";
import type { Row, Run } from "../../live/rows";
import { clockTime } from "../../messages/format";
import { t } from "../../messages/t";
import type { SyncFrame, ToolUseInputFrame } from "../../wire/types";
import { StepContext, type StepPlace } from "../toolcall";
import { useChat } from "./context";
import { CutNote } from "./CutNote";
import { Footer } from "./Footer";
import { PromptCard } from "./Prompt";
import { Fold, hasListOf, RowView } from "./Rows";
import { Station, TrackLine } from "./Station";
import { piecesOf, type RunState, stationName } from "./thread.logic";
import { EndBlock } from "./Trouble";
import { Working } from "./Working";

type Props = {
  run: Run;
  state: RunState;
  /** The last run of the thread: it shows its steps, and can be gone on with. */
  last: boolean;
  me: string;
  /** Nothing of it grows any more. */
  over: boolean;
  /** Set for the run that goes on. */
  live?: { readonly sync: SyncFrame; readonly inputs: ReadonlyMap<string, ToolUseInputFrame> };
};

/** One prompt and all that it started, with its piece of the track. */
export const RunView = memo(function RunView({ run, state, last, me, over, live }: Props) {
  const { id, store } = useChat();
  const top = useRef<HTMLDivElement>(null);
  const { prompt, complete } = run;
  const hasList = hasListOf(run.rows);
  const retry = useCallback(() => {
    if (prompt !== undefined) store.send(prompt.text, prompt.selection);
  }, [store, prompt]);
  const goOn = useCallback(() => {
    if (prompt !== undefined) store.send(t("continue.prompt"), prompt.selection);
  }, [store, prompt]);
  const cwd = run.started?.cwd ?? "";
  const place = useMemo((): StepPlace => {
    const drawRows = (rows: readonly Row[]) =>
      rows.map((row) => <RowView key={row.key} row={row} over={over} hasList={false} />);
    return { chatId: id, over, cwd, drawRows };
  }, [id, over, cwd]);
  const retryable = last && prompt !== undefined ? { onRetry: retry } : {};

  return (
    <div ref={top} className="run relative pb-5" data-row>
      <TrackLine state={state} last={last} />
      {prompt === undefined ? null : (
        <>
          <time dateTime={prompt.at} className="station-time">
            {clockTime(prompt.at)}
          </time>
          <Station
            id={`station-${run.key}`}
            name={stationName(run, state)}
            state={state}
            onVisit={() => top.current?.scrollIntoView({ block: "start" })}
          />
          <PromptCard
            text={prompt.text}
            by={prompt.by.id === me ? t("you") : prompt.by.name}
            own={prompt.by.id === me}
            time={clockTime(prompt.at)}
            note={prompt.refs["/text"] === undefined ? undefined : <CutNote body={prompt.refs["/text"]} />}
          />
        </>
      )}
      <StepContext value={place}>
        <div className="mt-2 flex flex-col gap-2.5">
          {piecesOf(run.rows, !last).map((piece) =>
            piece.kind === "fold" ? (
              <div key={piece.key} data-row>
                <Fold piece={piece} over={over} hasList={hasList} />
              </div>
            ) : (
              <div key={`${piece.row.kind}:${piece.row.key}`} data-row>
                <RowView row={piece.row} over={over} hasList={hasList} {...retryable} />
              </div>
            ),
          )}
          <EndBlock
            run={run}
            {...(last && prompt !== undefined ? { onContinue: goOn, onRetry: retry } : {})}
          />
          {live === undefined ? null : <Working run={run} sync={live.sync} inputs={live.inputs} />}
          {complete === undefined ? null : <Footer complete={complete} />}
        </div>
      </StepContext>
    </div>
  );
});
