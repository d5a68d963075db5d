import { type KeyboardEvent, type RefObject, useId, useState } from "react";
import { type Asked, type Offer, useOffers } from "./offers";
import { pathWords, type Token, tokenAt } from "./token.logic";
import { replaceIn } from "./replace";

type Field = RefObject<HTMLTextAreaElement | null>;

export type FieldMenu = ReturnType<typeof useFieldMenu>;

/**
 * The menu that opens at a word of the prompt that begins with `$`, `/` or `@`. The focus stays in the
 * field; its keys act on the menu only while there is something to choose, and never while an input
 * method is composing.
 */
export function useFieldMenu(field: Field, text: string, asked: Asked, onSkill: (name: string) => void) {
  const id = useId();
  const [caret, setCaret] = useState(-1);
  /** The word at which the menu was closed. */
  const [closed, setClosed] = useState<string | null>(null);
  const [at, setAt] = useState({ word: "", index: 0 });
  const token = caret < 0 || caret > text.length ? null : tokenAt(text, caret);
  const word = token === null ? "" : `${token.from} ${token.sign}`;
  const live = word !== "" && word !== closed ? token : null;
  const { offers, note, skipped } = useOffers(live, asked);
  const open = live !== null && (offers.length > 0 || note !== "" || skipped.length > 0);
  const here = at.word === text ? Math.min(at.index, Math.max(0, offers.length - 1)) : 0;

  const pick = (offer: Offer | undefined) => {
    if (live === null || offer === undefined || field.current === null) return;
    replaceIn(field.current, whole(text, live, offer), wordsOf(offer));
    if (offer.kind === "skill") onSkill(offer.skill.name);
  };
  const move = (index: number) => setAt({ word: text, index });
  const close = () => setClosed(word);

  /** Whether the key was one for the menu. */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!open || event.nativeEvent.isComposing || event.keyCode === 229) return false;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    if (event.key === "Escape") close();
    else if (offers.length === 0) return false;
    else if (event.key === "ArrowDown") move((here + 1) % offers.length);
    else if (event.key === "ArrowUp") move((here - 1 + offers.length) % offers.length);
    else if (event.key === "Enter" || event.key === "Tab") pick(offers[here]);
    else return false;
    event.preventDefault();
    return true;
  };
  const onCaret = (element: HTMLTextAreaElement) => {
    const { selectionStart, selectionEnd } = element;
    setCaret(selectionStart === selectionEnd ? selectionStart : -1);
  };
  const onLeave = () => setCaret(-1);
  return { id, open, offers, note, skipped, here, pick, move, close, onKeyDown, onCaret, onLeave };
}

/** What is taken out: with a skill, which leaves nothing behind, also the space after it. */
function whole(text: string, { from, to }: Token, offer: Offer): readonly [number, number] {
  return offer.kind === "skill" && text[to] === " " ? [from, to + 1] : [from, to];
}

function wordsOf(offer: Offer): string {
  switch (offer.kind) {
    case "skill":
      return "";
    case "file":
      return `${pathWords(offer.file)} `;
    case "person":
      return `@${offer.name} `;
  }
}
