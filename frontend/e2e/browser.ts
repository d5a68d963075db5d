import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { expect } from "vitest";

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A phone, a tablet and a desktop, upright as they are used. */
export const sizes = [
  [360, 740],
  [768, 1024],
  [1440, 900],
] as const;

export const themes = ["light", "dark"] as const;

/** How long a page may take to show what it is to show, also on a machine with much other work. */
const patience = 60_000;

/** What the network refuses is told to the person by the page itself; of what TLS alone gives there is no more to say. */
const usual = /^Failed to load resource|^The Cross-Origin-Opener-Policy header has been ignored/;

/** Lets a test hold back what the page's sockets receive. */
const holdable = `
  const held = [];
  let holding = false;
  window.holdMessages = (on) => {
    holding = on;
    while (!on && held.length > 0) held.shift()();
  };
  const Own = window.WebSocket;
  window.WebSocket = class extends Own {
    set onmessage(f) {
      super.onmessage = f && ((e) => (holding ? held.push(() => f.call(this, e)) : f.call(this, e)));
    }
    get onmessage() { return super.onmessage; }
  };
`;

/** The letters of a ULID; the first ten of them are its milliseconds. */
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The least id of a station whose run began now or later: the ids of runs sort by time. */
function stationFrom(ms: number): string {
  const time = Array.from({ length: 10 }, (_, i) => letters[Math.floor(ms / 32 ** (9 - i)) % 32]);
  return `station-r_${time.join("")}`;
}

export function launch(...more: readonly string[]): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: [...flags, ...more] });
}

/** A person at a browser of their own. */
export class Visitor {
  readonly page: Page;
  readonly requests: string[] = [];
  readonly #faults: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on("request", (request) => this.requests.push(request.url()));
    page.on("pageerror", (error) => this.#faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !usual.test(message.text())) this.#faults.push(message.text());
    });
  }

  static async come(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(patience);
    return new Visitor(await context.newPage());
  }

  /** The same person in another window, with the session of this one. */
  async again(options: BrowserContextOptions = {}): Promise<Visitor> {
    const context = this.page.context();
    const browser = context.browser();
    if (browser === null) throw new Error("the window has no browser");
    return Visitor.come(browser, { storageState: await context.storageState(), ...options });
  }

  /** Makes `hold` possible; to be called before the first page. */
  async holdable(): Promise<void> {
    await this.page.addInitScript(holdable);
  }

  /** Holds back what the page's sockets receive, or lets it in. */
  async hold(on: boolean): Promise<void> {
    await this.page.evaluate(`holdMessages(${on})`);
  }

  /** Nothing went wrong in the page, and nothing was loaded from elsewhere. */
  expectClean(...origins: readonly string[]): void {
    expect(this.#faults.filter((f) => !f.includes("WebSocket connection"))).toEqual([]);
    const foreign = this.requests.filter(
      (url) => !url.startsWith("data:") && !origins.includes(new URL(url).origin),
    );
    expect(foreign).toEqual([]);
  }

  async leave(): Promise<void> {
    await this.page.context().close();
  }

  get prompt() {
    return this.page.getByRole("textbox", { name: "Prompt" });
  }

  get thread() {
    return this.page.getByRole("region", { name: "Conversation" });
  }

  async setUp(link: string, name = "siskin", password = "a long and simple phrase"): Promise<void> {
    await this.page.goto(link);
    await this.page.getByLabel("Name").fill(name);
    await this.page.getByLabel("Password").fill(password);
    await this.page.getByRole("button", { name: "Create account" }).click();
    await this.prompt.waitFor();
  }

  async signIn(url: string, name = "siskin", password = "a long and simple phrase"): Promise<void> {
    await this.page.goto(url);
    await this.page.getByLabel("Name").fill(name);
    await this.page.getByLabel("Password").fill(password);
    await this.page.getByRole("button", { name: "Sign in" }).click();
    await this.prompt.waitFor();
  }

  /** Comes to a chat, and waits until its end is drawn. */
  async open(url: string): Promise<void> {
    await this.page.goto(url);
    await this.page.locator("[data-station]").first().waitFor();
  }

  /** Sends a prompt and waits until the log has it. */
  async send(text: string): Promise<void> {
    await this.prompt.fill(text);
    await this.begun(() => this.prompt.press("Enter"));
  }

  /** Sends a prompt in a chat of its own, and returns the address of that. */
  async begin(home: string, text: string): Promise<string> {
    await this.page.goto(home);
    await this.send(text);
    await this.page.waitForURL(/\/chats\//);
    return this.page.url();
  }

  /** Does what begins a run, and waits until its prompt is drawn from the log. */
  async begun(act: () => Promise<unknown>): Promise<void> {
    const from = stationFrom(Date.now());
    await act();
    await this.page.waitForFunction(
      (least) => [...document.querySelectorAll("[data-station]")].some((s) => s.id > least),
      from,
    );
  }

  /** The id of the last station that is drawn: rows far from the view are not, so they cannot be counted. */
  async lastStation(): Promise<string> {
    const ids = await this.page.locator("[data-station]").evaluateAll((all) => all.map((s) => s.id));
    return ids.at(-1) ?? "";
  }

  /** The last run of what is drawn: what earlier ones said is not taken for what it says. */
  get last() {
    return this.thread.locator("[data-run]").last();
  }

  /** What was just done, in a word that goes after a while; not while the pointer rests on it. */
  async told(text: string | RegExp): Promise<Locator> {
    const word = this.page.getByRole("status").locator("> div").filter({ hasText: text });
    await word.hover();
    return word;
  }

  /** The id of what has the focus. */
  focused(): Promise<string> {
    return this.page.evaluate(() => document.activeElement?.id ?? "");
  }

  /** Takes the focus off whatever has it, for keys that are meant for the page. */
  async blur(): Promise<void> {
    await this.page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
  }

  /** Scrolls up until something is there: rows far from the view are not drawn. */
  async scrollUpTo(wanted: Locator): Promise<void> {
    for (let tries = 0; tries < 200 && (await wanted.count()) === 0; tries += 1) {
      await this.page.locator(".thread").evaluate((box) => {
        box.scrollBy(0, -box.clientHeight);
        return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      });
    }
    await wanted.first().waitFor();
  }

  /** The button that stops the run, and nothing else that has the word in its name. */
  get stop() {
    return this.page.getByRole("form").getByRole("button", { name: /^Stop/ });
  }

  /** Stops the run by Escape, which counts when it is pressed twice within a short time. */
  async stopByEscape(): Promise<void> {
    await expect
      .poll(
        async () => {
          await this.page.keyboard.press("Escape");
          return this.stop.count();
        },
        { interval: 500 },
      )
      .toBe(0);
    await this.page
      .getByRole("status")
      .filter({ hasText: /^Stopped after/ })
      .waitFor({ state: "attached" });
  }

  /** Ends the run, which may do so by itself meanwhile. */
  async end(): Promise<void> {
    await expect
      .poll(async () => {
        await this.stop.click({ timeout: 1_000 }).catch(() => undefined);
        return this.stop.count();
      })
      .toBe(0);
    await this.done();
  }

  /** Waits for the end of the last run, which is told to all, also to those who read elsewhere. */
  async done(): Promise<void> {
    await this.page
      .getByRole("status")
      .filter({ hasText: /^(Done in|Stopped after|Failed after|Interrupted)/ })
      .waitFor({ state: "attached" });
    await this.stop.waitFor({ state: "detached" });
  }

  /** What the thread says from its beginning to its end, whatever of it is drawn, without the times that pass. */
  async read(): Promise<string> {
    const rows = await this.page.locator(".thread").evaluate(async (box) => {
      const read = new Map<string, string>();
      const drawn = () => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
      box.scrollTo(0, 0);
      for (let last = -1; last !== box.scrollTop;) {
        await drawn();
        for (const row of box.querySelectorAll<HTMLElement>("[data-row]"))
          read.set(row.dataset["row"] ?? "", row.innerText);
        last = box.scrollTop;
        box.scrollBy(0, box.clientHeight);
      }
      return [...read.values()];
    });
    return rows.join(" ").replace(/\s+/g, " ").trim();
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Violation = {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
};

/** What axe finds wrong in the page as it stands, or in one layer of it. */
export async function violations(page: Page, layer = ""): Promise<readonly string[]> {
  await page.evaluate(() =>
    Promise.all(document.getAnimations().flatMap((a) => (a instanceof CSSTransition ? [a.finished] : []))),
  );
  const within = layer === "" ? "document" : `document.querySelector('${layer}')`;
  const found: readonly Violation[] = await page.evaluate(
    `(async () => { if (!window.axe) { ${axe} } ; return (await axe.run(${within}, { rules: { "target-size": { enabled: true } } })).violations })()`,
  );
  return found.flatMap((v) =>
    v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)}\n${n.failureSummary ?? ""}`),
  );
}

/** How far the page sticks out of its window. */
export async function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
