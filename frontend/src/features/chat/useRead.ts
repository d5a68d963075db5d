import { useEffect } from "react";
import { markRead } from "../../api/calls";
import { useChat } from "./context";

/** Tells the server that the person has seen the end: only while the page shows and has the focus. */
export function useRead(atEnd: boolean, completed: number): void {
  const { id } = useChat();
  useEffect(() => {
    if (!atEnd) return undefined;
    const tell = () => {
      if (document.visibilityState !== "visible" || !document.hasFocus()) return;
      stop();
      // Told again at the next end of a run; nothing is lost meanwhile.
      void markRead(id).catch(() => undefined);
    };
    const stop = () => {
      window.removeEventListener("focus", tell);
      document.removeEventListener("visibilitychange", tell);
    };
    window.addEventListener("focus", tell);
    document.addEventListener("visibilitychange", tell);
    tell();
    return stop;
  }, [id, atEnd, completed]);
}
