import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A browser's process, alone in its process group, with a folder of its own as its home. */
export class BrowserProcess {
  readonly dir = mkdtempSync(join(tmpdir(), "signalbox-engine-"));
  readonly #child: ChildProcess;
  #output = "";

  constructor(program: string, args: (dir: string) => readonly string[]) {
    this.#child = spawn(program, args(this.dir), {
      env: { PATH: process.env["PATH"], HOME: this.dir, TZ: process.env["TZ"] ?? "UTC", LANG: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.#output = (this.#output + chunk.toString()).slice(-4000)));
    }
  }

  /** Tries until the browser is ready for it. */
  async ready<T>(attempt: () => T | Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (tries > 600 || this.#child.exitCode !== null) {
          throw new Error(`the browser does not answer:\n${this.#output}`, { cause: error });
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async end(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined) {
      const gone = once(this.#child, "exit");
      process.kill(-this.#child.pid, "SIGKILL");
      await gone;
    }
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
