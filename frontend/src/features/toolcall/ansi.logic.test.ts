import { expect, it } from "vitest";
import { ansiLines, showBidi } from "./ansi.logic";

const plain = (output: string) => ansiLines(output).map((line) => line.map((p) => p.text).join(""));

it("maps colours to the page's own and drops every other escape", () => {
  expect(ansiLines("\u001b[31mred\u001b[0m and \u001b[1;32mgreen\u001b[m")).toEqual([
    [
      { text: "red", look: "red" },
      { text: " and ", look: "" },
      { text: "green", look: "green" },
    ],
  ]);
  expect(plain("\u001b]0;title\u0007a\u001b[2Kb\u001b[?25hc\u001b(Bd\u0000e")).toEqual(["abcde"]);
  expect(ansiLines("\u001b[38;5;196mx")[0]).toEqual([{ text: "x", look: "" }]);
});

it("keeps a colour over the end of a line", () => {
  expect(ansiLines("\u001b[31ma\nb")[1]).toEqual([{ text: "b", look: "red" }]);
});

// T3
it("shows of a line that was written over what a terminal would, however often it was", () => {
  expect(plain(`${"\r".repeat(41_208)}10 %\r20 %\r100 %\r\ndone\r\n`)).toEqual(["100 %", "done"]);
});

it("shows marks of direction instead of obeying them", () => {
  expect(showBidi("rm \u202egpj.exe")).toBe("rm ⟨U+202E⟩gpj.exe");
  expect(plain("a\u2066b")).toEqual(["a⟨U+2066⟩b"]);
});

it("reads a megabyte and unfinished escapes in no time", () => {
  expect(ansiLines("x\n".repeat(500_000))).toHaveLength(500_000);
  expect(ansiLines("\u001b[".repeat(50_000))).toHaveLength(1);
  expect(ansiLines("\u001b]".repeat(50_000))).toHaveLength(1);
});
