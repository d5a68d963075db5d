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

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: flags });
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
      // What the network refuses is told to the person by the page itself.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        this.#faults.push(message.text());
      }
    });
  }

  static async come(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    return new Visitor(await context.newPage());
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

  /** Sends a prompt and waits until the log has it. */
  async send(text: string): Promise<void> {
    const before = await this.lastStation();
    await this.prompt.fill(text);
    await this.prompt.press("Enter");
    await this.page.waitForFunction(
      (last) => [...document.querySelectorAll("[data-station]")].at(-1)?.id !== last,
      before === "" ? undefined : before,
    );
  }

  /** The id of the last station that is drawn: rows far from the view are not, so they cannot be counted. */
  async lastStation(): Promise<string> {
    const ids = await this.page.locator("[data-station]").evaluateAll((all) => all.map((s) => s.id));
    return ids.at(-1) ?? "";
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
