import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Builds the page and the daemon that the journeys run, unless SIGNALBOX_BIN names one. */
export default function build(): void {
  if (process.env["SIGNALBOX_BIN"] === undefined) {
    execFileSync("scripts/build", { cwd: root, stdio: "inherit" });
    process.env["SIGNALBOX_BIN"] = `${root}bin/signalbox`;
  }
  for (const [name, variable] of [
    ["fakeagent", "FAKEAGENT_BIN"],
    ["modelserver", "MODELSERVER_BIN"],
  ] as const) {
    execFileSync("go", ["build", "-o", `bin/${name}`, `./cmd/${name}`], { cwd: root, stdio: "inherit" });
    process.env[variable] = `${root}bin/${name}`;
  }
}
