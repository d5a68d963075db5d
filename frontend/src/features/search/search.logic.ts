import { t } from "../../messages/t";
import type { ChatSummary, SearchHit } from "../../wire/types";

/** The chats whose titles have all of the words, the order kept. */
export function titled(chats: readonly ChatSummary[], q: string): readonly ChatSummary[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return chats.filter((chat) => {
    const title = chat.title.toLowerCase();
    return words.every((word) => title.includes(word));
  });
}

/** A piece of a text, and whether it is what was looked for. */
type Piece = { readonly text: string; readonly hit: boolean };

/** A title in pieces: where one of the words is in it, and what lies between. */
export function piecesOf(title: string, q: string): readonly Piece[] {
  const lower = title.toLowerCase();
  // Where small letters take another room than capitals, places in the one are none in the other.
  const words = lower.length === title.length ? q.toLowerCase().split(/\s+/).filter(Boolean) : [];
  const hits = new Set<number>();
  for (const word of words) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1))
      for (let i = at; i < at + word.length; i += 1) hits.add(i);
  }
  const pieces: Piece[] = [];
  let from = 0;
  for (let i = 1; i <= title.length; i += 1) {
    if (i < title.length && hits.has(i) === hits.has(from)) continue;
    pieces.push({ text: title.slice(from, i), hit: hits.has(from) });
    from = i;
  }
  return pieces;
}

/** Who said what was found. */
export function saidBy(hit: SearchHit): string {
  if (hit.type === "user") return t("search.by.prompt");
  return t(hit.type === "assistant_text" || hit.type === "thinking" ? "search.by.answer" : "search.by.other");
}

/** A day as the person writes it is one of theirs: from its first moment, or to its last. */
export function dayBorder(day: string | undefined, end: "from" | "to"): string | undefined {
  if (day === undefined) return undefined;
  const at = new Date(`${day}T00:00:00`);
  if (Number.isNaN(at.getTime())) return undefined;
  if (end === "to") at.setDate(at.getDate() + 1);
  return at.toISOString();
}

/** What a search is narrowed to. */
export type Filters = {
  readonly chat?: string | undefined;
  readonly agent?: string | undefined;
  readonly dir?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

/** So many chats are offered, those that were active last. */
const mostChats = 200;

/** The chats to choose from; the one that is chosen is among them. */
export function chatChoices(chats: readonly ChatSummary[], chosen: string): readonly ChatSummary[] {
  const first = chats.slice(0, mostChats);
  const late = chats.slice(mostChats).find((chat) => chat.id === chosen);
  return late === undefined ? first : [...first, late];
}

/** The directories that chats work in, beside those of their own, the last used first; the chosen one is among them. */
export function folderChoices(
  chats: readonly Pick<ChatSummary, "id" | "cwd">[],
  chosen: string,
): readonly string[] {
  const shared = chats.flatMap(({ id, cwd }) => (cwd === "" || cwd.split(/[/\\]/).includes(id) ? [] : [cwd]));
  const first = [...new Set(shared)].slice(0, mostChats);
  return chosen === "" || first.includes(chosen) ? first : [...first, chosen];
}
