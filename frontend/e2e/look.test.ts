import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, overflow, sizes, themes, violations, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let chat: string;
let siskin: Visitor;

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  siskin = await Visitor.come(browser);
  await siskin.setUp(daemon.setupLink);
  const url = await siskin.begin(daemon.url, "think, text, edit, shell, todo");
  await siskin.done();
  await siskin.send("fail");
  await siskin.done();
  chat = new URL(url).pathname;
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

describe.each(themes)("in the %s theme", (colorScheme) => {
  describe.each(sizes)("at %i px", (width, height) => {
    const options = { viewport: { width, height }, colorScheme };

    it("home and a chat have nothing that axe finds wrong, and nothing sticks out", async () => {
      const { page } = await siskin.again(options);
      await page.goto(daemon.url);
      await page.getByText("Only the demo agent can answer.").waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await page.goto(daemon.url + chat);
      await page.getByText("The demo agent is overloaded.").waitFor();
      await page.getByRole("button", { name: /steps/ }).first().click();
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await page.getByRole("button", { name: /^Model:/ }).click();
      await page.getByRole("radio", { name: /Script/ }).waitFor({ state: "attached" });
      expect(await violations(page, "[role=dialog]")).toEqual([]);
      await page.context().close();
    });

    it("the pages of those who are not signed in are right too", async () => {
      const { page } = await Visitor.come(browser, options);
      for (const path of ["/login", "/setup", "/nowhere"]) {
        await page.goto(daemon.url + path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        expect(await violations(page)).toEqual([]);
        expect(await overflow(page)).toBe(0);
      }
      await page.context().close();
    });
  });
});

it("stays whole at 320 px and in mid-run", async () => {
  const visitor = await siskin.again({ viewport: { width: 320, height: 640 } });
  await visitor.begin(daemon.url, "slow");
  await visitor.last.getByText("Slowly, word by word").waitFor();
  expect(await overflow(visitor.page)).toBe(0);
  expect(await violations(visitor.page)).toEqual([]);
  await visitor.end();
  await visitor.leave();
});

it("works on a phone: the drawer, the pickers, a line break by Enter, and targets a finger hits", async () => {
  const visitor = await siskin.again({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const { page } = visitor;
  await page.goto(daemon.url);
  await page.getByRole("button", { name: "Open the list of chats" }).tap();
  await page
    .getByRole("dialog")
    .getByRole("link", { name: /think, text/ })
    .tap();
  await visitor.thread.waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await visitor.prompt.fill("text");
  await visitor.prompt.press("Enter");
  await page.keyboard.type("think");
  await expect.poll(() => visitor.prompt.inputValue()).toBe("text\nthink");
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
  }
  await page.getByRole("button", { name: /^Mode:/ }).tap();
  await page.getByRole("menuitemradio", { name: /Review/ }).tap();
  await page.getByRole("button", { name: "Mode: Review" }).waitFor();
  for (const name of ["Open the list of chats", "Send"]) {
    const box = await page.getByRole("button", { name }).boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  }
  await visitor.begun(() => page.getByRole("button", { name: "Send" }).tap());
  await visitor.last.getByText("That was reasoning").waitFor();
  await visitor.done();
  await visitor.leave();
});

it("can be used with the keyboard alone", async () => {
  const visitor = await siskin.again();
  const { page } = visitor;
  await visitor.open(daemon.url + chat);
  await page.keyboard.press("Tab");
  await page.getByRole("link", { name: "Skip to composer" }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => visitor.focused()).toBe("composer");
  await page.keyboard.type("text");
  await visitor.begun(() => page.keyboard.press("Enter"));
  await visitor.done();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  const mode = () => page.evaluate(() => document.activeElement?.getAttribute("value"));
  expect(await mode()).not.toBeNull();
  const chosen = await mode();
  await page.keyboard.press("ArrowLeft");
  expect(await mode()).not.toBe(chosen);
  await visitor.blur();
  await page.keyboard.press("[");
  const station = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  await expect.poll(station).toMatch(/^Prompt at \d\d:\d\d/);
  await page.keyboard.press("/");
  await expect.poll(() => visitor.focused()).toBe("composer");
  await visitor.blur();
  await page.keyboard.press("c");
  await page.waitForURL(`${daemon.url}/`);
  await expect.poll(() => visitor.focused()).toBe("composer");
  await visitor.leave();
});

it("keeps its signals and its focus in forced colours, and stands still for those who want it", async () => {
  const visitor = await siskin.again({
    forcedColors: "active",
    reducedMotion: "reduce",
  });
  const { page } = visitor;
  await visitor.begin(daemon.url, "slow");
  await visitor.last.getByText("Slowly, word by word").waitFor();
  const moving = await page.evaluate(
    () => document.getAnimations().filter((a) => a.playState === "running").length,
  );
  expect(moving).toBe(0);
  const colour = await page
    .locator("svg.glyph")
    .first()
    .evaluate((g) => getComputedStyle(g).color);
  expect(colour).not.toBe("rgb(255, 255, 255)");
  await visitor.stop.focus();
  await page.keyboard.press("Shift+Tab");
  const outline = await page.evaluate(
    () => getComputedStyle(document.activeElement ?? document.body).outlineStyle,
  );
  expect(outline).toBe("solid");
  await visitor.end();
  await visitor.leave();
});
