/** One of the five voices of code; "" is the rest. */
export type Voice = "" | "key" | "str" | "num" | "com" | "fn";

/** The pieces of one line. */
export type Line = readonly (readonly [text: string, voice: Voice])[];

export type HighlightRequest = { readonly id: number; readonly code: string; readonly language: string };
export type HighlightAnswer = { readonly id: number; readonly lines: readonly Line[] | null };

/** Longer code stays plain: colours are not worth the wait. */
const longest = 100_000;
/** So many characters of coloured code are remembered, for blocks that come back into view. */
const mostKept = 1_000_000;

let worker: Worker | null = null;
let requests = 0;
const waiting = new Map<number, (lines: readonly Line[] | null) => void>();
const kept = new Map<string, readonly Line[]>();
let keptSize = 0;

function start(): Worker {
  const made = new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" });
  made.onmessage = (message: MessageEvent<HighlightAnswer>) => {
    waiting.get(message.data.id)?.(message.data.lines);
    waiting.delete(message.data.id);
  };
  made.onerror = () => {
    for (const answer of waiting.values()) answer(null);
    waiting.clear();
  };
  return made;
}

/** Colours that are at hand already. */
export function highlighted(code: string, language: string): readonly Line[] | null {
  return kept.get(`${language}\n${code}`) ?? null;
}

/** Colours code in a worker; null when the language is not known or there is no worker to be had. */
export async function highlight(code: string, language: string): Promise<readonly Line[] | null> {
  const known = highlighted(code, language);
  if (known !== null) return known;
  if (code.length > longest || typeof Worker === "undefined") return null;
  worker ??= start();
  requests += 1;
  const request: HighlightRequest = { id: requests, code, language };
  const answer = new Promise<readonly Line[] | null>((resolve) => waiting.set(request.id, resolve));
  worker.postMessage(request);
  const lines = await answer;
  if (lines !== null) keep(`${language}\n${code}`, lines);
  return lines;
}

/** Remembers the newest, and lets go of the oldest when there is too much. */
function keep(key: string, lines: readonly Line[]): void {
  kept.set(key, lines);
  keptSize += key.length;
  for (const oldest of kept.keys()) {
    if (keptSize <= mostKept) return;
    kept.delete(oldest);
    keptSize -= oldest.length;
  }
}
