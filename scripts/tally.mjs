// Prints how many tests passed and failed, from the result files of `go test
// -json` (*.jsonl) and of vitest (*.json) in the folder that it is given.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
let passed = 0;
let failed = 0;
for (const name of readdirSync(folder)) {
  const text = readFileSync(join(folder, name), "utf8");
  if (name.endsWith(".jsonl")) {
    for (const line of text.split("\n")) {
      if (line === "") continue;
      const event = JSON.parse(line);
      if (event.Action === "pass" && event.Test) passed++;
      // A package that does not build or whose TestMain fails has no test to name.
      if (event.Action === "fail" && (event.Test || event.FailedBuild)) failed++;
    }
  } else if (name.endsWith(".json")) {
    const result = JSON.parse(text);
    passed += result.numPassedTests;
    failed += result.numFailedTests;
  }
}
console.log(`${passed} passed, ${failed} failed`);
