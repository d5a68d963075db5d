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
