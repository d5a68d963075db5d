import type { ChatSummary } from "../../../wire/types";

/** A long path loses its middle: both ends say more. */
export function shortPath(path: string): string {
  return path.length <= 40 ? path : `${path.slice(0, 16)}…${path.slice(-23)}`;
}

/** The folder in the little room of a phone: its name and that of the one around it; empty for the chat's own. */
export function folderName({ id, cwd }: Pick<ChatSummary, "id" | "cwd">): string {
  const parts = cwd.split(/[/\\]/).filter(Boolean);
  return parts.includes(id) ? "" : parts.slice(-2).join("/");
}
