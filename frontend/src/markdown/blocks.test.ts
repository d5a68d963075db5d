import fc from "fast-check";
import { expect, it } from "vitest";
import { extendBlocks, noBlocks } from "./blocks";
import { hideFormulas } from "./formulas";
import { parse } from "./parse";

const pieces = [
  "# Title\n\n",
  "A paragraph with **weight** and `code`.\n\n",
  "- one\n- two\n  - deep\n\n",
  "1. first\n\n   still first\n\n2. second\n\n",
  "```go\nfunc main() {\n\n}\n```\n\n",
  "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
  "> quoted\n\n",
  "Setext\n===\n\n",
  "line one\nline two\n\n",
  "    indented\n\n    code\n\n",
  "<div>\nhtml\n</div>\n\n",
  "---\n\n",
  "世界 🚀\n\n",
  "$$\na\n\n- b\n$$\n\n",
  "in a line $x_1$ and \\(y\\)\n\n",
];

it("cuts a text that grows into the same blocks as the whole at once, whatever the steps", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...pieces), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 15 })),
      (parts, steps) => {
        const whole = parts.join("");
        let blocks = noBlocks;
        let at = 0;
        for (const step of steps) {
          at = Math.min(whole.length, at + step);
          blocks = extendBlocks(blocks, whole.slice(0, at));
        }
        blocks = extendBlocks(blocks, whole);
        const expected = parse(hideFormulas(whole).text).children.map((n) =>
          whole.slice(n.position?.start.offset, n.position?.end.offset),
        );
        expect(blocks.blocks.map((b) => b.source)).toEqual(expected);
      },
    ),
    { numRuns: 100 },
  );
});

it("never cuts a settled block again", () => {
  const first = extendBlocks(noBlocks, "one\n\ntwo\nand");
  const second = extendBlocks(first, "one\n\ntwo\nand more\n\nthree");
  expect(second.blocks[0]).toBe(first.blocks[0]);
  expect(second.blocks.map((b) => b.source)).toEqual(["one", "two\nand more", "three"]);
});

it("starts anew with a text that does not go on from the last one", () => {
  const first = extendBlocks(noBlocks, "one\n\ntwo\n\nthree");
  expect(extendBlocks(first, "other").blocks.map((b) => b.source)).toEqual(["other"]);
});

it("keeps the definitions of links, also the one that is still being written", () => {
  const first = extendBlocks(noBlocks, "see [a]\n\n[a]: https://exa");
  expect(first.definitions + first.openDefinition).toContain("https://exa");
  const second = extendBlocks(first, "see [a]\n\n[a]: https://example.org\n\nend");
  const known = second.definitions + second.openDefinition;
  expect(known.match(/\[a\]/g)).toHaveLength(1);
  expect(known).toContain("https://example.org");
});
