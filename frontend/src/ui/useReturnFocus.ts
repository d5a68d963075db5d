import { useEffect, useRef } from "react";

/** Gives the focus back to where it was, when what had it goes away and it is not elsewhere by then. */
export function useReturnFocus(): void {
  const before = useRef<Element | null>(null);
  before.current ??= document.activeElement;
  useEffect(() => {
    const element = before.current;
    return () => {
      requestAnimationFrame(() => {
        const now = document.activeElement;
        if (now !== null && now !== document.body && now.checkVisibility()) return;
        if (element instanceof HTMLElement && element.isConnected) element.focus();
      });
    };
  }, []);
}
