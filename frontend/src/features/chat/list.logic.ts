import type { Prompt, Row, Run, StepsRow } from "../../live/rows";
import type { Thread } from "../../live/thread";
import { type StepRow, stepRows } from "../toolcall";
import { newDay, type Piece, piecesOf } from "./thread.logic";

/** What of a run is drawn on its own, and taken out of the page when it is far from what is read. */
export type Item = {
  /** It never changes while the thing is there, whatever is loaded before it. */
  readonly key: string;
  /** Its height before it was measured. */
  readonly guess: number;
} & (
  | { readonly kind: "day"; readonly at: string }
  | { readonly kind: "prompt"; readonly prompt: Prompt }
  /** Stands for the prompt of a run of which only a later part is held. */
  | { readonly kind: "cut" }
  | { readonly kind: "row"; readonly row: Exclude<Row, StepsRow> }
  | {
      readonly kind: "steps";
      readonly rows: readonly StepRow[];
      readonly first: boolean;
      readonly last: boolean;
    }
  | {
      readonly kind: "fold";
      readonly run: string;
      readonly piece: Piece & { readonly kind: "fold" };
      readonly open: boolean;
    }
  /** What goes on at the end of a run that lives. */
  | { readonly kind: "working" }
  /** How a run ended. */
  | { readonly kind: "end"; readonly run: Run }
);

/** A run with its items: the first of them is a day line where a day begins. */
export type Group = { readonly run: Run; readonly items: readonly Item[] };

/** A table of steps is drawn in pieces: of about so many rows, and never of more than the second number. */
const stepsTogether = 12;
const mostSteps = 48;
const line = 22;
const perLine = 90;

type Options = {
  /** Work of a past run is folded. */
  readonly past: boolean;
  readonly live: boolean;
  readonly day: string | null;
  /** The steps at the ends of the folds that the reader opened. */
  readonly opened: ReadonlySet<string>;
};

type Fold = Item & { readonly kind: "fold" };

/**
 * The steps in a fold. Pages that reach into the same work put more before or behind them: a fold is
 * open as long as one of those is in it that stood at its ends when it was opened.
 */
function marksOf(run: string, { rows }: Fold["piece"]): readonly string[] {
  return rows.flatMap((row) => (row.kind === "steps" ? row.steps.map((step) => `${run}/${step.key}`) : []));
}

/** What is open after a fold was opened or closed. */
export function toggled(opened: ReadonlySet<string>, { run, piece, open }: Fold): ReadonlySet<string> {
  const marks = marksOf(run, piece);
  const next = new Set(opened);
  if (open) for (const mark of marks) next.delete(mark);
  else for (const mark of [marks[0], marks.at(-1)]) if (mark !== undefined) next.add(mark);
  return next;
}

/** The items of a run. Those that equal the ones before keep their identity. */
export function itemsOf(run: Run, options: Options, before: readonly Item[] = []): readonly Item[] {
  const { past, live, day, opened } = options;
  const id = (of: string) => `${run.key}/${of}`;
  const hasList = run.rows.some((row) => row.kind === "steps" && row.steps.some((s) => s.kind === "todo"));
  const items: Item[] = [];
  const add = (row: Row) => {
    if (row.kind === "steps") items.push(...stepItems(id, stepRows(row.steps, hasList)));
    else items.push({ kind: "row", key: id(`${row.kind}:${row.key}`), guess: guessOf(row), row });
  };
  if (day !== null) items.push({ kind: "day", key: id("day"), guess: 34, at: day });
  if (run.prompt !== undefined) {
    const { clientId, text } = run.prompt;
    items.push({
      kind: "prompt",
      key: `p:${clientId}`,
      guess: 26 + linesOf(text) * line,
      prompt: run.prompt,
    });
  }
  // What the daemon says by itself has no prompt.
  else if (!run.key.startsWith("n:")) items.push({ kind: "cut", key: id("cut"), guess: 48 });
  for (const piece of piecesOf(run.rows, past)) {
    if (piece.kind === "row") add(piece.row);
    else {
      const open = opened.size > 0 && marksOf(run.key, piece).some((mark) => opened.has(mark));
      items.push({ kind: "fold", key: id(piece.key), guess: 38, run: run.key, piece, open });
      if (open) piece.rows.forEach(add);
    }
  }
  if (live) items.push({ kind: "working", key: id("working"), guess: 38 });
  if (run.complete !== undefined) items.push({ kind: "end", key: id("end"), guess: 48, run });
  return items.map((item, i) => {
    const old = before[i];
    return old !== undefined && sameItem(old, item) ? old : item;
  });
}

/**
 * The pieces of a table of steps. Where one begins depends on the step that it begins with alone: so
 * the pieces stay what they are when earlier steps are loaded or later ones are let go.
 */
function stepItems(id: (of: string) => string, rows: readonly StepRow[]): readonly Item[] {
  const pieces: StepRow[][] = [];
  for (const row of rows) {
    const piece = pieces.at(-1);
    if (piece === undefined || piece.length >= mostSteps || beginsPiece(keyOf(row))) pieces.push([row]);
    else piece.push(row);
  }
  return pieces.map((some, i) => ({
    kind: "steps",
    key: id(`s:${some[0] === undefined ? "" : keyOf(some[0])}`),
    guess: some.length * 90 + 12,
    rows: some,
    first: i === 0,
    last: i === pieces.length - 1,
  }));
}

function keyOf(row: StepRow): string {
  return row.kind === "one" ? row.step.key : row.key;
}

/** True for one key in about `stepsTogether`, and always the same for the same key. */
function beginsPiece(key: string): boolean {
  let hash = 0;
  for (let i = 0; i < key.length; i += 1) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) >>> 0;
  return hash % stepsTogether === 0;
}

function linesOf(text: string): number {
  return Math.max(1, Math.ceil(text.length / perLine));
}

function guessOf(row: Exclude<Row, StepsRow>): number {
  switch (row.kind) {
    case "answer":
      return 10 + linesOf(row.text) * line;
    case "reasoning":
      return 38;
    case "notice":
      return 28;
    case "error":
      return 88;
  }
}

function sameRows(a: readonly StepRow[], b: readonly StepRow[]): boolean {
  return (
    a.length === b.length &&
    a.every((x, i) => {
      const y = b[i];
      if (x.kind === "one" || y?.kind === "one")
        return x.kind === "one" && y?.kind === "one" && x.step === y.step;
      return x.steps.length === y?.steps.length && x.steps.every((step, s) => step === y.steps[s]);
    })
  );
}

function sameItem(a: Item, b: Item): boolean {
  if (a.key !== b.key) return false;
  switch (b.kind) {
    case "day":
      return a.kind === "day" && a.at === b.at;
    case "prompt":
      return a.kind === "prompt" && a.prompt === b.prompt;
    case "row":
      return a.kind === "row" && a.row === b.row;
    case "steps":
      return a.kind === "steps" && a.first === b.first && a.last === b.last && sameRows(a.rows, b.rows);
    case "fold":
      return (
        a.kind === "fold" && a.open === b.open && a.piece.steps === b.piece.steps && a.piece.ms === b.piece.ms
      );
    case "cut":
    case "working":
      return true;
    case "end":
      return a.kind === "end" && a.run === b.run;
  }
}

type Made = { readonly options: Options; readonly group: Group };

/** Makes the groups of a thread that changes little from one time to the next. */
export class ThreadList {
  #made = new Map<string, Made>();

  /** `live` is the key of the run that goes on; `whole` says that the thread begins where the chat does. */
  groups(thread: Thread, live: string | null, opened: ReadonlySet<string>, whole: boolean): readonly Group[] {
    const today = Date.now();
    const made = new Map<string, Made>();
    const groups = thread.map((run, i) => {
      const options: Options = {
        past: i < thread.length - 1,
        live: run.key === live,
        day: newDay(thread, i, whole, today),
        opened,
      };
      const old = this.#made.get(run.key);
      const kept = old !== undefined && old.group.run === run && sameOptions(old.options, options);
      const now = kept ? old : { options, group: { run, items: itemsOf(run, options, old?.group.items) } };
      made.set(run.key, now);
      return now.group;
    });
    this.#made = made;
    return groups;
  }
}

function sameOptions(a: Options, b: Options): boolean {
  return a.past === b.past && a.live === b.live && a.day === b.day && a.opened === b.opened;
}
