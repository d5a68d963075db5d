import { requestsOf } from "../../live/requests";
import type { Row, Run, Step } from "../../live/rows";
import type { Thread } from "../../live/thread";
import { clockTime } from "../../messages/format";
import { t } from "../../messages/t";
import type { SyncFrame } from "../../wire/types";

/** How a run stands on the track. */
export type RunState = "live" | "needs" | "done" | "stopped" | "held";

/** Whether this is the run that the lock is held for. */
export function isLive(run: Run, sync: SyncFrame | null): boolean {
  return run.complete === undefined && sync?.running === true && sync.run === run.key;
}

export function stateOf(run: Run, sync: SyncFrame | null): RunState {
  if (isLive(run, sync)) {
    if (sync?.phase === "held") return "held";
    return requestsOf(run.rows).length > 0 ? "needs" : "live";
  }
  const status = run.complete?.status;
  return status === "failed" || status === "interrupted" || status === "max_iterations" ? "stopped" : "done";
}

/** The name of a station: "Prompt at 14:06, running". */
export function stationName(run: Run, state: RunState, sent = run.prompt?.at): string {
  const at = sent === undefined ? "" : clockTime(sent);
  if (run.complete?.status === "cancelled") return t("station.cancelled", { at });
  const names = {
    live: "station.live",
    needs: "station.needs",
    done: "station.done",
    stopped: "station.stopped",
    held: "station.held",
  } as const;
  return t(names[state], { at });
}

/** What a run shows, where neighbouring steps and reasoning may be put away under one line. */
export type Piece =
  | { readonly kind: "row"; readonly row: Row }
  | {
      readonly kind: "fold";
      readonly key: string;
      readonly rows: readonly Row[];
      readonly steps: number;
      readonly ms: number;
    };

function isWork(row: Row | undefined): row is Row {
  return row?.kind === "steps" || row?.kind === "reasoning";
}

function stepCount(steps: readonly Step[]): number {
  return steps.filter((s) => s.kind === "tool").length;
}

/** How long a stretch of work took: from its first sign to its last. */
function spanOf(rows: readonly Row[]): number {
  let from = Infinity;
  let to = 0;
  const see = (start: string, ms: number) => {
    const at = Date.parse(start);
    from = Math.min(from, at);
    to = Math.max(to, at + ms);
  };
  for (const row of rows) {
    if (row.kind === "steps") {
      for (const step of row.steps) if (step.kind === "tool") see(step.from, step.result?.ms ?? 0);
    } else if (row.kind === "reasoning") see(row.from, Date.parse(row.to ?? row.from) - Date.parse(row.from));
  }
  return to > from ? to - from : 0;
}

/** The key of the last thing in a stretch of work: it stays the last when an older page is put before. */
function endOf(work: readonly Row[]): string {
  const last = work.at(-1);
  return (last?.kind === "steps" ? last.steps.at(-1)?.key : last?.key) ?? "";
}

/** The pieces of a run; in one that is past, work is folded to "9 steps 48s". */
export function piecesOf(rows: readonly Row[], past: boolean): readonly Piece[] {
  if (!past) return rows.map((row) => ({ kind: "row", row }));
  const pieces: Piece[] = [];
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i];
    if (row === undefined) continue;
    const work: Row[] = [];
    for (let next = rows[i]; isWork(next); next = rows[i + work.length]) work.push(next);
    const steps = work.reduce((n, r) => n + (r.kind === "steps" ? stepCount(r.steps) : 0), 0);
    if (steps === 0) {
      pieces.push({ kind: "row", row });
      continue;
    }
    pieces.push({ kind: "fold", key: `f:${endOf(work)}`, rows: work, steps, ms: spanOf(work) });
    i += work.length - 1;
  }
  return pieces;
}

function itemsOf(run: Run): number {
  const rows = run.rows.reduce((n, row) => n + (row.kind === "steps" ? row.steps.length : 1), 0);
  return rows + (run.prompt === undefined ? 0 : 1);
}

/** Where a reader left the end of the thread. */
export type Left = { readonly run: string; readonly items: number };

export function leftAt(thread: Thread): Left {
  const last = thread.at(-1);
  return last === undefined ? { run: "", items: 0 } : { run: last.key, items: itemsOf(last) };
}

/** How many things came after the place that the reader left. */
export function newSince(thread: Thread, left: Left): number {
  const at = thread.findLastIndex((run) => run.key === left.run);
  const run = thread[at];
  if (run === undefined) return left.run === "" ? thread.reduce((n, r) => n + itemsOf(r), 0) : 0;
  return thread.slice(at + 1).reduce((n, r) => n + itemsOf(r), Math.max(0, itemsOf(run) - left.items));
}

/** About how many tokens a run has written so far: vendors tell the number only at its end. */
export function roughTokens(rows: readonly Row[]): number {
  let characters = 0;
  for (const row of rows)
    if (row.kind === "answer" || row.kind === "reasoning") characters += row.text.length;
  return Math.round(characters / 3.6);
}

/**
 * The day that begins with a run: where it is not that of the prompt before, and with the first prompt of
 * a chat, where it is not today. `whole` says that the thread begins where the chat does.
 */
export function newDay(thread: Thread, index: number, whole: boolean, now: number): string | null {
  const at = thread[index]?.prompt?.at;
  if (at === undefined) return null;
  let last = index - 1;
  while (last >= 0 && thread[last]?.prompt === undefined) last -= 1;
  const before = thread[last]?.prompt?.at;
  if (before === undefined && !whole) return null;
  return new Date(at).toDateString() === new Date(before ?? now).toDateString() ? null : at;
}
