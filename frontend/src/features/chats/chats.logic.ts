import type { Signal } from "../../ui/Glyph";
import { t } from "../../messages/t";
import type { ChatSummary } from "../../wire/types";

/** The one signal that a chat shows. */
export function signalOf(chat: ChatSummary): Signal {
  if (chat.needsYou !== undefined) return "needs";
  if (chat.phase === "held") return "held";
  if (chat.running) return "running";
  if (chat.verdict === "failed" || chat.verdict === "interrupted" || chat.verdict === "max_iterations")
    return "failed";
  return chat.unread ? "ready" : "rest";
}

const marks: Readonly<Record<Signal, string>> = {
  ready: "●",
  running: "◔",
  waiting: "◌",
  held: "◍",
  needs: "⊖",
  failed: "⊗",
  rest: "",
};

/** The title of the browser's tab: the chat's signal and name. */
export function tabTitle(chat: ChatSummary): string {
  return `${marks[signalOf(chat)]} ${titleOf(chat)}`.trim();
}

export function titleOf(chat: ChatSummary): string {
  return chat.title === "" ? t("chat.untitled") : chat.title;
}

/** Newest activity first. */
export function sorted(chats: Iterable<ChatSummary>): readonly ChatSummary[] {
  return [...chats].toSorted((a, b) =>
    a.active < b.active ? 1 : a.active > b.active ? -1 : a.id < b.id ? 1 : -1,
  );
}

/** How a chat stands, in words. */
export function stateWords(chat: ChatSummary): string {
  const signal = signalOf(chat);
  if (signal === "running" || signal === "held" || signal === "needs") return t(`chatstate.${signal}`);
  const { verdict } = chat;
  if (
    verdict === "failed" ||
    verdict === "interrupted" ||
    verdict === "cancelled" ||
    verdict === "max_iterations"
  ) {
    return t(`chatstate.${verdict}`);
  }
  return t(signal === "ready" ? "chatstate.ready" : verdict === "ok" ? "chatstate.read" : "chatstate.empty");
}

/** More chats than these are found on the page of all chats. */
export const mostInSidebar = 40;

type Groups = {
  readonly needs: readonly ChatSummary[];
  readonly pinned: readonly ChatSummary[];
  readonly rest: readonly ChatSummary[];
};

/** The chats of the sidebar: each is in one group. Archived ones show only when they need somebody. */
export function groupsOf(chats: readonly ChatSummary[], unreadOnly: boolean): Groups {
  const needs = chats.filter((chat) => chat.needsYou !== undefined);
  const others = chats.filter((chat) => chat.needsYou === undefined && chat.archived !== true);
  return {
    needs,
    pinned: others.filter((chat) => chat.pinned === true),
    rest: others.filter((chat) => chat.pinned !== true && (!unreadOnly || chat.unread)),
  };
}

/** The order in which the sidebar shows the chats, for the keys that go from one to the next. */
export function inOrder(chats: readonly ChatSummary[]): readonly ChatSummary[] {
  const { needs, pinned, rest } = groupsOf(chats, false);
  return [...needs, ...pinned, ...rest];
}

/** The chat that needs somebody after the one that is open: the longest wait first, round and round. */
export function nextThatNeeds(chats: readonly ChatSummary[], open: string | null): ChatSummary | null {
  const needs = chats
    .filter((chat) => chat.needsYou !== undefined)
    .toSorted((a, b) => ((a.needsYou?.since ?? "") < (b.needsYou?.since ?? "") ? -1 : 1));
  const here = needs.findIndex((chat) => chat.id === open);
  return needs[(here + 1) % Math.max(1, needs.length)] ?? null;
}
