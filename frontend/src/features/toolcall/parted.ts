import type { Line } from "../../markdown/highlight";

/** A line before, inside and after a stretch of its characters. */
export function parted(line: Line, [from, to]: readonly [number, number]): readonly [Line, Line, Line] {
  const parts: [Line, Line, Line] = [[], [], []];
  let at = 0;
  for (const [text, voice] of line) {
    const cuts = [0, from - at, to - at, text.length].map((cut) => Math.min(text.length, Math.max(0, cut)));
    for (let i = 0; i < 3; i += 1) {
      const piece = text.slice(cuts[i], cuts[i + 1]);
      if (piece !== "") parts[i] = [...(parts[i] ?? []), [piece, voice]];
    }
    at += text.length;
  }
  return parts;
}
