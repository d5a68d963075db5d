import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Daemon } from "./daemon";

/** Where what an agent once printed lies, without the ends of its files. */
export function captured(name: string, agent = "claude"): string {
  return fileURLToPath(new URL(`../../backend/agent/${agent}/testdata/${name}`, import.meta.url));
}

/** What the fake agent is to do; see package fake. */
type Script = Readonly<Record<string, unknown>>;

/** What the agents that can be played say when they are asked for their version. */
const versions = { claude: "2.1.332 (Claude Code)", codex: "codex-cli 0.171.0" };
type Played = keyof typeof versions;

/** A daemon some of whose agents are the fake one, which plays what it is told to before a prompt is sent. */
export class Fake {
  readonly daemon: Daemon;
  readonly #dir: string;

  private constructor(daemon: Daemon, dir: string) {
    this.daemon = daemon;
    this.#dir = dir;
  }

  static async start(dir: string, agents: readonly Played[] = ["claude"]): Promise<Fake> {
    for (const agent of agents) tell(dir, agent, {});
    const away = ["claude", "codex", "kimi"].filter((id) => !agents.some((agent) => agent === id));
    const daemon = await Daemon.start({
      settings: [
        ...agents.flatMap((id) => [
          `[providers.${id}]\npath = ${JSON.stringify(process.env["FAKEAGENT_BIN"] ?? "")}`,
          `[providers.${id}.env]\nFAKEAGENT_FILE = ${JSON.stringify(scriptOf(dir, id))}`,
          'OPENAI_API_KEY = "sk-played"',
        ]),
        ...away.map((id) => `[providers.${id}]\npath = "/nowhere/${id}"`),
      ].join("\n"),
    });
    return new Fake(daemon, dir);
  }

  play(script: Script, agent: Played = "claude"): void {
    tell(this.#dir, agent, script);
  }

  /** What an agent once printed, as it was captured. */
  playCapture(name: string, more: Script = {}, agent: Played = "claude"): void {
    const capture = captured(name, agent);
    this.play({ capture, resumeCapture: capture, ...more }, agent);
  }
}

/** The file that tells an agent what to play. */
const scriptOf = (dir: string, agent: Played): string => join(dir, `${agent}.json`);

function tell(dir: string, agent: Played, script: Script): void {
  writeFileSync(scriptOf(dir, agent), JSON.stringify({ version: versions[agent], ...script }));
}
