import type { ChatSummary, Cut, Outline, Status } from "../../../wire/types";

/** A chat of a family of forks, with its outline once that is known. */
export type Member = { readonly chat: ChatSummary; readonly outline: Outline | undefined };

/** A prompt, one of an attempt that was rewound, or a fork in which nothing was sent yet; by time. */
export type Row = {
  readonly key: string;
  readonly kind: "prompt" | "cut" | "empty";
  readonly chat: ChatSummary;
  readonly seq: number;
  readonly at: string;
  readonly line: string;
  readonly lane: number;
  /** On the way to where the reader is. */
  readonly own: boolean;
  /** The last prompt of the chat that is open. */
  readonly here: boolean;
  readonly status?: Status;
  /** The attempt that was rewound, at the first of its prompts. */
  readonly cut?: Cut;
  /** How many prompts a fork has of its own, at the first of them. */
  readonly forked?: number;
};

/** A piece of line between two rows, by their places. */
export type Edge = {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly own: boolean;
  readonly dashed: boolean;
};

export type ForkMap = {
  readonly rows: readonly Row[];
  readonly edges: readonly Edge[];
  readonly lanes: number;
};

/** The chats that were forked from one another, the eldest first, and no more than `most`. */
export function familyOf(
  chats: ReadonlyMap<string, ChatSummary>,
  id: string,
  most = 24,
): readonly ChatSummary[] {
  let root = chats.get(id);
  if (root === undefined) return [];
  const seen = new Set([root.id]);
  for (let up = parentOf(chats, root); up !== undefined && !seen.has(up.id); up = parentOf(chats, up)) {
    seen.add(up.id);
    root = up;
  }
  const family = [root];
  const all = [...chats.values()].toSorted((a, b) => (a.created < b.created ? -1 : 1));
  for (let i = 0; i < family.length && family.length < most; i += 1) {
    const parent = family[i];
    for (const chat of all) {
      if (family.length >= most) break;
      if (chat.forkOf?.chat === parent?.id && !family.includes(chat)) family.push(chat);
    }
  }
  return family;
}

function parentOf(chats: ReadonlyMap<string, ChatSummary>, chat: ChatSummary): ChatSummary | undefined {
  return chat.forkOf === undefined ? undefined : chats.get(chat.forkOf.chat);
}

/** The chats from the eldest to the one that is open. */
function lineTo(family: readonly ChatSummary[], id: string): ReadonlySet<string> {
  const byId = new Map(family.map((chat) => [chat.id, chat]));
  const line = new Set<string>();
  for (let at = byId.get(id); at !== undefined && !line.has(at.id); at = parentOf(byId, at)) line.add(at.id);
  return line;
}

type Draft = Row & { readonly parent: string | null };

/** The map of a family: a lane for each chat and each attempt that was rewound, a row for each prompt. */
export function mapOf(members: readonly Member[], id: string): ForkMap {
  const line = lineTo(
    members.map((m) => m.chat),
    id,
  );
  const drafts: Draft[] = [];
  let lanes = 0;
  for (const { chat, outline } of members) {
    const lane = lanes;
    lanes += 1;
    const from = members.some((m) => m.chat.id === chat.forkOf?.chat) ? (chat.forkOf?.seq ?? 0) : 0;
    const origin = from === 0 ? null : lastBefore(members, chat.forkOf?.chat ?? "", from);
    const prompts = (outline?.prompts ?? []).filter((prompt) => prompt.seq > from);
    let before = origin;
    for (const prompt of prompts) {
      const key = `${chat.id}#${prompt.seq}`;
      const last = prompt === prompts.at(-1);
      // Of a chat on the way here, only what was there at the fork leads here.
      const own = line.has(chat.id) && prompt.seq <= leftAt(members, line, chat.id);
      drafts.push({
        key,
        kind: "prompt",
        chat,
        seq: prompt.seq,
        at: prompt.t,
        line: prompt.line,
        lane,
        own,
        here: last && chat.id === id,
        parent: before,
        ...(prompt.status === undefined ? {} : { status: prompt.status }),
        ...(from > 0 && prompt === prompts[0] ? { forked: prompts.length } : {}),
      });
      before = key;
    }
    if (prompts.length === 0 && outline !== undefined && chat.forkOf !== undefined) {
      const { created } = chat;
      drafts.push({
        key: `${chat.id}#0`,
        kind: "empty",
        chat,
        seq: from,
        at: created,
        line: "",
        lane,
        own: chat.id === id,
        here: chat.id === id,
        parent: origin,
      });
    }
    for (const cut of outline?.cuts ?? []) {
      let parent = lastBefore(members, chat.id, cut.keep);
      for (const sent of cut.sent) {
        const key = `${chat.id}~${cut.epoch}#${sent.seq}`;
        drafts.push({
          key,
          kind: "cut",
          chat,
          seq: sent.seq,
          at: sent.t,
          line: sent.line,
          lane: lanes,
          own: false,
          here: false,
          parent,
          ...(sent === cut.sent[0] ? { cut } : {}),
        });
        parent = key;
      }
      lanes += 1;
    }
  }
  const sorted = drafts.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.lane - b.lane));
  const places = new Map(sorted.map((row, i) => [row.key, i]));
  const edges = sorted.flatMap((row, to): Edge[] => {
    const from = row.parent === null ? undefined : places.get(row.parent);
    return from === undefined ? [] : [{ key: row.key, from, to, own: row.own, dashed: row.kind === "cut" }];
  });
  return { rows: sorted.map(({ parent: _parent, ...row }) => row), edges, lanes };
}

/** The last prompt at or before an event of a chat, wherever in the family it was sent. */
function lastBefore(members: readonly Member[], chat: string, seq: number): string | null {
  const member = members.find((m) => m.chat.id === chat);
  if (member === undefined) return null;
  const prompt = member.outline?.prompts.findLast((p) => p.seq <= seq);
  if (prompt === undefined) return null;
  const { forkOf } = member.chat;
  if (forkOf !== undefined && prompt.seq <= forkOf.seq && members.some((m) => m.chat.id === forkOf.chat))
    return lastBefore(members, forkOf.chat, prompt.seq);
  return `${chat}#${prompt.seq}`;
}

/** Up to where a chat leads to the one that is open: to where the next one left it, or all of it. */
function leftAt(members: readonly Member[], line: ReadonlySet<string>, chat: string): number {
  const next = members.find((m) => line.has(m.chat.id) && m.chat.forkOf?.chat === chat);
  return next?.chat.forkOf?.seq ?? Infinity;
}
