// Prints how many tests passed and failed, from the result files of `go test
// -json` (*.jsonl) and of vitest (*.json) in the folder that it is given, and
// which Go tests passed only when they were run again.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
let passed = 0;
let failed = 0;
const again = [];
for (const name of readdirSync(folder)) {
  const text = readFileSync(join(folder, name), "utf8");
  if (name.endsWith(".jsonl")) {
    const last = new Map(); // how each test ended, the last time that it was run
    for (const line of text.split("\n")) {
      if (line === "") continue;
      const event = JSON.parse(line);
      if (event.Action !== "pass" && event.Action !== "fail") continue;
      // A package that does not build or whose TestMain fails has no test to name.
      if (!event.Test && !event.FailedBuild) continue;
      const test = `${event.Package ?? event.ImportPath} ${event.Test ?? ""}`;
      if (event.Action === "pass" && last.get(test) === "fail") again.push(test);
      last.set(test, event.Action);
    }
    for (const action of last.values()) {
      if (action === "pass") passed++;
      else failed++;
    }
  } else if (name.endsWith(".json")) {
    const result = JSON.parse(text);
    passed += result.numPassedTests;
    failed += result.numFailedTests;
  }
}
console.log(`${passed} passed, ${failed} failed`);
for (const test of again) console.log(`failed, and passed when it was run again: ${test}`);
