import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, overflow, sizes, themes, violations, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let siskin: Visitor;

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  siskin = await Visitor.come(browser);
  await siskin.setUp(daemon.setupLink);
  await siskin.begin(daemon.url, "approve");
  await siskin.page.getByRole("alertdialog").getByRole("button", { name: "Allow for this chat" }).click();
  await siskin.done();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

it("Enter makes a line for those who set that, in their other browsers too", async () => {
  const { page } = siskin;
  const chat = page.url();
  await page.getByRole("button", { name: "Account and theme" }).click();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  const enter = page.getByRole("switch", { name: "Enter makes a new line" });
  await enter.click();
  await expect.poll(() => enter.isChecked()).toBe(true);
  await page.getByText("Cmd+Enter or Ctrl+Enter sends").waitFor();
  const other = await siskin.again();
  await other.open(chat);
  await expect
    .poll(
      async () => {
        await other.prompt.fill("text");
        await other.prompt.press("Enter");
        return other.prompt.inputValue();
      },
      { timeout: 20_000 },
    )
    .toBe("text\n");
  await other.begun(() => other.prompt.press("Control+Enter"));
  await other.done();
  await other.leave();
  await enter.click();
  await expect.poll(() => enter.isChecked()).toBe(false);
});

it("the way out of the settings leads back to what was looked at", async () => {
  const { page } = siskin;
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Leave the settings" }).click();
  await siskin.thread.waitFor();
  const chat = `${page.url()}?panel=usage`;
  await page.goto(chat);
  await page.getByRole("button", { name: "Account and theme" }).click();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Permissions" }).click();
  await page.getByRole("heading", { level: 1, name: "Permissions" }).waitFor();
  await page.getByRole("link", { name: "Leave the settings" }).click();
  await siskin.thread.waitFor();
  expect(page.url()).toBe(chat);
  await page.goto(`${daemon.url}/settings`);
  await page.getByRole("link", { name: "Leave the settings" }).click();
  await siskin.prompt.waitFor();
  expect(page.url()).toBe(`${daemon.url}/`);
});

it("limits are kept, and what is none is told", async () => {
  const { page } = siskin;
  await page.goto(`${daemon.url}/settings`);
  await page.getByRole("group", { name: "Each run" }).getByLabel("Minutes").fill("often");
  await page.getByRole("button", { name: "Save limits" }).click();
  await page.getByText("A number above 0, or nothing.").waitFor();
  await page.getByRole("group", { name: "Each run" }).getByLabel("Minutes").fill("30");
  await page.getByRole("button", { name: "Save limits" }).click();
  await expect.poll(() => page.getByRole("button", { name: "Save limits" }).isDisabled()).toBe(true);
  await page.reload();
  await expect
    .poll(() => page.getByRole("group", { name: "Each run" }).getByLabel("Minutes").inputValue())
    .toBe("30");
});

it("a chat has limits of its own, set in its menu", async () => {
  const { page } = siskin;
  await page.goto(daemon.url);
  await page
    .getByRole("navigation")
    .getByRole("link", { name: /approve/ })
    .click();
  await siskin.thread.waitFor();
  for (const minutes of ["", "45"]) {
    await page.getByRole("banner").getByRole("button", { name: "More about this chat" }).click();
    await page.getByRole("menuitem", { name: "Limits" }).click();
    const dialog = page.getByRole("dialog");
    await expect
      .poll(() => dialog.getByRole("group", { name: "A chat in all" }).getByLabel("Minutes").inputValue())
      .toBe(minutes);
    expect(await violations(page, "[role=dialog]")).toEqual([]);
    if (minutes === "") {
      await dialog.getByRole("group", { name: "A chat in all" }).getByLabel("Minutes").fill("45");
      await dialog.getByRole("button", { name: "Save limits" }).click();
    } else await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }
});

it("what was allowed for a chat is found, and revoked", async () => {
  const { page } = siskin;
  await page.goto(`${daemon.url}/settings/permissions`);
  await page.getByRole("main").getByRole("button", { name: "approve" }).click();
  await page.getByText("every use of Stamp").waitFor();
  await page.getByRole("button", { name: /^Revoke/ }).click();
  await page.getByText("Nothing is allowed for this chat beyond its mode.").waitFor();
});

describe.each(themes)("the settings in the %s theme", (colorScheme) => {
  it.each(sizes)("have nothing that axe finds wrong at %i px", async (width, height) => {
    const visitor = await siskin.again({
      viewport: { width, height },
      colorScheme,
    });
    await visitor.page.goto(`${daemon.url}/settings`);
    await visitor.page.getByRole("switch").first().waitFor();
    expect(await violations(visitor.page)).toEqual([]);
    expect(await overflow(visitor.page)).toBe(0);
    await visitor.leave();
  });
});

it("nothing went wrong in the page", () => siskin.expectClean(daemon.url));
