import type { FindResults } from "../../../wire/types";

/** What was found so far, in the order in which it is read. */
export type Found = {
  readonly seqs: readonly number[];
  /** Older parts of the chat were not looked through yet. */
  readonly more: boolean;
  /** The server has not read all of the chat into its index. */
  readonly behind: boolean;
};

export function foundOf(pages: readonly FindResults[]): Found {
  const seqs = pages.flatMap((page) => page.matches.map((match) => match.seq));
  const last = pages.at(-1);
  return {
    seqs: [...new Set(seqs)].toSorted((a, b) => a - b),
    more: last?.next !== undefined,
    behind: (last?.index.behind ?? 0) > 0,
  };
}

/** Which match a step leads to; "older" when it lies in a part that is still to be looked through. */
export function stepFrom(found: Found, at: number | null, by: 1 | -1): number | "older" | null {
  const { seqs, more } = found;
  if (seqs.length === 0) return more ? "older" : null;
  const here = at === null ? seqs.length : seqs.indexOf(at);
  const to = here + by;
  if (to < 0) return more ? "older" : (seqs.at(-1) ?? null);
  return seqs[to] ?? (more && at === null ? (seqs.at(-1) ?? null) : (seqs[0] ?? null));
}
