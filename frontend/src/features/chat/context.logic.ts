import type { Thread } from "../../live/thread";
import type { RunUsageFrame } from "../../wire/types";

/** How much of what the model can hold the chat takes. */
export type ContextUse = { readonly used: number; readonly max: number };

/** From here on the chat is said to be near its limit. */
const near = 0.85;

/** The latest word on it: of the run that goes on, else of the last that told. Null where none did. */
export function contextUse(thread: Thread, live: RunUsageFrame | null): ContextUse | null {
  const last = thread.at(-1);
  const now = live !== null && live.run === last?.key && last.complete === undefined ? live.usage : undefined;
  const told = [now, ...thread.toReversed().map((run) => run.complete?.usage)];
  const usage = told.find((u) => u?.context !== undefined && u.contextMax !== undefined && u.contextMax > 0);
  if (usage?.context === undefined || usage.contextMax === undefined) return null;
  return { used: usage.context, max: usage.contextMax };
}

export function nearLimit({ used, max }: ContextUse): boolean {
  return used / max >= near;
}
