import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, overflow, violations, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let siskin: Visitor;
let chat: string;

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  siskin = await Visitor.come(browser, { viewport: { width: 1440, height: 900 } });
  await siskin.setUp(daemon.setupLink);
  chat = await siskin.begin(daemon.url, "edit");
  await siskin.done();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

const panel = (visitor: Visitor) => visitor.page.getByRole("complementary");
const widthOf = async (visitor: Visitor) => (await panel(visitor).boundingBox())?.width ?? 0;

it("its tabs are gone through by arrows, and by { and } from elsewhere", async () => {
  const { page } = siskin;
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Panel", exact: true }).click();
  const tabs = panel(siskin).getByRole("tab");
  await tabs.first().waitFor();
  expect(await tabs.allInnerTexts()).toEqual(["Forks", "Changes", "Usage"]);
  await expect.poll(() => tabs.first().evaluate((tab) => tab === document.activeElement)).toBe(true);
  await page.keyboard.press("ArrowRight");
  await panel(siskin).getByRole("tab", { name: "Changes", selected: true }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Changes");
  await page.getByRole("heading", { level: 1 }).click();
  await siskin.blur();
  await page.keyboard.press("}");
  await panel(siskin).getByRole("tab", { name: "Usage", selected: true }).waitFor();
  await page.keyboard.press("{");
  await panel(siskin).getByRole("tab", { name: "Changes", selected: true }).waitFor();
});

it("lists the files that were written, and what changed in them", async () => {
  const { page } = siskin;
  await page.goto(`${chat}?panel=changes`);
  const file = page.getByRole("list", { name: "Files that were written" }).getByRole("button").first();
  await file.click();
  await panel(siskin).getByRole("table").first().waitFor();
  expect(await violations(page)).toEqual([]);
});

it("says under a run how much it wrote, and leads to it", async () => {
  const { page, thread } = siskin;
  await page.goto(chat);
  await thread.getByRole("button", { name: /^1 file \+\d+ -\d+$/ }).click();
  await panel(siskin).getByRole("tab", { name: "Changes", selected: true }).waitFor();
  await panel(siskin).getByRole("list", { name: "Files that were written" }).waitFor();
  expect(await violations(page)).toEqual([]);
});

it("says what each run used", async () => {
  const { page } = siskin;
  await page.goto(`${chat}?panel=usage`);
  await panel(siskin).getByText("1 run", { exact: true }).waitFor();
  const table = panel(siskin).getByRole("table");
  await expect.poll(() => table.getByRole("row").count()).toBe(2);
  await siskin.send("text");
  await siskin.done();
  await expect.poll(() => table.getByRole("row").count()).toBe(3);
  expect(await violations(page)).toEqual([]);
});

it("is made wider and narrower by keys and by dragging, within its bounds, and stays so", async () => {
  const { page } = siskin;
  await page.goto(`${chat}?panel=forks`);
  const border = page.getByRole("separator", { name: "Width of the panel" });
  await border.focus();
  await expect.poll(() => widthOf(siskin)).toBe(548);
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => widthOf(siskin)).toBe(572);
  await expect.poll(() => border.getAttribute("aria-valuenow")).toBe("572");
  await page.keyboard.press("Home");
  await expect.poll(() => widthOf(siskin)).toBe(400);
  const box = await border.boundingBox();
  if (box === null) throw new Error("no border");
  await page.mouse.move(box.x + 5, 400);
  await page.mouse.down();
  await page.mouse.move(box.x - 95, 400, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => Math.abs((await widthOf(siskin)) - 500)).toBeLessThan(10);
  const dragged = await widthOf(siskin);
  await page.reload();
  await border.waitFor();
  await expect.poll(() => widthOf(siskin)).toBe(dragged);
  await border.dblclick();
  await expect.poll(() => widthOf(siskin)).toBe(548);
});

it("opens and closes by its keys, and the sidebar folds to a rail by its own", async () => {
  const { page } = siskin;
  await siskin.open(chat);
  await page.keyboard.press("Control+Shift+Backslash");
  await panel(siskin).waitFor();
  await page.keyboard.press("Control+Shift+Backslash");
  await panel(siskin).waitFor({ state: "detached" });
  const nav = page.getByRole("navigation", { name: "Chats and pages" });
  const width = async () => Math.round((await nav.boundingBox())?.width ?? 0);
  await page.keyboard.press("Control+Backslash");
  await expect.poll(width).toBe(52);
  await page.reload();
  await nav.waitFor();
  await expect.poll(width).toBe(52);
  expect(await violations(page)).toEqual([]);
  await nav.getByRole("button", { name: "Open the sidebar" }).click();
  await expect.poll(width).toBeGreaterThan(260);
});

describe("where there is less room", () => {
  it("from 1024 to 1279 the sidebar is a rail while a panel is open, and the rest of it a drawer", async () => {
    const { page } = siskin;
    await page.setViewportSize({ width: 1100, height: 800 });
    await page.goto(`${chat}?panel=forks`);
    const nav = page.getByRole("navigation", { name: "Chats and pages" });
    await panel(siskin).waitFor();
    await expect.poll(async () => Math.round((await nav.boundingBox())?.width ?? 0)).toBe(52);
    const over = async () => {
      const main = await page.getByRole("main").boundingBox();
      const side = await panel(siskin).boundingBox();
      return (main?.x ?? 0) + (main?.width ?? 0) - (side?.x ?? 0);
    };
    await expect.poll(over).toBeLessThanOrEqual(1);
    expect(await violations(page)).toEqual([]);
    await nav.getByRole("button", { name: "Open the sidebar" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Home" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await panel(siskin).getByRole("button", { name: "Close" }).click();
    await expect.poll(async () => Math.round((await nav.boundingBox())?.width ?? 0)).toBeGreaterThan(260);
  });

  it.each([
    ["a tablet", 768, 1024],
    ["a phone", 390, 844],
    ["a phone that lies on its side", 844, 390],
  ])("on %s it covers the thread, and Escape gives it back", async (_name, width, height) => {
    const { page } = siskin;
    await page.setViewportSize({ width, height });
    await page.goto(`${chat}?panel=forks`);
    await panel(siskin).waitFor();
    const side = () => panel(siskin).boundingBox();
    await expect.poll(side).toMatchObject({ x: Math.max(0, width - 548), height });
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await page.keyboard.press("Escape");
    await panel(siskin).waitFor({ state: "detached" });
  });
});

it("what an interrupted run wrote can be reviewed from its end", async () => {
  const { page } = siskin;
  await page.setViewportSize({ width: 1440, height: 900 });
  await siskin.begin(daemon.url, "edit, then slow");
  await siskin.thread.getByText("Slowly, word by word").waitFor();
  await daemon.kill();
  await daemon.start();
  await siskin.thread.getByText("1 file was written before it.").waitFor();
  await siskin.thread.getByRole("button", { name: "Review changes" }).click();
  await page.getByRole("list", { name: "Files that were written" }).getByRole("button").waitFor();
});

it("nothing went wrong in the page", () => siskin.expectClean(daemon.url));
