import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** The scripted model API, in a process of its own. */
export class Model {
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  static async start(): Promise<Model> {
    const child = spawn(process.env["MODELSERVER_BIN"] ?? "", [], { stdio: ["ignore", "pipe", "inherit"] });
    if (child.stdout === null) throw new Error("no output");
    const [line]: unknown[] = await once(child.stdout, "data");
    const { url }: { readonly url: string } = JSON.parse(String(line));
    return new Model(child, url);
  }

  stop(): void {
    this.#process.kill();
  }
}
