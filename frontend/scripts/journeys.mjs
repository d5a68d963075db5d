// Checks docs/journeys.md: every row names tests that exist, one of them in a browser, and every requirement
// from A65 to A106 has a row. A row ends with the tests that show it: a file, below frontend, then the names in
// it, or how they begin, each in back quotes. A file is of tests in a browser if it drives one.
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
  let file = null;
  let tests = 0;
  for (const [, word] of (cells.at(-1) ?? "").matchAll(/`([^`]+)`/g)) {
    if (/\.test\.tsx?$/.test(word)) {
      const text = existsSync(root + word) ? readFileSync(root + word, "utf8") : "";
      if (text === "") faults.push(`${at}: there is no frontend/${word}`);
      file = { text, driven: word.startsWith("e2e/") && /from "\.\.?\/browser"/.test(text) };
    } else if (file === null) faults.push(`${at}: "${word}" is of no file`);
    else if (!file.text.includes(`"${word}`)) faults.push(`${at}: no test is named "${word}"`);
    else if (file.driven) tests += 1;
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
