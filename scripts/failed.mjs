// Prints the files of a vitest report (*.json) in which something failed, one a
// line, below the folder of the page. Fails if those are more than a busy
// machine accounts for.
import { readFileSync } from "node:fs";

const most = 3;

const { testResults } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const files = testResults.filter((file) => file.status === "failed").map((file) => file.name.replace(/^.*\/frontend\//, ""));
if (files.length === 0 || files.length > most) process.exit(1);
console.log(files.join("\n"));
