import { freePort } from "../daemon";
import { Driver } from "./driver";
import { BrowserProcess } from "./process";

type Answer = { readonly value: unknown };

const hasValue = (body: unknown): body is Answer =>
  typeof body === "object" && body !== null && "value" in body;

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? Object.entries(value).find(([k]) => k === name)?.[1]
    : undefined;

async function call(url: string, method: string, body: object): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    headers: { "content-type": "application/json" },
    ...(method === "POST" ? { body: JSON.stringify(body) } : {}),
  });
  const said: unknown = await answer.json();
  const value = hasValue(said) ? said.value : undefined;
  if (!answer.ok) throw new Error(`${method} ${url}: ${String(field(value, "message"))}`);
  return value;
}

/** WebKitGTK by its own driver, on a display of its own. */
export async function webkit(program: string, browserProgram: string): Promise<Driver> {
  const port = await freePort();
  const browser = new BrowserProcess("xvfb-run", () => [
    "-a",
    "-s",
    "-screen 0 1400x1000x24",
    program,
    `--port=${port}`,
  ]);
  const root = `http://127.0.0.1:${port}`;
  await browser.ready(() => call(`${root}/status`, "GET", {}));
  const session = field(
    await call(`${root}/session`, "POST", {
      capabilities: {
        alwaysMatch: { "webkitgtk:browserOptions": { binary: browserProgram, args: ["--automation"] } },
      },
    }),
    "sessionId",
  );
  const at = `${root}/session/${String(session)}`;
  return new Driver(
    (_command, method, path, body) => call(at + path, method, body),
    async () => {
      await call(at, "DELETE", {}).catch(() => undefined); // ended below in any case
      await browser.end();
    },
  );
}
