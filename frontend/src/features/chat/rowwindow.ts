import type { Group, Item } from "./list.logic";
import type { Place } from "./useFollow";
import type { Held } from "./useHeld";
import { indexAt, slotsOf, type Slot, type Span, spanAround } from "./window.logic";

/** A selection over more rows than this keeps only its ends. */
const mostSelected = 200;
/** Heights that are remembered, beyond those of the rows that there are. */
const mostHeights = 10_000;

type Flat = {
  readonly items: readonly Item[];
  /** The place of each item by its key. */
  readonly places: ReadonlyMap<string, number>;
  /** For each item the place at which its run begins. */
  readonly starts: readonly number[];
};

const nothing: Flat = { items: [], places: new Map(), starts: [] };
const start: Place = { following: true, at: null, view: 0 };

/**
 * Which rows are drawn: those around what is read, those in use, and the head of a run any of whose
 * rows is drawn. The others are an empty room of the height that they had, or are guessed to have.
 * It owns the observer that measures rows, from the first one that is there to the last.
 */
export class RowWindow {
  readonly #heights = new Map<string, number>();
  readonly #redraw: () => void;
  #observer: ResizeObserver | null = null;
  #groups: readonly Group[] = [];
  #flat = nothing;
  #place = start;
  #index = 0;
  #span: Span = { from: 0, to: 0 };

  /** `redraw` is called when rows turn out other than guessed, so that more or fewer of them are needed. */
  constructor(redraw: () => void) {
    this.#redraw = redraw;
  }

  get items(): readonly Item[] {
    return this.#flat.items;
  }

  /** What to draw of these groups at this place. */
  slots(groups: readonly Group[], place: Place, held: Held): readonly Slot[] {
    if (!sameGroups(groups, this.#groups)) this.#flat = flatOf(groups);
    this.#groups = groups;
    this.#place = place;
    const sizes = this.#sizes();
    this.#span = this.#wanted(sizes);
    return slotsOf(sizes, spansOf(this.#flat, this.#span, held));
  }

  /** The key of the row at a distance from the start of the list. */
  locate(distance: number): string | null {
    const at = indexAt(this.#sizes(), distance);
    // What stands for a prompt does not stay where it is: what is read begins after it.
    return this.items[this.items[at]?.kind === "cut" ? at + 1 : at]?.key ?? null;
  }

  /** Measures the element of a row, as a ref, as long as it is there. */
  readonly measure = (element: HTMLElement | null): (() => void) | undefined => {
    if (element === null || typeof ResizeObserver === "undefined") return undefined;
    this.#observer ??= new ResizeObserver((entries) => this.#learn(entries));
    const observer = this.#observer;
    observer.observe(element);
    return () => observer.unobserve(element);
  };

  #sizes(): readonly number[] {
    return this.items.map((item) => this.#heights.get(item.key) ?? item.guess);
  }

  #wanted(sizes: readonly number[]): Span {
    const { following, at, view } = this.#place;
    if (following || at === null) return spanAround(sizes, null, view);
    // A row that is gone leaves its place to what stands there now.
    const index = this.#flat.places.get(at) ?? this.#index;
    this.#index = Math.min(index, Math.max(0, sizes.length - 1));
    return spanAround(sizes, this.#index, view);
  }

  #learn(entries: readonly ResizeObserverEntry[]): void {
    for (const { target, borderBoxSize } of entries) {
      const key = target.getAttribute("data-row");
      const size = borderBoxSize[0]?.blockSize;
      if (key !== null && size !== undefined && target.isConnected) this.#heights.set(key, size);
    }
    if (this.#heights.size > mostHeights + this.items.length) {
      for (const key of this.#heights.keys()) if (!this.#flat.places.has(key)) this.#heights.delete(key);
    }
    const { from, to } = this.#wanted(this.#sizes());
    if (from !== this.#span.from || to !== this.#span.to) this.#redraw();
  }
}

function sameGroups(a: readonly Group[], b: readonly Group[]): boolean {
  return a.length === b.length && a.every((group, i) => group.items === b[i]?.items);
}

function flatOf(groups: readonly Group[]): Flat {
  const items: Item[] = [];
  const starts: number[] = [];
  for (const group of groups) {
    const first = items.length;
    for (const item of group.items) {
      items.push(item);
      starts.push(first);
    }
  }
  return { items, places: new Map(items.map((item, i) => [item.key, i])), starts };
}

function spansOf(flat: Flat, span: Span, held: Held): readonly Span[] {
  const spans: Span[] = [span];
  const hold = (from: number | undefined, to: number | undefined) => {
    if (from !== undefined && to !== undefined)
      spans.push({ from: Math.min(from, to), to: Math.max(from, to) + 1 });
  };
  const place = (key: string | null) => (key === null ? undefined : flat.places.get(key));
  const [one, other] = (held.selected ?? [null, null]).map(place);
  if (one !== undefined && other !== undefined && Math.abs(one - other) > mostSelected) {
    hold(one, one);
    hold(other, other);
  } else hold(one, other);
  hold(place(held.focused), place(held.focused));
  // What goes on may be a form that is half filled in.
  const working = flat.items.findLastIndex((item) => item.kind === "working");
  if (working >= 0) hold(working, working);
  return [...spans, ...headsOf(flat, spans)];
}

/** The head of a run is its place on the track, and what sticks to the top while the run is read. */
function headsOf(flat: Flat, spans: readonly Span[]): readonly Span[] {
  const heads: Span[] = [];
  for (const { from, to } of spans) {
    for (let i = from; i < to; i += 1) {
      const first = flat.starts[i] ?? 0;
      const day = flat.items[first]?.kind === "day";
      if (heads.at(-1)?.from !== first) heads.push({ from: first, to: first + (day ? 2 : 1) });
    }
  }
  return heads;
}
