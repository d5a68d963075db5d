import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { inOrder, nextThatNeeds, sorted, useWorkspace } from "../features/chats";
import { isTyping, layerOpen } from "../ui/keys";
import { meant } from "../ui/shortcuts";
import { useSidebar } from "./sidebar.store";

type Hands = {
  readonly newChat: () => void;
  readonly help: () => void;
  readonly palette: () => void;
};

/** After G a second key says where to. */
const chord = 1_000;

function openChat(): string | null {
  return /^\/chats\/([^/]+)/.exec(location.pathname)?.[1] ?? null;
}

/** Keys that work wherever nothing is being written, and the one for the palette, which always does. */
export function useKeys({ newChat, help, palette }: Hands): void {
  const workspace = useWorkspace();
  const navigate = useNavigate();
  useEffect(() => {
    let since = -Infinity;
    const chats = () => sorted(workspace.store.getState().chats.values());
    const open = (id: string | undefined) => {
      if (id !== undefined) void navigate({ to: "/chats/$id", params: { id } });
    };
    const goTo = (key: string): boolean => {
      if (key === "h") void navigate({ to: "/" });
      else if (key === "n") open(nextThatNeeds(chats(), openChat())?.id);
      else return false;
      return true;
    };
    const step = (by: 1 | -1) => {
      const list = inOrder(chats());
      const here = list.findIndex((chat) => chat.id === openChat());
      open(list[here < 0 ? (by === 1 ? 0 : list.length - 1) : here + by]?.id);
    };
    const togglePanel = () => {
      const id = openChat();
      if (id === null) return;
      void navigate({
        to: "/chats/$id",
        params: { id },
        search: ({ panel }) => (panel === undefined ? { panel: "forks" } : {}),
        hash: true,
        replace: true,
      });
    };
    const acts: Readonly<Record<string, () => void>> = {
      c: newChat,
      "/": () => document.getElementById("composer")?.focus(),
      j: () => step(1),
      k: () => step(-1),
      "?": help,
    };
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        palette();
        return;
      }
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.code === "Backslash" && !layerOpen()) {
        event.preventDefault();
        if (event.shiftKey) togglePanel();
        else useSidebar.getState().toggle();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || layerOpen()) return;
      if (event.defaultPrevented) return;
      // When it was pressed, not when a busy page came to it.
      const after = event.timeStamp - since < chord;
      since = -Infinity;
      if (after && goTo(event.key)) {
        event.preventDefault();
        return;
      }
      if (meant(event.key) === "g") since = event.timeStamp;
      const act = acts[meant(event.key)];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [workspace, navigate, newChat, help, palette]);
}
