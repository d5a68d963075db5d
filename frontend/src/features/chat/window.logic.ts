/** Neighbouring items, by their places in the list: from the first to the one after the last. */
export type Span = { readonly from: number; readonly to: number };

/** What is drawn: a room that stands for items which are not, or an item by its place. */
export type Slot = { readonly room: number } | { readonly at: number };

/** Items as far as this above and below what shows are drawn too. */
const margin = 800;

/** The items around the one at `index`, which is at the top of a view so high; from the end for null. */
export function spanAround(sizes: readonly number[], index: number | null, view: number): Span {
  if (index === null) return { from: before(sizes, sizes.length, view + margin), to: sizes.length };
  let to = index;
  for (let sum = 0; to < sizes.length && sum < view + margin; to += 1) sum += sizes[to] ?? 0;
  return { from: before(sizes, index, margin), to };
}

/** The first of the items that fill `room` before `end`. */
function before(sizes: readonly number[], end: number, room: number): number {
  let from = end;
  for (let sum = 0; from > 0 && sum < room; from -= 1) sum += sizes[from - 1] ?? 0;
  return from;
}

/** The place of the item at a distance from the start of the list. */
export function indexAt(sizes: readonly number[], distance: number): number {
  let sum = 0;
  for (let i = 0; i < sizes.length; i += 1) {
    sum += sizes[i] ?? 0;
    if (sum > distance) return i;
  }
  return Math.max(0, sizes.length - 1);
}

/** What to draw so that all `spans` are there, each in its place. */
export function slotsOf(sizes: readonly number[], spans: readonly Span[]): readonly Slot[] {
  const slots: Slot[] = [];
  let at = 0;
  let room = 0;
  const sorted = spans.toSorted((a, b) => a.from - b.from);
  const leave = (to: number) => {
    for (; at < to; at += 1) room += sizes[at] ?? 0;
  };
  for (const { from, to } of sorted) {
    leave(Math.min(from, sizes.length));
    if (room > 0 && at < to) {
      slots.push({ room });
      room = 0;
    }
    for (; at < Math.min(to, sizes.length); at += 1) slots.push({ at });
  }
  leave(sizes.length);
  if (room > 0) slots.push({ room });
  return slots;
}
