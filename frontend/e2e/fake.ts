import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Daemon } from "./daemon";

export const captures = fileURLToPath(new URL("../../backend/agent/claude/testdata/", import.meta.url));

/** What the fake agent is to do; see package fake. */
type Script = Readonly<Record<string, unknown>>;

/** A daemon whose Claude Code is the fake agent, which plays what it is told to before a prompt is sent. */
export class Fake {
  readonly daemon: Daemon;
  readonly #file: string;

  private constructor(daemon: Daemon, file: string) {
    this.daemon = daemon;
    this.#file = file;
  }

  static async start(dir: string): Promise<Fake> {
    const file = join(dir, "script.json");
    writeFileSync(file, "{}");
    const daemon = await Daemon.start({
      settings: [
        `[providers.claude]\npath = ${JSON.stringify(process.env["FAKEAGENT_BIN"] ?? "")}`,
        `[providers.claude.env]\nFAKEAGENT_FILE = ${JSON.stringify(file)}`,
        ...["codex", "kimi"].map((id) => `[providers.${id}]\npath = "/nowhere/${id}"`),
      ].join("\n"),
    });
    return new Fake(daemon, file);
  }

  play(script: Script): void {
    writeFileSync(this.#file, JSON.stringify(script));
  }

  /** What Claude Code once printed, as it was captured. */
  playCapture(name: string, more: Script = {}): void {
    this.play({ capture: captures + name, resumeCapture: captures + name, ...more });
  }
}
