import { useEffect } from "react";
import type { PanelTab } from "./panel/panel.logic";
import { useChat } from "./context";

/** What of the chat the address names. */
export type View = {
  /** The event to show; null for the end. */
  readonly event: number | null;
  readonly panel: PanelTab | null;
  readonly openPanel: (panel: View["panel"]) => void;
};

/** Shows the event that the address names. */
export function useShown(event: number | null): void {
  const { store } = useChat();
  useEffect(() => {
    if (event === null) store.leave();
    else store.visit(event);
  }, [store, event]);
}
