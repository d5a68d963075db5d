import { t } from "../../messages/t";
import type { Agent, ChatSummary } from "../../wire/types";

export function greeting(name: string, hour: number): string {
  if (hour < 5 || hour >= 18) return t("greet.evening", { name });
  return t(hour < 12 ? "greet.morning" : "greet.afternoon", { name });
}

/** What goes on, in a sentence. */
export function summaryOf(chats: readonly ChatSummary[]): string {
  const needs = chats.filter((c) => c.needsYou !== undefined).length;
  const running = chats.filter((c) => c.running && c.needsYou === undefined).length;
  const unread = chats.filter((c) => c.unread && !c.running).length;
  const parts = [
    running > 0 ? t("home.running", { n: running }) : "",
    needs > 0 ? t("home.needs", { n: needs }) : "",
    unread > 0 ? t("home.unread", { n: unread }) : "",
  ].filter((p) => p !== "");
  return parts.length > 0 ? parts.join(" ") : t("home.quiet");
}

/** Whether only the demo can answer, as far as all were looked at. */
export function demoOnly(agents: readonly Agent[]): boolean {
  const able = agents.filter(({ status: { state } }) => state === "ready" || state === "unknown");
  return able.length > 0 && able.every((a) => a.info.demo === true);
}

export type Suggestion = {
  readonly kind: "talk" | "edit" | "slow" | "bug" | "explain" | "script";
  readonly title: string;
  readonly note: string;
  readonly text: string;
};

/** Prompts to begin with: for the demo the words that it knows. */
export function suggestions(demo: boolean): readonly Suggestion[] {
  return demo
    ? [
        { kind: "talk", title: t("try.text"), note: t("try.text.note"), text: "think, then text" },
        { kind: "edit", title: t("try.edit"), note: t("try.edit.note"), text: "edit and shell" },
        { kind: "slow", title: t("try.slow"), note: t("try.slow.note"), text: "slow" },
      ]
    : [
        { kind: "bug", title: t("try.bug"), note: t("try.bug.note"), text: t("try.bug.text") },
        {
          kind: "explain",
          title: t("try.explain"),
          note: t("try.explain.note"),
          text: t("try.explain.text"),
        },
        { kind: "script", title: t("try.script"), note: t("try.script.note"), text: t("try.script.text") },
      ];
}
