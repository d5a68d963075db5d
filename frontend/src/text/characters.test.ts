import fc from "fast-check";
import { expect, it } from "vitest";
import { beginning, borderAfter, borderBefore, ending, firstCharacter, shortened } from "./characters";

const family = "👨‍👩‍👧";
const texts = fc.array(fc.constantFrom("a", " ", "é", "e\u0301", "😀", family, "한", "🇫🇷 "), {
  maxLength: 60,
});

it.each([
  ["letters", "abcdef", 3, "abc"],
  ["a pair of surrogates", "ab😀cd", 3, "ab"],
  ["an accent of its own", "cafe\u0301s", 4, "caf"],
  ["a family", `ab${family}cd`, 5, "ab"],
  ["a flag", "ab🇫🇷", 4, "ab"],
  ["all that there is", "ab😀", 9, "ab😀"],
])("keeps %s whole at the end of a beginning", (_what, text, most, want) => {
  expect(beginning(text, most)).toBe(want);
});

it("keeps what it cuts whole on both sides, and within its bound", () => {
  fc.assert(
    fc.property(texts, fc.nat(200), (parts, most) => {
      const text = parts.join("");
      const borders = new Set([0]);
      for (const { index, segment } of new Intl.Segmenter().segment(text))
        borders.add(index + segment.length);
      const front = beginning(text, most);
      const back = ending(text, most);
      expect(borders).toContain(front.length);
      expect(borders).toContain(text.length - back.length);
      expect(Math.max(front.length, back.length)).toBeLessThanOrEqual(most);
      const at = Math.min(most, text.length);
      expect(borderBefore(text, at)).toBeLessThanOrEqual(at);
      expect(borderAfter(text, at)).toBeGreaterThanOrEqual(at);
    }),
    { numRuns: 300 },
  );
});

it("parts a heap of marks that has no end, but no code point", () => {
  const heap = `a${"\u0301".repeat(500)}`;
  expect(beginning(heap, 300)).toHaveLength(300);
  const joined = "😀\u200d".repeat(300);
  expect(beginning(joined, 301).isWellFormed()).toBe(true);
  expect(beginning(joined, 301).length).toBeGreaterThan(250);
});

it("marks only what it shortened, and knows the first character", () => {
  expect(shortened("ab😀cd", 3)).toBe("ab…");
  expect(shortened("abc", 3)).toBe("abc");
  expect(firstCharacter("e\u0301va")).toBe("e\u0301");
  expect(firstCharacter("")).toBe("");
});
