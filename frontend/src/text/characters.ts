const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** So far around a place it is looked at what belongs together; what is longer is no character. */
const reach = 64;
const firstMark = 0x300;

/** What a reader takes for one character and goes over a place, as a stretch; empty where one ends there. */
function over(text: string, at: number): readonly [from: number, to: number] {
  if (at <= 0) return [0, 0];
  if (at >= text.length) return [text.length, text.length];
  // Below are no marks, and nothing that joins; most texts are of these.
  if (text.charCodeAt(at - 1) < firstMark && text.charCodeAt(at) < firstMark) return [at, at];
  const from = Math.max(0, at - reach);
  const found = characters.segment(text.slice(from, at + reach)).containing(at - from);
  if (found !== undefined && found.segment.length < reach && (found.index > 0 || from === 0)) {
    const begin = from + found.index;
    return begin === at ? [at, at] : [begin, begin + found.segment.length];
  }
  // A heap of marks is parted between two of them.
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? [at - 1, at + 1] : [at, at];
}

/** The last place of a text up to this one at which it can be parted: never within a character. */
export function borderBefore(text: string, at: number): number {
  return over(text, at)[0];
}

/** The first place of a text from this one on at which it can be parted. */
export function borderAfter(text: string, at: number): number {
  return over(text, at)[1];
}

/** The beginning of a text, in at most so many units. */
export function beginning(text: string, most: number): string {
  return text.slice(0, borderBefore(text, Math.min(most, text.length)));
}

/** The end of a text, in at most so many units. */
export function ending(text: string, most: number): string {
  return text.slice(borderAfter(text, Math.max(0, text.length - most)));
}

/** The beginning of a text, with a mark where something was left out. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${beginning(text, most)}…` : text;
}

/** What a reader takes for the first character; empty for an empty text. */
export function firstCharacter(text: string): string {
  return characters.segment(text).containing(0)?.segment ?? "";
}
