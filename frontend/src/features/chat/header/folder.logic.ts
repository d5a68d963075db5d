import type { ChatSummary } from "../../../wire/types";

/** The folder in the little room of a phone: its name and that of the one around it; empty for the chat's own. */
export function folderName({ id, cwd }: Pick<ChatSummary, "id" | "cwd">): string {
  const parts = cwd.split(/[/\\]/).filter(Boolean);
  return parts.includes(id) ? "" : parts.slice(-2).join("/");
}
