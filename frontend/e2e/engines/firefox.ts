import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { Driver } from "./driver";
import { BrowserProcess } from "./process";

const preferences = {
  "marionette.port": 0,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "toolkit.telemetry.reportingpolicy.firstRun": false,
  "app.update.disabledForTesting": true,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
};

type Reply = readonly [kind: number, id: number, error: { message: string } | null, result: unknown];

const isReply = (value: unknown): value is Reply => Array.isArray(value) && value.length === 4;

/** Marionette: a length, a colon and JSON, one command at a time. */
class Marionette {
  readonly #socket: Socket;
  readonly #messages: unknown[] = [];
  #rest = Buffer.alloc(0);
  #wake = () => {};
  #last = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => {
      this.#rest = Buffer.concat([this.#rest, chunk]);
      this.#read();
    });
  }

  static async connect(port: number): Promise<Marionette> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    const marionette = new Marionette(socket);
    await marionette.#next(); // says who it is
    return marionette;
  }

  #read(): void {
    for (;;) {
      const colon = this.#rest.indexOf(":");
      const end = colon + 1 + Number(this.#rest.subarray(0, Math.max(colon, 0)).toString());
      if (colon < 0 || this.#rest.length < end) return;
      this.#messages.push(JSON.parse(this.#rest.subarray(colon + 1, end).toString()));
      this.#rest = this.#rest.subarray(end);
      this.#wake();
    }
  }

  async #next(): Promise<unknown> {
    while (this.#messages.length === 0) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#messages.shift();
  }

  async send(command: string, body: object): Promise<unknown> {
    this.#last += 1;
    const text = JSON.stringify([0, this.#last, `WebDriver:${command}`, body]);
    this.#socket.write(`${Buffer.byteLength(text)}:${text}`);
    const reply = await this.#next();
    if (!isReply(reply)) throw new Error(`not a reply: ${JSON.stringify(reply)}`);
    if (reply[2] !== null) throw new Error(`${command}: ${reply[2].message}`);
    const result = reply[3];
    return typeof result === "object" && result !== null && "value" in result ? result.value : result;
  }

  close(): void {
    this.#socket.destroy();
  }
}

export async function firefox(program: string): Promise<Driver> {
  const browser = new BrowserProcess(program, (dir) => {
    const lines = Object.entries(preferences).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    );
    writeFileSync(join(dir, "user.js"), lines.join("\n"));
    return ["--headless", "--marionette", "--no-remote", "--profile", dir];
  });
  const marionette = await browser.ready(async () => {
    const port = Number(readFileSync(join(browser.dir, "MarionetteActivePort"), "utf8"));
    return Marionette.connect(port);
  });
  await marionette.send("NewSession", {});
  return new Driver(
    (command, _method, _path, body) => marionette.send(command, body),
    async () => {
      marionette.close();
      await browser.end();
    },
  );
}
