// Checks docs/journeys.md: every row names tests that exist, one of them in a browser, and every requirement
// from A65 to A106 has a row. A row ends with the tests that show it: a file, below frontend, then the names in
// it, each in back quotes.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const faults = [];
const seen = new Set();

/** The numbers in "A84 to A87, A90". */
function* requirements(text) {
  for (const [, from, to = from] of text.matchAll(/\bA(\d+)(?: to A(\d+))?/g))
    for (let n = Number(from); n <= Number(to); n += 1) yield n;
}

const rows = readFileSync(`${root}../docs/journeys.md`, "utf8")
  .split("\n")
  .map((line, i) => ({ line, at: i + 1 }))
  .filter(({ line }) => line.startsWith("| ") && !line.startsWith("| id |"));

for (const { line, at } of rows) {
  const cells = line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
  for (const n of requirements(cells[0] ?? "")) seen.add(n);
  let text = null;
  let tests = 0;
  for (const [, word] of (cells.at(-1) ?? "").matchAll(/`([^`]+)`/g)) {
    if (/\.test\.tsx?$/.test(word)) {
      text = existsSync(root + word) ? readFileSync(root + word, "utf8") : null;
      if (text === null) faults.push(`${at}: there is no frontend/${word}`);
      else if (word.startsWith("e2e/")) tests += 1;
    } else if (text !== null && !text.includes(word)) faults.push(`${at}: no test is named "${word}"`);
  }
  if (tests === 0) faults.push(`${at}: the row names no test in a browser`);
}
for (let n = 65; n <= 106; n += 1) {
  if (!seen.has(n)) faults.push(`A${n} has no row`);
}

if (faults.length > 0) {
  console.error(`docs/journeys.md:\n${faults.join("\n")}`);
  process.exit(1);
}
