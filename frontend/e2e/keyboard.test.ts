import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let visitor: Visitor;

const password = "a long and simple phrase";

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  const first = await Visitor.come(browser);
  await first.setUp(daemon.setupLink);
  await first.leave();
  visitor = await Visitor.come(browser);
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

/** Presses a key until what is wanted has the focus. */
async function until(key: string, wanted: string): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    const here = await visitor.page.evaluate((selector) => document.activeElement?.matches(selector), wanted);
    if (here === true) return;
    await visitor.page.keyboard.press(key);
  }
  throw new Error(`${wanted} is not reached by ${key}`);
}

const prompts = () => visitor.thread.getByRole("article", { name: /^Prompt by/ });

/** Leaves the composer upward, for what stands before it. */
const leaveField = () => until("Shift+Tab", "[data-station], .thread, .thread *");

it("a whole chat is led by the keyboard alone", async () => {
  const { page } = visitor;
  const { keyboard } = page;

  // Signing in.
  await page.goto(daemon.url);
  await page.getByLabel("Name").waitFor();
  await until("Tab", "input[autocomplete=username]");
  await keyboard.type("siskin");
  await keyboard.press("Tab");
  await keyboard.type(password);
  await keyboard.press("Enter");
  await visitor.prompt.waitFor();

  // A prompt.
  await until("Tab", "#composer");
  await keyboard.type("text about a bittern");
  await keyboard.press("Enter");
  await page.waitForURL(/\/chats\//);
  await visitor.done();
  await expect.poll(() => visitor.focused()).toBe("composer");

  // Stopping.
  await keyboard.type("slow");
  await keyboard.press("Enter");
  await visitor.last.getByText("Slowly, word by word").waitFor();
  await visitor.stopByEscape();

  // A card: the focus stays where one writes, and Tab leads back to the answers.
  await keyboard.type("approve");
  await keyboard.press("Enter");
  const card = page.getByRole("alertdialog");
  await card.waitFor();
  expect(await visitor.focused()).toBe("composer");
  await until("Shift+Tab", "[role=alertdialog] button");
  // A key that is pressed as the card comes is not meant for it.
  await expect
    .poll(async () => {
      await keyboard.press("y");
      return card.count();
    })
    .toBe(0);
  await visitor.thread.getByText("Allowed by siskin").waitFor();
  await visitor.done();

  // Rewinding, and bringing back.
  await leaveField();
  await until("]", `[data-station][id="${await visitor.lastStation()}"]`);
  await keyboard.press("r");
  const ask = page.getByRole("group", { name: /^Rewind to before/ });
  await ask.waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Rewind");
  await keyboard.press("Enter");
  await page
    .getByRole("status")
    .getByRole("button", { name: /^Bring back/ })
    .waitFor();
  // It stays as long as the focus is in it.
  await until("Tab", "[role=status] button");
  await expect.poll(() => prompts().count()).toBe(2);
  await keyboard.press("Enter");
  await expect.poll(() => prompts().count()).toBe(3);

  // Forking.
  const from = page.url();
  await leaveField();
  await keyboard.press("[");
  await keyboard.press("[");
  await keyboard.press("f");
  await page.waitForURL((url) => url.pathname !== new URL(from).pathname);
  await page.getByText("Forked from").waitFor();

  // Searching, from the palette.
  await keyboard.press("Control+k");
  const palette = page.getByRole("dialog");
  await palette.waitFor();
  await keyboard.type("bittern");
  await palette.getByText("In messages").waitFor();
  await keyboard.press("Escape");
  await palette.waitFor({ state: "detached" });
  visitor.expectClean(daemon.url);
});

describe("a layer that closes", () => {
  it("gives the focus back to where it was", async () => {
    const { page } = visitor;
    const { keyboard } = page;
    await visitor.prompt.focus();
    for (const [key, layer] of [
      ["Control+.", page.getByRole("menu")],
      ["Control+;", page.getByRole("dialog", { name: "Model, effort and tier" })],
      ["Control+k", page.getByRole("dialog")],
      ["Control+f", page.getByRole("textbox", { name: "Find in this chat" })],
    ] as const) {
      await keyboard.press(key);
      await layer.waitFor();
      await keyboard.press("Escape");
      await layer.waitFor({ state: "detached" });
      await expect.poll(() => visitor.focused(), { message: key }).toBe("composer");
    }
    for (const name of ["More about this chat", "Account and theme"]) {
      const button = page.getByRole("button", { name });
      await button.focus();
      await keyboard.press("Enter");
      const menu = page.getByRole("menu");
      await menu.waitFor();
      await keyboard.press("Escape");
      await menu.waitFor({ state: "detached" });
      await expect
        .poll(() => button.evaluate((e) => document.activeElement === e), { message: name })
        .toBe(true);
    }
  });
});

it("rewinding is refused while a run goes on, and the station says so", async () => {
  const { page } = visitor;
  // One that waits for an answer does not end by itself.
  await visitor.send("approve");
  await visitor.stop.waitFor();
  await page.locator("[data-station]").first().focus();
  await page.keyboard.press("r");
  expect(await page.getByRole("group", { name: /^Rewind to before/ }).count()).toBe(0);
  await page.keyboard.press("ArrowDown");
  await page.getByRole("menu").getByText("A run is going on").first().waitFor();
  const answer = await page.evaluate(async () => {
    const path = location.pathname.replace("/chats/", "/api/chats/");
    const asked = await fetch(`${path}/rewind`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ seq: 1 }),
    });
    return asked.status;
  });
  expect(answer).toBe(409);
  await page.keyboard.press("Escape");
  await visitor.stop.click();
  await visitor.done();
});
