import { type RefObject, useEffect, useRef } from "react";
import { isTyping, layerOpen } from "../../../ui/keys";
import { meant } from "../../../ui/shortcuts";

/** How long a card must have been there, or in view for a key that is pressed elsewhere, to be meant. */
const settleTime = 600;

type Options = {
  readonly card: RefObject<HTMLElement | null>;
  /** What must be in view: the answers. */
  readonly answers: RefObject<HTMLElement | null>;
  /** The only card that waits. */
  readonly only: boolean;
  readonly active: boolean;
  /** Acts on a key; true if it was one of the card's. */
  readonly onKey: (key: string, inside: boolean) => boolean;
};

/**
 * Keys of a card. They act while the focus is in it, or once it is the only card and has been in view for
 * a while: a key pressed in the moment in which it came was not meant for it, also where it took the focus
 * over from the card before it. Never in a text field.
 */
export function useCardKeys({ card, answers, only, active, onKey }: Options): void {
  const act = useRef(onKey);
  useEffect(() => {
    act.current = onKey;
  }, [onKey]);
  useEffect(() => {
    if (!active) return undefined;
    const target = answers.current;
    const came = performance.now();
    let since = Infinity;
    let inView = false;
    const observer = new IntersectionObserver(
      ([entry]) => {
        inView = entry?.isIntersecting === true;
        since = inView ? performance.now() : Infinity;
      },
      { threshold: 0.9 },
    );
    if (target !== null) observer.observe(target);
    const onFocus = () => {
      if (inView) since = performance.now();
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return;
      if (isTyping(event) || layerOpen()) return;
      const inside = event.target instanceof Node && card.current?.contains(event.target) === true;
      // When it was pressed, not when a busy page came to it.
      const due = event.timeStamp - settleTime;
      if (inside ? came > due : !only || since > due) return;
      if (act.current(meant(event.key, inside), inside)) event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    window.addEventListener("focus", onFocus);
    return () => {
      observer.disconnect();
      document.removeEventListener("keydown", onKeyDown);
      window.removeEventListener("focus", onFocus);
    };
  }, [card, answers, only, active]);
}
