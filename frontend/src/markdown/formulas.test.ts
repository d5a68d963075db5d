import { describe, expect, it } from "vitest";
import { formulas, hideFormulas, mixed, restored } from "./formulas";

/** What each text has for formulas: those in brackets stand by themselves. */
const table: readonly (readonly [text: string, found: readonly string[]])[] = [
  ["$x$", ["x"]],
  ["a $x + y$ b", ["x + y"]],
  ["It costs $5 and $6.", []],
  ["It costs $5.", []],
  ["from $20,000 to $30,000", []],
  ["US$5 and US$6", []],
  ["$ x$ and $x $", []],
  ["$HOME and $PATH", []],
  ["\\$5 and $x$", ["x"]],
  ["$a\\$b$", ["a\\$b"]],
  ["$x$5", []],
  ["$$x^2$$", ["[x^2]"]],
  ["$$ x = y $$", ["[x = y]"]],
  ["$$\na\n\nb\n$$", ["[a\n\nb]"]],
  ["$$$ and $$$", []],
  ["\\(x_i\\)", ["x_i"]],
  ["\\[\\sum_i x_i\\]", ["[\\sum_i x_i]"]],
  ["\\\\(x\\\\)", []],
  ["`$x$` and $y$", ["y"]],
  ["``a ` $x$`` $y$", ["y"]],
  ["```\n$x$\n```\n$y$", ["y"]],
  ["~~~sh\necho $A $B$\n~~~", []],
  ["```\n$x$ unfinished", []],
  ["https://example.org/?a=$b&c=$d and $x$", ["x"]],
  ["[p](https://example.org/$a$) $x$", ["x"]],
  ["价格是$x$元", ["x"]],
  ["**设 $a*b*c$ 为真。**然后", ["a*b*c"]],
  ["| a |\n|---|\n| $|x|$ |", ["|x|"]],
  ["> $$\n> x\n> y\n> $$", ["[x\ny]"]],
  ["$x\n\ny$", []],
  ["$unclosed", []],
  ["$$unclosed", []],
  ["1. \\[\n   x\n   \\]", ["[x]"]],
  ["$\\text{a\\_b}$ and $c_d$", ["\\text{a\\_b}", "c_d"]],
];

describe("formulas", () => {
  it.each(table)("of %j", (text, found) => {
    expect(formulas(text).found.map(({ tex, display }) => (display ? `[${tex}]` : tex))).toEqual(found);
  });
});

it("hides formulas in a text of the same length, and gives them back", () => {
  for (const [text] of table) {
    const hidden = hideFormulas(text);
    expect(hidden.text).toHaveLength(text.length);
    expect(restored(hidden.text, text, hidden.formulas)).toBe(text);
    expect(mixed(hidden.text, hidden.formulas).filter((p) => typeof p !== "string")).toEqual(hidden.formulas);
  }
});

it("knows one that stands by itself and is still being written", () => {
  expect(formulas("text\n\n$$\na\n\nb").open).toBe(6);
  expect(formulas("$$\na\n$$").open).toBeNull();
  expect(formulas("it costs $$ and more").open).toBeNull();
});

it("takes no longer for a long text of signs than for one of letters", () => {
  const text = `${"$a ".repeat(20_000)}\n\n${"\\(".repeat(20_000)}\n\n${"`".repeat(999)}${"$$".repeat(5_000)}`;
  const from = performance.now();
  formulas(text);
  expect(performance.now() - from).toBeLessThan(2_000);
});
