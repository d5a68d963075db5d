import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, violations, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let visitor: Visitor;
let chat: string;

const early = "text about a capercaillie";

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  visitor = await Visitor.come(browser);
  await visitor.setUp(daemon.setupLink);
  await visitor.begin(daemon.url, early);
  await visitor.done();
  for (let n = 2; n <= 9; n += 1) {
    await visitor.send(`text number ${n}`);
    await visitor.done();
  }
  await visitor.send("text about a capercaillie again");
  await visitor.done();
  chat = new URL(visitor.page.url()).pathname;
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

/** Comes to the chat anew, so that only its last page is held. */
async function anew(): Promise<void> {
  await visitor.page.goto(daemon.url);
  await visitor.page.goto(daemon.url + chat);
  await visitor.thread.getByText("capercaillie again").waitFor();
}

const pages = () => visitor.requests.filter((url) => url.includes("/events?before=")).length;

describe("in a chat of which only the end is held", () => {
  it("Ctrl+F finds what is not loaded, goes there and comes back", async () => {
    const { page } = visitor;
    await anew();
    await page.keyboard.press("Control+f");
    const field = page.getByRole("textbox", { name: "Find in this chat" });
    await field.fill("capercaillie");
    await page.getByText("2 of 2").waitFor();
    await page.locator("[data-marked=true]").getByText("capercaillie again").waitFor();
    expect(await violations(page)).toEqual([]);
    const before = pages();
    await field.press("Shift+Enter");
    await page.getByText("1 of 2").waitFor();
    await page.locator("[data-marked=true]").getByText(early, { exact: true }).waitFor();
    expect(pages()).toBeGreaterThan(before);
    await expect.poll(() => page.evaluate(() => CSS.highlights.get("find")?.size ?? 0)).toBeGreaterThan(0);
    await field.press("Enter");
    await page.locator("[data-marked=true]").getByText("capercaillie again").waitFor();
    await field.fill("okapi");
    await page.getByText("Nothing found").waitFor();
    await field.press("Escape");
    await field.waitFor({ state: "detached" });
    await expect.poll(() => visitor.focused()).toBe("composer");
  });

  it("an address leads to a place far up, and reading goes on from there to the end", async () => {
    const { page } = visitor;
    const outline = await page.evaluate(async (path) => (await fetch(`/api${path}/prompts`)).json(), chat);
    await page.goto(daemon.url);
    await page.goto(`${daemon.url}${chat}#e${outline.prompts[0].seq}`);
    await page.locator("[data-marked=true]").getByText(early, { exact: true }).waitFor();
    await page.getByRole("button", { name: /ump to latest$/ }).waitFor();
    await visitor.thread.getByText("number 2", { exact: false }).first().waitFor();
    // Down to the end, page by page, without a prompt that is missing.
    const seen = new Set<string>();
    await expect
      .poll(
        async () => {
          const texts = await visitor.thread.getByRole("article", { name: /^Prompt/ }).allInnerTexts();
          for (const text of texts) seen.add(/number \d|capercaillie( again)?/.exec(text)?.[0] ?? "");
          await page.locator(".thread").evaluate((box) => box.scrollBy(0, box.clientHeight / 2));
          return seen.has("capercaillie again");
        },
        { timeout: 60_000, interval: 50 },
      )
      .toBe(true);
    for (let n = 2; n <= 9; n += 1) expect(seen).toContain(`number ${n}`);
  });

  it("[ goes to prompts that are not held, and the prompt of what is read stays in sight", async () => {
    const { page } = visitor;
    await anew();
    await page.locator("[data-station]").last().focus();
    const name = () => page.evaluate(() => document.activeElement?.closest("[data-row]")?.textContent ?? "");
    for (let n = 0; n < 9; n += 1) {
      const now = await name();
      await page.keyboard.press("[");
      await expect.poll(name).not.toBe(now);
      await expect.poll(name).not.toBe("");
    }
    expect(await name()).toContain(early);
    await page.locator(".thread").evaluate((box) => box.scrollBy(0, 260));
    const sticky = page.getByRole("button", { name: /^Back to the prompt/ });
    await sticky.waitFor();
    expect(await violations(page)).toEqual([]);
    await sticky.click();
    await sticky.waitFor({ state: "detached" });
    visitor.expectClean(daemon.url);
  });
});
