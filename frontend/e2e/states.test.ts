import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
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

async function right(page: Page, what: string, layer = ""): Promise<void> {
  expect.soft(await violations(page, layer), what).toEqual([]);
  expect.soft(await overflow(page), what).toBe(0);
}

describe.each(themes)("in the %s theme", (colorScheme) => {
  // Cards, menus of the composer and the queue are looked at where they are tested.
  it.each(sizes)("every state of a chat is right at %i px", async (width, height) => {
    const visitor = await siskin.again({ viewport: { width, height }, colorScheme });
    const { page } = visitor;
    await page.goto(daemon.url + chat);
    await visitor.thread.getByRole("article").last().waitFor();
    await right(page, "at rest");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("text");
    await page.getByRole("dialog").getByText("In messages").waitFor();
    await right(page, "the palette", "[role=dialog]");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+f");
    await page.getByRole("textbox", { name: "Find in this chat" }).fill("demo");
    await page
      .getByText(/^\d+ of \d+$/)
      .first()
      .waitFor();
    await right(page, "the find bar");
    await page.keyboard.press("Escape");
    await page.goto(`${daemon.url}${chat}?panel=forks`);
    await page.getByRole("complementary", { name: "Forks" }).waitFor();
    await right(page, "the panel");
    await visitor.begin(daemon.url, "text, then slow");
    await visitor.last.getByText("Slowly, word by word").waitFor();
    await right(page, "in mid-stream");
    await visitor.end();
    await right(page, "stopped");
    await visitor.leave();
  });
});

it("at 200 % nothing is lost", async () => {
  // A window of 1280 by 800 that is zoomed has half of it to draw in.
  const visitor = await siskin.again({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
  const { page } = visitor;
  await visitor.open(daemon.url + chat);
  await right(page, "zoomed");
  for (const name of ["Send", /^Mode:/, "Open the list of chats", "More about this chat"]) {
    const box = await page.getByRole("button", { name }).first().boundingBox();
    expect(box, String(name)).not.toBeNull();
    if (box === null) continue;
    expect(box.x, String(name)).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width, String(name)).toBeLessThanOrEqual(640);
    expect(box.y + box.height, String(name)).toBeLessThanOrEqual(400);
  }
  await visitor.leave();
});

it("signals keep their shapes and what has the focus its outline in forced colours", async () => {
  const visitor = await siskin.again({ forcedColors: "active" });
  const { page } = visitor;
  await visitor.open(daemon.url + chat);
  const adjust = await page
    .locator("svg.glyph")
    .evaluateAll((all) => [...new Set(all.map((g) => getComputedStyle(g).forcedColorAdjust))]);
  expect(adjust).toEqual(["none"]);
  for (let i = 0; i < 12; i += 1) {
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(() => {
      const active = document.activeElement;
      if (active === null || active === document.body) return "solid";
      const own = getComputedStyle(active);
      // A radio is drawn by its label.
      const label = active.closest("label");
      return own.outlineStyle !== "none" || label === null
        ? own.outlineStyle
        : getComputedStyle(label).outlineStyle;
    });
    expect(outline, `stop ${i}`).toBe("solid");
  }
  await visitor.leave();
});

describe("at 360 px", () => {
  const words = readFileSync(fileURLToPath(new URL("../src/messages/en.json", import.meta.url)), "utf8");

  it("words that are longer by 40 % and titles of every script stay inside at 360 px", async () => {
    const visitor = await siskin.again({ viewport: { width: 360, height: 740 } });
    const { page } = visitor;
    // The words are in the scripts: each string of the messages that stands there alone gets longer.
    const said = new Set([...words.matchAll(/": "([A-Z][^"{}]{3,})"/g)].map(([, text]) => text ?? ""));
    const longer = (text: string) => `${text} ${"ßëñ".repeat(Math.ceil((text.length * 0.4) / 3))}`;
    let changed = 0;
    await page.route(/\/assets\/.*\.js$/, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replaceAll(
        /:(["`])([A-Z][^"`{}\\]{3,})\1/g,
        (all, quote: string, text: string) => {
          if (!said.has(text)) return all;
          changed += 1;
          return `:${quote}${longer(text)}${quote}`;
        },
      );
      await route.fulfill({ response: answer, body });
    });
    const titles = [
      "تشغيل الاختبارات كلها ثم مراجعة السجل الطويل جدا لهذا اليوم",
      "הרצת כל הבדיקות ואחר כך סקירה של היומן הארוך מאוד של היום",
      "运行全部测试然后检查今天非常长的日志并且写出总结报告给大家看",
      "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung",
    ];
    for (const title of titles) {
      await page.goto(daemon.url + chat);
      await page.evaluate(
        ({ path, name }) =>
          fetch(`/api${path}`, {
            method: "PATCH",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ title: name }),
          }),
        { path: chat, name: title },
      );
      const heading = page.getByRole("heading", { level: 1 }).filter({ hasText: title });
      await heading.waitFor();
      await right(page, title);
      const send = await page.getByRole("form").getByRole("button").last().boundingBox();
      expect((send?.x ?? 0) + (send?.width ?? 0)).toBeLessThanOrEqual(360);
    }
    expect(changed).toBeGreaterThan(100);
    for (const path of ["/", "/chats", "/search", "/settings"]) {
      await page.goto(daemon.url + path);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      expect.soft(await overflow(page), path).toBe(0);
    }
    await visitor.leave();
  });
});

it("colours that tell agents apart are those of their bars in forced colours too", async () => {
  const visitor = await siskin.again({ forcedColors: "active" });
  const { page } = visitor;
  await page.goto(`${daemon.url}/settings/usage`);
  const bar = page.locator("svg[role=img] rect").last();
  const dot = page.getByRole("list", { name: "Agents" }).locator("li > span").last();
  await bar.waitFor();
  expect(await dot.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe(
    await bar.evaluate((one) => getComputedStyle(one).fill),
  );
  await visitor.leave();
});

it("nothing is said about what is not known yet", async () => {
  const visitor = await siskin.again();
  const { page } = visitor;
  await visitor.holdable();
  await page.addInitScript("holdMessages(true)");
  await page.goto(`${daemon.url}/search`);
  await page.getByRole("searchbox").waitFor();
  expect(await page.getByRole("main").getByText("No chats yet").count()).toBe(0);
  await visitor.hold(false);
  await page.getByRole("region", { name: "Recent" }).getByRole("link").first().waitFor();
  await page.goto(`${daemon.url}/settings/permissions`);
  await page.getByRole("heading", { name: "Permissions" }).waitFor();
  expect(await page.getByRole("main").getByText("No chats yet").count()).toBe(0);
  await visitor.hold(false);
  await page.getByRole("main").getByRole("listitem").first().waitFor();
  await page.goto(`${daemon.url}${chat}?panel=changes`);
  const changes = page.getByRole("tabpanel");
  await changes.getByText("Looking through earlier messages").waitFor();
  expect(await changes.getByText("Files that an agent writes appear here.").count()).toBe(0);
  await visitor.hold(false);
  await changes.getByRole("button", { name: /signalbox-demo/ }).waitFor();
  await visitor.leave();
});
