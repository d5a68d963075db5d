import { type RefObject, useEffect, useRef } from "react";

/** Hears the keys that are pressed within an element which is not itself something to be used. */
export function useKeyIn(place: RefObject<HTMLElement | null>, onKey: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKey);
  useEffect(() => {
    latest.current = onKey;
  });
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const hear = (event: KeyboardEvent) => {
      // A key of an input method is not meant for us.
      if (!event.isComposing && event.keyCode !== 229) latest.current(event);
    };
    element.addEventListener("keydown", hear);
    return () => element.removeEventListener("keydown", hear);
  }, [place]);
}
