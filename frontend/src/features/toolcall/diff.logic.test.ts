import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffOfChanges, diffOfInput, diffOfPatch, diffTexts } from "./diff.logic";

const line = fc.constantFrom("a", "b", "c", "", "  d");
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((l) => `${l}\n`).join(""));

describe("diffTexts", () => {
  it("keeps what is the same, and gives back both texts", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { lines, added, removed } = diffTexts(before, after);
        const changed = (kind: string) => lines.filter((l) => l.kind === kind).map((l) => l.text);
        const count = (of: string) => (of === "" ? 0 : of.split("\n").length - 1);
        expect(count(before) - removed).toBe(count(after) - added);
        expect(changed("add")).toHaveLength(added);
        expect(changed("del")).toHaveLength(removed);
        if (before === after) expect(added + removed).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it("marks whole characters, also where two of them begin alike", () => {
    const { lines } = diffTexts("all is well 😀 now\n", "all is well 😁 now\n");
    expect(lines.map((l) => l.text.slice(...(l.word ?? [0, 0])))).toEqual(["😀", "😁"]);
  });

  it("numbers lines and marks the words that changed", () => {
    const { lines } = diffTexts("one\nreturn ack(ctx, id)\nend\n", "one\nreturn ack(actx, id)\nend\n", 141);
    expect(lines.map((l) => [l.kind, l.line])).toEqual([
      ["same", 141],
      ["del", 142],
      ["add", 142],
      ["same", 143],
    ]);
    const [, del, add] = lines;
    expect(add?.text.slice(...(add.word ?? [0, 0]))).toBe("a");
    expect(del?.word).toBeDefined();
  });

  it("does not take lines that share nothing for a changed one", () => {
    const { lines } = diffTexts("alpha\n", "omega!\n");
    expect(lines.every((l) => l.word === undefined)).toBe(true);
  });

  it("compares very long texts in bounded time", () => {
    const long = (c: string) => Array.from({ length: 5_000 }, (_, i) => `${c}${i}\n`).join("");
    expect(diffTexts(long("a"), long("b"))).toMatchObject({ added: 5_000, removed: 5_000 });
  });
});

describe("a patch", () => {
  it("is read with the numbers of the file", () => {
    const diff = diffOfPatch({
      structuredPatch: [
        { oldStart: 4, newStart: 4, lines: [" same", "-old", "+new", "\\ No newline at end of file"] },
        { oldStart: 20, newStart: 20, lines: ["+more"] },
      ],
    });
    expect(diff?.lines.map((l) => [l.kind, l.line])).toEqual([
      ["same", 4],
      ["del", 5],
      ["add", 5],
      ["fold", 0],
      ["add", 20],
    ]);
  });

  it.each([null, undefined, 1, "x", {}, { structuredPatch: {} }, { structuredPatch: [] }])(
    "is none in %j",
    (detail) => {
      expect(diffOfPatch(detail)).toBeNull();
    },
  );

  it("is made of the input where there is none yet, a piece for each edit", () => {
    const edits = [
      { old_string: "a", new_string: "b" },
      { old_string: "c", new_string: "d" },
    ];
    expect(diffOfInput({ edits })?.lines.filter((l) => l.kind === "fold")).toHaveLength(1);
    expect(diffOfInput({ old_string: "a", new_string: "b" })).toMatchObject({ added: 1, removed: 1 });
    expect(diffOfInput({})).toBeNull();
  });
});

describe("diffOfChanges", () => {
  const change = (path: string, type: string, diff: string) => ({ path, kind: { type }, diff });

  it("reads the hunks of a changed file with their numbers", () => {
    const diff = diffOfChanges({
      changes: [
        change("a.txt", "update", "@@ -1,3 +1,3 @@\n hello\n-second line\n+second line (edited)\n end\n"),
      ],
    });
    expect(diff?.lines.map((l) => [l.kind, l.line, l.text])).toEqual([
      ["same", 1, "hello"],
      ["del", 2, "second line"],
      ["add", 2, "second line (edited)"],
      ["same", 3, "end"],
    ]);
    expect([diff?.added, diff?.removed]).toEqual([1, 1]);
  });

  it("shows a new file and a removed one by their text, with a fold between", () => {
    const diff = diffOfChanges({
      changes: [change("a.txt", "add", "one\ntwo\n"), change("b.txt", "delete", "old\n")],
    });
    expect(diff?.lines.map((l) => l.kind)).toEqual(["add", "add", "fold", "del"]);
  });

  it("has none where there are no changes, whatever is sent", () => {
    for (const odd of [
      null,
      {},
      { changes: null },
      { changes: [null, 3, {}] },
      { changes: [change("a", "update", "no hunk")] },
    ]) {
      expect(diffOfChanges(odd)).toBeNull();
    }
  });
});
