const base = 500;
const cap = 15_000;

/**
 * The wait before try `n` (the first is 0), in milliseconds: doubling to a cap, half of it by
 * chance, so that many browsers do not come back at the same instant.
 */
export function backoff(n: number, random: () => number = Math.random): number {
  const full = Math.min(cap, base * 2 ** Math.min(n, 10));
  return Math.round(full / 2 + (full / 2) * random());
}
