import type { Amounts, Limits } from "../../wire/types";

/** The fields of one limit, as they are written. */
export type LimitTexts = { readonly minutes: string; readonly tokens: string; readonly costUsd: string };

export const limitNames = ["minutes", "tokens", "costUsd"] as const;

const most = { minutes: 100_000, tokens: 1e12, costUsd: 1_000_000 } as const;

/** What limits hold for: each run, all runs of a chat, those of a day. */
export const spans = ["run", "chat", "day"] as const;
export type Span = (typeof spans)[number];

function limitTexts(limits: Amounts): LimitTexts {
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

function amountsOf(texts: LimitTexts): Amounts {
  return Object.fromEntries(limitNames.map((name) => [name, limitOf(name, texts[name]) ?? 0]));
}

function bySpan<T>(of: (span: Span) => T): Readonly<Record<Span, T>> {
  return { run: of("run"), chat: of("chat"), day: of("day") };
}

export function textsOf(limits: Limits): Readonly<Record<Span, LimitTexts>> {
  return bySpan((span) => limitTexts(span === "run" ? limits : (limits[span] ?? {})));
}

/** The limits that the fields say, or which of the fields says none. */
export function limitsOf(texts: Readonly<Record<Span, LimitTexts>>): {
  readonly limits: Limits;
  readonly wrong: Readonly<Record<Span, readonly (keyof LimitTexts)[]>>;
} {
  const wrong = bySpan((span) => limitNames.filter((name) => limitOf(name, texts[span][name]) === null));
  const { run, chat, day } = bySpan((span) => amountsOf(texts[span]));
  return { limits: { ...run, chat, day }, wrong };
}
