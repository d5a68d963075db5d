// Prints how many tests passed and failed, from the result files of `go test
// -json` (*.jsonl) and of vitest (*.json) in the folder that it is given, and
// which tests passed only when they were run again. What was run again with
// x.json is in x-again.json.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
let passed = 0;
let failed = 0;
const again = [];

/** What `go test -json` tells, line by line: each test and whether it passed. */
function* readGo(text) {
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const event = JSON.parse(line);
    if (event.Action !== "pass" && event.Action !== "fail") continue;
    // A package that does not build or whose TestMain fails has no test to name.
    if (!event.Test && !event.FailedBuild) continue;
    yield [`${event.Package ?? event.ImportPath} ${event.Test ?? ""}`, event.Action === "pass"];
  }
}

/** What vitest reports. A test that was left out did not end. */
function* readPage(text) {
  for (const { name, status: whole, assertionResults } of JSON.parse(text).testResults) {
    const file = name.replace(/^.*\/frontend\//, "");
    // A file that does not load, or whose beginning fails, has no test to name.
    if (whole === "passed") yield [file, true, "file"];
    else if (!assertionResults.some(({ status }) => status === "failed")) yield [file, false, "file"];
    for (const { fullName, status } of assertionResults)
      if (status === "passed" || status === "failed") yield [`${file} ${fullName}`, status === "passed"];
  }
}

/** What a report tells, and after it the one of what was run again. */
function* read(name) {
  const text = readFileSync(join(folder, name), "utf8");
  if (name.endsWith(".jsonl")) return yield* readGo(text);
  yield* readPage(text);
  const more = name.replace(/\.json$/, "-again.json");
  if (existsSync(join(folder, more))) yield* readPage(readFileSync(join(folder, more), "utf8"));
}

for (const name of readdirSync(folder)) {
  if (!/\.jsonl?$/.test(name) || name.endsWith("-again.json")) continue;
  const last = new Map(); // how each test ended, the last time that it was run
  for (const [test, good, what] of read(name)) {
    // A file counts as one of the tests only where it failed by itself.
    if (what === "file" && good && !last.has(test)) continue;
    if (good && last.get(test) === false) again.push(test);
    last.set(test, good);
  }
  for (const good of last.values()) {
    if (good) passed++;
    else failed++;
  }
}
console.log(`${passed} passed, ${failed} failed`);
for (const test of again) console.log(`failed, and passed when it was run again: ${test}`);
