import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".tsx") && !name.endsWith(".test.tsx"),
);

/** Values that belong into the tokens: colours, pixels, layers. */
const raw = /(?:\[#[0-9a-f]|\[(?:rgb|hsl|oklch)|-\[-?\d+px\]|\bz-\d|\bz-\[)/i;

it("components use tokens, no raw colours, pixels or layers", () => {
  const found = sources.flatMap((name) =>
    readFileSync(`src/${name}`, "utf8")
      .split("\n")
      .flatMap((line, i) => (raw.test(line) ? [`${name}:${i + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});

it("nothing is drawn from HTML text", () => {
  const found = sources.filter((name) =>
    readFileSync(`src/${name}`, "utf8").includes("dangerouslySetInnerHTML"),
  );
  expect(found).toEqual([]);
});
