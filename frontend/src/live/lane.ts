import type { Row, Step, TextRow } from "./rows";

/** Where a step stands. It stays there as long as the lane is written to. */
export type Place = { readonly lane: Lane; readonly row: number; readonly step: number };

/**
 * The rows of a run, or of what a subagent did in it, while events are folded into them. It copies
 * what it changes, once, and finds rows and steps by their keys: so a batch costs what it changes,
 * and what it does not touch keeps its identity. Who has read `rows` writes to the lane no more.
 */
export class Lane {
  #rows: readonly Row[];
  /** The rows once they were copied, and the steps of those groups that were. */
  #written: Row[] | null = null;
  readonly #groups = new Map<number, Step[]>();
  readonly #onWrite: (rows: readonly Row[]) => void;
  /** Made when it is first asked for: text that goes on needs no search. */
  #index: { readonly texts: Map<string, number>; readonly steps: Map<string, Place> } | null = null;

  /** `onWrite` is told once of the rows that stand for those given. */
  constructor(rows: readonly Row[], onWrite: (rows: readonly Row[]) => void = () => undefined) {
    this.#rows = rows;
    this.#onWrite = onWrite;
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  add(row: Exclude<Row, TextRow>): void {
    this.#push(row);
  }

  /** Adds to a text, which begins here if there is none of that key. */
  text(
    kind: TextRow["kind"],
    key: string,
    begin: () => TextRow,
    grow: (row: TextRow) => TextRow,
    now: string,
  ): void {
    const last = this.#rows.length - 1;
    const at = is(this.#rows[last], kind, key) ? last : this.#indexed.texts.get(textKey(kind, key));
    const row = at === undefined ? undefined : this.#rows[at];
    if (at !== undefined && is(row, kind, key)) this.#write()[at] = grow(row);
    else {
      this.settle(now);
      this.#push(begin());
    }
  }

  /** Ends the text that was still growing: something else follows it. */
  settle(at: string): void {
    const last = this.#rows.at(-1);
    if (last === undefined || (last.kind !== "answer" && last.kind !== "reasoning")) return;
    if (last.to === undefined) this.#write()[this.#rows.length - 1] = { ...last, to: at };
  }

  /** Where the step of a key is. */
  find(key: string): Place | undefined {
    return this.#indexed.steps.get(key);
  }

  /** Puts a step into the last group, or replaces the one with its key; `group` names a new group. */
  put(step: Step, group: string): Place {
    const there = this.find(step.key);
    if (there !== undefined) {
      this.edit(there, () => step);
      return there;
    }
    if (this.#rows.at(-1)?.kind !== "steps") this.#push({ kind: "steps", key: group, steps: [] });
    const row = this.#rows.length - 1;
    const steps = this.#steps(row);
    const place = { lane: this, row, step: steps.push(step) - 1 };
    this.#indexed.steps.set(step.key, place);
    return place;
  }

  at({ row, step }: Place): Step | undefined {
    const group = this.#rows[row];
    return group?.kind === "steps" ? group.steps[step] : undefined;
  }

  edit(place: Place, change: (step: Step) => Step): void {
    const steps = this.#steps(place.row);
    const step = steps[place.step];
    if (step !== undefined) steps[place.step] = change(step);
  }

  /** All steps of this lane in their order. */
  *places(): Generator<Place> {
    for (const [row, group] of this.#rows.entries()) {
      if (group.kind !== "steps") continue;
      for (const step of group.steps.keys()) yield { lane: this, row, step };
    }
  }

  get #indexed() {
    if (this.#index !== null) return this.#index;
    const texts = new Map<string, number>();
    for (const [at, row] of this.#rows.entries()) {
      if (row.kind === "answer" || row.kind === "reasoning") texts.set(textKey(row.kind, row.key), at);
    }
    const steps = new Map<string, Place>();
    for (const place of this.places()) {
      const step = this.at(place);
      if (step !== undefined) steps.set(step.key, place);
    }
    this.#index = { texts, steps };
    return this.#index;
  }

  #push(row: Row): void {
    const at = this.#write().push(row) - 1;
    if (row.kind === "answer" || row.kind === "reasoning")
      this.#index?.texts.set(textKey(row.kind, row.key), at);
  }

  #write(): Row[] {
    if (this.#written !== null) return this.#written;
    const rows = [...this.#rows];
    this.#written = rows;
    this.#rows = rows;
    this.#onWrite(rows);
    return rows;
  }

  #steps(at: number): Step[] {
    const written = this.#groups.get(at);
    if (written !== undefined) return written;
    const row = this.#rows[at];
    if (row?.kind !== "steps") return [];
    const steps = [...row.steps];
    this.#groups.set(at, steps);
    this.#write()[at] = { ...row, steps };
    return steps;
  }
}

function textKey(kind: TextRow["kind"], key: string): string {
  return `${kind}:${key}`;
}

function is(row: Row | undefined, kind: TextRow["kind"], key: string): row is TextRow {
  return row?.kind === kind && row.key === key;
}
