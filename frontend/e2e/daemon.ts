import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A port that nobody listens on. It is none of those that the system gives to connections, which could
 * take it while a daemon that keeps it is restarted.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!free) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** How long a daemon may take until it answers, also on a machine with much other work. */
const patience = 60_000;

/** No agent but the demo, also where one is installed on the machine. */
const noAgents = ["claude", "codex", "kimi"]
  .map((id) => `[providers.${id}]\npath = "/nowhere/${id}"\n`)
  .join("\n");

type Options = {
  /** The text of signalbox.toml; by default only the demo agent is there. */
  readonly settings?: string;
  /** How browsers reach the daemon, if not at its address. */
  readonly url?: string;
};

/** A real daemon with a data folder of its own, on a port that it keeps over restarts. */
export class Daemon {
  readonly dir = mkdtempSync(join(tmpdir(), "signalbox-e2e-"));
  readonly port: number;
  readonly #options: Options;
  #process: ChildProcess | null = null;
  #output = "";

  private constructor(port: number, options: Options) {
    this.port = port;
    this.#options = options;
    writeFileSync(join(this.dir, "signalbox.toml"), options.settings ?? noAgents, { mode: 0o600 });
  }

  static async start(options: Options = {}): Promise<Daemon> {
    const daemon = new Daemon(await freePort(), options);
    await daemon.start();
    return daemon;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The link for the first account, as the daemon printed it. */
  get setupLink(): string {
    const link = /http\S+\/setup#\S+/.exec(this.#output)?.[0];
    if (link === undefined) throw new Error(`no set-up link in:\n${this.#output}`);
    return link;
  }

  /** Makes an account, as somebody at the server would. */
  addUser(name: string, password: string, ...flags: readonly string[]): void {
    const bin = process.env["SIGNALBOX_BIN"];
    if (bin === undefined) throw new Error("SIGNALBOX_BIN is not set");
    execFileSync(bin, ["user", "add", name, ...flags, "--password-stdin"], {
      cwd: this.dir,
      env: this.#env,
      input: `${password}\n`,
    });
  }

  get #env(): NodeJS.ProcessEnv {
    return {
      PATH: process.env["PATH"],
      HOME: this.dir,
      TZ: process.env["TZ"] ?? "UTC",
      SIGNALBOX_DATA: join(this.dir, "data"),
      SIGNALBOX_CONFIG: join(this.dir, "signalbox.toml"),
    };
  }

  async start(): Promise<void> {
    const bin = process.env["SIGNALBOX_BIN"];
    if (bin === undefined) throw new Error("SIGNALBOX_BIN is not set");
    const url = this.#options.url;
    const child = spawn(
      bin,
      ["serve", "--addr", `127.0.0.1:${this.port}`, ...(url === undefined ? [] : ["--url", url])],
      {
        cwd: this.dir,
        env: this.#env,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    this.#process = child;
    child.stdout.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
    for (const from = Date.now(); ;) {
      const answer = await fetch(`${this.url}/api/health`).catch(() => null);
      if (answer?.ok === true) return;
      if (Date.now() - from > patience || child.exitCode !== null)
        throw new Error(`the daemon does not answer:\n${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Ends it without a word, as a power loss would. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 10 });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null || child.exitCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }
}
