// A reporter of vitest: writes to the file $FAILED in which files a test failed, one
// a line, below the folder of the page. Nothing is written if those are more than a
// busy machine accounts for, or if something broke that belongs to no test: an error
// beside them, a process that ended, a run that was broken off.
import { writeFileSync } from "node:fs";

const most = 3;

export default class Failed {
  onTestRunEnd(modules, errors, reason) {
    const files = modules.filter((file) => file.state() !== "passed" && file.state() !== "skipped");
    if (reason !== "failed" || errors.length > 0 || files.length === 0 || files.length > most) return;
    writeFileSync(process.env.FAILED, files.map((file) => `${file.relativeModuleId}\n`).join(""));
  }
}
