import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, overflow, themes, violations, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let siskin: Visitor;
let first: string;

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  siskin = await Visitor.come(browser);
  await siskin.setUp(daemon.setupLink);
  for (const text of ["text of the harbour", "text of the harbour again"]) {
    const url = await siskin.begin(daemon.url, text);
    await siskin.done();
    first ??= new URL(url).pathname.slice("/chats/".length);
  }
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

describe("the search", () => {
  const hits = () =>
    siskin.page.getByRole("region", { name: "In messages" }).getByRole("link").filter({ hasText: "Prompt" });

  it("is narrowed to a chat, an agent and days, and each filter is taken off again", async () => {
    const { page } = siskin;
    await page.goto(`${daemon.url}/search?q=harbour`);
    await expect.poll(() => hits().count()).toBe(2);
    await page.getByRole("combobox", { name: "Chat" }).selectOption(first);
    await expect.poll(() => hits().count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("chat")).toBe(first);
    await page.getByRole("combobox", { name: "Agent" }).selectOption("demo");
    await page.getByLabel("To", { exact: true }).fill("2020-01-01");
    await page.getByText("Nothing found for “harbour”").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Take off the filter to 2020-01-01" }).click();
    await expect.poll(() => hits().count()).toBe(1);
    await page.getByRole("button", { name: "Take all off" }).click();
    await expect.poll(() => hits().count()).toBe(2);
  });

  it("is narrowed to a folder that chats work in", async () => {
    const { page } = siskin;
    const { cwd } = await page.evaluate(async (id) => (await fetch(`/api/chats/${id}`)).json(), first);
    await page.goto(`${daemon.url}/search?${new URLSearchParams({ q: "harbour", dir: cwd }).toString()}`);
    await expect.poll(() => hits().count(), { timeout: 20_000 }).toBe(1);
    expect(await page.getByRole("combobox", { name: "Folder" }).inputValue()).toBe(cwd);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: `Take off the filter in ${cwd}` }).click();
    await expect.poll(() => hits().count(), { timeout: 20_000 }).toBe(2);
    expect(new URL(page.url()).searchParams.has("dir")).toBe(false);
  });

  it("is gone through by the arrows, from the field to what was found and back", async () => {
    const { page } = siskin;
    await page.goto(`${daemon.url}/search?q=harbour`);
    await expect.poll(() => hits().count()).toBe(2);
    await page.getByRole("searchbox").focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("A");
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
  });

  it("begins in a chat from its menu", async () => {
    const { page } = siskin;
    await page.goto(`${daemon.url}/chats/${first}`);
    await page.getByRole("banner").getByRole("button", { name: "More about this chat" }).click();
    await page.getByRole("menuitem", { name: "Search this chat" }).click();
    await expect.poll(() => page.getByRole("combobox", { name: "Chat" }).inputValue()).toBe(first);
  });
});

describe("usage and storage", () => {
  it("what was used is summed by day, agent, model, person, chat and run", async () => {
    const { page } = siskin;
    await page.goto(`${daemon.url}/settings/usage`);
    await page.getByText("2 runs", { exact: true }).waitFor();
    await page.getByRole("img", { name: "Tokens of each of the last 14 days" }).waitFor();
    // Each agent has its colour, which is named.
    const series = page.getByRole("list", { name: "Agents" }).getByRole("listitem");
    await expect.poll(() => series.allInnerTexts(), { timeout: 20_000 }).toEqual(["Demo (offline script)"]);
    const by = page.getByRole("group", { name: "Sum by" });
    for (const [name, rows] of [
      ["Day", 1],
      ["Agent", 1],
      ["Model", 1],
      ["Person", 1],
      ["Chat", 2],
      ["Run", 2],
    ] as const) {
      await by.getByRole("button", { name, exact: true }).click();
      const table = page.getByRole("region", { name, exact: true });
      await expect.poll(() => table.getByRole("row").count()).toBe(rows + 1);
    }
    await by.getByRole("button", { name: "Chat", exact: true }).click();
    await page.getByRole("region", { name: "Chat", exact: true }).getByRole("link").first().click();
    await siskin.thread.waitFor();
  });

  it("what chats take is listed, and what a deleted one takes can be freed", async () => {
    const { page } = siskin;
    await siskin.begin(daemon.url, "text to delete");
    await siskin.done();
    await page.getByRole("banner").getByRole("button", { name: "More about this chat" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await siskin.told("deleted.");
    await page.goto(`${daemon.url}/settings/storage`);
    const list = page.getByRole("list", { name: "Chats by size" });
    const row = list.getByRole("listitem").filter({ hasText: "In the trash" });
    await row.getByRole("button", { name: /^Free/ }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete for good" }).click();
    await row.waitFor({ state: "detached" });
    await expect.poll(() => list.getByRole("listitem").count()).toBe(2);
  });
});

describe("the keys", () => {
  it("are changed, swapped where one is taken, and named by the list of keys", async () => {
    const { page } = siskin;
    await page.goto(`${daemon.url}/settings/keyboard`);
    await page.getByRole("button", { name: /^Change the key for New chat/ }).click();
    await page.keyboard.press("5");
    await page.getByText("Press one letter or sign").waitFor();
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Change the key for New chat, now X" }).waitFor();
    await page.getByRole("button", { name: /^Change the key for Next chat/ }).click();
    await page.keyboard.press("k");
    await page.getByText("K is taken by: Previous chat.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Swap the two" }).click();
    await page.getByRole("button", { name: "Change the key for Previous chat, now J" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Change the key for Next chat, now K" }).waitFor();
    await page.keyboard.press("c");
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard" });
    await help.getByText("X", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    expect(page.url()).toContain("/settings/keyboard");
    await page.keyboard.press("x");
    await siskin.prompt.waitFor();
    await page.goto(`${daemon.url}/settings/keyboard`);
    await page.getByRole("button", { name: "All as at first" }).click();
    await page.getByRole("button", { name: "Change the key for New chat, now C" }).waitFor();
  });

  it("without Ctrl or Cmd are turned off, and those with it stay", async () => {
    const { page } = siskin;
    await page.goto(`${daemon.url}/settings/keyboard`);
    const single = page.getByRole("switch", { name: "Keys without Ctrl or Cmd" });
    await single.click();
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("c");
    await page.keyboard.press("?");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(1);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(page.url()).toContain("/settings/keyboard");
    await single.click();
    await expect.poll(() => single.isChecked()).toBe(true);
  });
});

describe.each(themes)("every part of the settings in the %s theme", (colorScheme) => {
  it.each([360, 1440])("has nothing that axe finds wrong at %i px", async (width) => {
    const visitor = await siskin.again({
      viewport: { width, height: 800 },
      colorScheme,
    });
    const { page } = visitor;
    for (const part of ["keyboard", "permissions", "usage", "storage"]) {
      await page.goto(`${daemon.url}/settings/${part}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      if (part === "usage") await page.getByRole("columnheader", { name: "Cost" }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
    }
    await visitor.leave();
  });
});

it("nothing went wrong in the page", () => siskin.expectClean(daemon.url));
