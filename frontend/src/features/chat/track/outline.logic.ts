import type { Thread } from "../../../live/thread";
import { beginning } from "../../../text/characters";
import type {
  ChatSummary,
  Cut,
  EpochEvent,
  ForkRef,
  LoggedEvent,
  Outline,
  OutlinePrompt,
  Person,
  Status,
} from "../../../wire/types";

/** A prompt of the chat, held or not. */
export type Stop = {
  readonly seq: number;
  /** The run that it began. */
  readonly run: string;
  readonly at: string;
  readonly by: Person;
  readonly line: string;
  /** The verdict on its run; absent while it has none. */
  readonly status?: Status;
  /** The event after which a fork can be made. */
  readonly end?: number;
  readonly forks: readonly ForkRef[];
};

const longestLine = 200;

/** Every prompt of the chat: those of the outline, and those that came since it was asked for. */
export function stopsOf(outline: Outline | undefined, thread: Thread): readonly Stop[] {
  const stops = new Map<number, Stop>();
  for (const prompt of outline?.prompts ?? []) {
    const { seq, run, t, by, line, status, end, forks } = prompt;
    stops.set(seq, {
      seq,
      run,
      at: t,
      by,
      line,
      forks: forks ?? [],
      ...(status === undefined ? {} : { status }),
      ...(end === undefined ? {} : { end }),
    });
  }
  for (const { key, prompt, complete } of thread) {
    if (prompt === undefined) continue;
    const known = stops.get(prompt.seq);
    if (known?.end !== undefined) continue;
    stops.set(prompt.seq, {
      seq: prompt.seq,
      run: key,
      at: prompt.at,
      by: prompt.by,
      line: beginning(prompt.text.split("\n", 1)[0] ?? "", longestLine),
      forks: known?.forks ?? [],
      ...(complete === undefined ? {} : { status: complete.status, end: complete.seq }),
    });
  }
  return [...stops.values()].toSorted((a, b) => a.seq - b.seq);
}

/** The prompts of a fork that were sent in it. */
export function ownPrompts(chat: ChatSummary, outline: Outline): readonly OutlinePrompt[] {
  return outline.prompts.filter((prompt) => prompt.seq > (chat.forkOf?.seq ?? 0));
}

/** So long an attempt that was taken out is kept. */
const keptMs = 7 * 24 * 3_600_000;

/** What a rewind took out, as far as the outline of before tells. */
function cutBy({ epoch, keep, seq, t }: EpochEvent, prompts: readonly OutlinePrompt[]): Cut | null {
  const gone = prompts.filter((prompt) => prompt.seq > keep && prompt.seq < seq);
  const [first] = gone;
  if (first === undefined) return null;
  const expires = new Date(Date.parse(t) + keptMs).toISOString();
  const { line } = first;
  return {
    epoch,
    keep,
    last: seq - 1,
    prompts: gone.length,
    line,
    sent: gone.map((prompt) => ({ seq: prompt.seq, t: prompt.t, line: prompt.line })),
    cause: "rewind",
    at: t,
    expires,
    restorable: true,
  };
}

/**
 * The outline with what the events that are held tell, and without what they deny: after a rewind or
 * a restore it comes anew a moment later than they do. As a seq is never used twice, a prompt that is
 * held is in no cut, and one of their range that is not held is gone. `open` says that the thread goes
 * to the chat's end.
 */
export function agreed(
  outline: Outline | undefined,
  thread: Thread,
  events: readonly LoggedEvent[],
  open: boolean,
): Outline | undefined {
  if (outline === undefined) return outline;
  const rewinds = events.flatMap((e) =>
    e.type === "epoch" && e.cause === "rewind" && e.epoch > outline.epoch ? [e] : [],
  );
  const held = thread.flatMap((run) => (run.prompt === undefined ? [] : [run.prompt.seq]));
  const known = new Set(held);
  const first = thread[0]?.first ?? Infinity;
  const last = open || thread.length === 0 ? Infinity : (thread.at(-1)?.last ?? 0);
  const gone = (seq: number) => rewinds.some((e) => seq > e.keep && seq < e.seq);
  const newest = held.at(-1) ?? 0;
  const made = rewinds.flatMap((event) => {
    const cut = cutBy(event, outline.prompts);
    return cut === null ? [] : [{ ...cut, restorable: newest < event.seq }];
  });
  return {
    ...outline,
    prompts: outline.prompts.filter(
      ({ seq }) => known.has(seq) || ((seq < first || seq > last) && !gone(seq)),
    ),
    cuts: [...made, ...outline.cuts].filter((cut) => !held.some((seq) => seq > cut.keep && seq <= cut.last)),
  };
}

/** How many prompts leave when the chat is rewound to before this one. */
export function leavingFrom(stops: readonly Stop[], seq: number): number {
  return stops.filter((stop) => stop.seq >= seq).length;
}

/** The answer before a prompt, after which a fork has all but it and what follows; null for the first. */
export function endBefore(stops: readonly Stop[], seq: number): number | null {
  return stops.findLast((stop) => stop.seq < seq && stop.end !== undefined)?.end ?? null;
}

/** What was taken out right after the answer to this prompt; after nothing for null. */
export function cutsAfter(
  outline: Outline | undefined,
  stops: readonly Stop[],
  seq: number | null,
): readonly Cut[] {
  const from = seq ?? 0;
  const next = stops.find((stop) => stop.seq > from)?.seq ?? Infinity;
  return (outline?.cuts ?? [])
    .filter((cut) => cut.keep >= from && cut.keep < next)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/** The attempts that stood in this prompt's place, the oldest first. */
export function versionsOf(
  outline: Outline | undefined,
  stops: readonly Stop[],
  seq: number,
): readonly Cut[] {
  const before = stops.findLast((stop) => stop.seq < seq)?.seq ?? null;
  return cutsAfter(outline, stops, before).filter((cut) => cut.last < seq);
}
