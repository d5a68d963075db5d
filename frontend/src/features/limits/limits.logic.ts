import type { Limits } from "../../wire/types";

/** The fields of the limits, as they are written. */
export type LimitTexts = { readonly minutes: string; readonly tokens: string; readonly costUsd: string };

export const limitNames = ["minutes", "tokens", "costUsd"] as const;

const most = { minutes: 100_000, tokens: 1e12, costUsd: 1_000_000 } as const;

export function limitTexts(limits: Limits): LimitTexts {
  const text = (n: number | undefined) => (n === undefined || n === 0 ? "" : String(n));
  return { minutes: text(limits.minutes), tokens: text(limits.tokens), costUsd: text(limits.costUsd) };
}

/** What a field says as a number; an empty one is no limit, null is no number that could be one. */
function limitOf(name: keyof LimitTexts, text: string): number | null {
  const plain = text.trim();
  if (plain === "") return 0;
  const n = Number(plain);
  const whole = name === "costUsd" || Number.isInteger(n);
  return plain !== "" && Number.isFinite(n) && n > 0 && whole && n <= most[name] ? n : null;
}

/** The limits that the fields say, or which of the fields says none. */
export function limitsOf(texts: LimitTexts): {
  readonly limits: Limits;
  readonly wrong: readonly (keyof LimitTexts)[];
} {
  const wrong = limitNames.filter((name) => limitOf(name, texts[name]) === null);
  const limits = Object.fromEntries(limitNames.map((name) => [name, limitOf(name, texts[name]) ?? 0]));
  return { limits, wrong };
}
