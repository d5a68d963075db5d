import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, themes, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let visitor: Visitor;

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  visitor = await Visitor.come(browser, { viewport: { width: 1440, height: 900 } });
  await visitor.setUp(daemon.setupLink);
  await visitor.begin(daemon.url, "edit, shell, then text");
  await visitor.done();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

/** Computed styles of an element. */
function styles(element: Locator, ...names: readonly string[]): Promise<Record<string, string>> {
  return element.first().evaluate((e, wanted) => {
    const all = getComputedStyle(e);
    return Object.fromEntries(wanted.map((name) => [name, all.getPropertyValue(name)]));
  }, names);
}

const box = async (element: Locator) => {
  const found = await element.first().boundingBox();
  if (found === null) throw new Error("not there");
  return found;
};

const resized = (width: number, height: number) => visitor.page.setViewportSize({ width, height });

const nav = () => visitor.page.getByRole("navigation", { name: "Chats and pages" });
const prompt = () => visitor.thread.getByRole("article", { name: /^Prompt by/ });
const answer = () => visitor.thread.locator(".prose");

describe("at 1440 px", () => {
  it("the sidebar is 264 wide and the header 48 high", async () => {
    // With the hairline at its end.
    expect((await box(nav().locator(".."))).width).toBe(264);
    expect((await box(visitor.page.getByRole("banner"))).height).toBe(48);
  });

  it("the thread is 820 wide and centred, with a gutter of 76 and a column of 744", async () => {
    const row = await box(prompt());
    const thread = await box(visitor.page.locator(".thread"));
    const card = await box(visitor.thread.locator(".prompt-card"));
    expect(card.width).toBe(744);
    expect(row.x + row.width).toBe(card.x + card.width);
    // The gutter and the column together stand in the middle.
    const left = card.x - 76;
    expect(Math.abs(left + 820 / 2 - (thread.x + thread.width / 2))).toBeLessThanOrEqual(1);
  });

  it("the track is 52 from the left of the thread, its line 2 wide, its stations 14", async () => {
    const card = await box(visitor.thread.locator(".prompt-card"));
    const station = await box(visitor.page.locator("[data-station] .station, .station"));
    expect([station.width, station.height]).toEqual([14, 14]);
    expect(station.x + 7).toBeCloseTo(card.x - 76 + 52, 0);
    const line = await box(visitor.page.locator(".track-line"));
    expect(line.width).toBe(2);
    expect(line.x + 1).toBeCloseTo(station.x + 7, 0);
  });

  it("the composer stands under the column, 14 from the bottom", async () => {
    const card = await box(visitor.thread.locator(".prompt-card"));
    const form = await box(visitor.page.getByRole("form"));
    expect(form.x).toBe(card.x);
    expect(form.width).toBe(card.width);
    expect(900 - (form.y + form.height)).toBe(14);
  });

  it("the words beside the modes are there whole, or not at all", async () => {
    const form = visitor.page.getByRole("form");
    const seen = async () => {
      const words = form.locator("[data-aside]");
      const room = await box(words.locator(".."));
      const text = await box(words);
      const shown = text.y < room.y + room.height;
      return { shown, whole: text.x >= room.x && text.x + text.width <= room.x + room.width };
    };
    await expect.poll(seen).toEqual({ shown: true, whole: true });
    await resized(640, 900);
    await expect.poll(async () => (await seen()).shown).toBe(false);
    await resized(1440, 900);
  });

  it("the panel is at most 548 wide, and the thread beside it keeps 68 for the track", async () => {
    const { page } = visitor;
    await page.getByRole("button", { name: "Panel", exact: true }).click();
    const panel = page.getByRole("complementary", { name: "Forks" });
    const { width } = await box(panel);
    expect(width).toBeGreaterThanOrEqual(400);
    expect(width).toBeLessThanOrEqual(548);
    await panel.getByRole("button", { name: "Close" }).click();
    await panel.waitFor({ state: "detached" });
  });
});

describe("type", () => {
  const sizes = ["font-size", "line-height", "font-weight"];

  it("of the body is 14 on 22, of rows 13 on 20, of counts 11 on 16", async () => {
    const body = { "font-size": "14px", "line-height": "22px", "font-weight": "400" };
    expect(await styles(answer().locator("p"), ...sizes)).toEqual(body);
    expect(await styles(visitor.prompt, "font-size", "line-height")).toEqual({
      "font-size": "14px",
      "line-height": "22px",
    });
    expect(await styles(nav().getByRole("link", { name: "Home" }), "font-size", "line-height")).toEqual({
      "font-size": "13px",
      "line-height": "20px",
    });
    const time = await styles(
      visitor.page.locator(".station-time"),
      "font-size",
      "line-height",
      "font-family",
    );
    expect(time).toMatchObject({ "font-size": "11px", "line-height": "16px" });
    expect(time["font-family"]).toContain("JetBrains Mono");
  });

  it("of code is 12 on 19, without ligatures", async () => {
    expect(
      await styles(answer().locator("pre"), "font-size", "line-height", "font-variant-ligatures"),
    ).toEqual({ "font-size": "12px", "line-height": "19px", "font-variant-ligatures": "none" });
  });

  it("is IBM Plex Sans with figures of one width, and nothing is smaller than 11", async () => {
    const { page } = visitor;
    const root = await styles(page.locator("html"), "font-family", "font-variant-numeric");
    expect(root["font-family"]).toContain("IBM Plex Sans");
    expect(root["font-variant-numeric"]).toBe("tabular-nums");
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("body *")]
        .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent?.trim() !== ""))
        .filter((e) => Number.parseFloat(getComputedStyle(e).fontSize) < 11)
        .map((e) => e.outerHTML.slice(0, 120)),
    );
    expect(small).toEqual([]);
  });

  it("has only the weights 400, 500 and 600", async () => {
    const weights = await visitor.page.evaluate(() => [
      ...new Set([...document.querySelectorAll("body *")].map((e) => getComputedStyle(e).fontWeight)),
    ]);
    expect(weights.filter((w) => !["400", "500", "600"].includes(w))).toEqual([]);
  });

  it("of the greeting is 28 on 36", async () => {
    const { page } = visitor;
    const chat = page.url();
    await page.goto(daemon.url);
    const greeting = page.getByRole("heading", { level: 1 });
    expect(await styles(greeting, ...sizes, "letter-spacing")).toEqual({
      "font-size": "28px",
      "line-height": "36px",
      "font-weight": "600",
      "letter-spacing": "-0.56px",
    });
    await page.goto(chat);
    await prompt().first().waitFor();
  });
});

describe("corners and shadows", () => {
  it("are 8 on cards, 10 on the composer, 6 on buttons and rows", async () => {
    const { page } = visitor;
    const corner = async (element: Locator) => (await styles(element, "border-radius"))["border-radius"];
    expect(await corner(visitor.thread.locator(".prompt-card"))).toBe("8px");
    expect(await corner(page.getByRole("form"))).toBe("10px");
    expect(await corner(page.getByRole("button", { name: "New chat" }))).toBe("6px");
    expect(await corner(nav().getByRole("link", { name: "Home" }))).toBe("6px");
  });

  it("float only what floats", async () => {
    const shadow = async (e: Locator) => (await styles(e, "box-shadow"))["box-shadow"];
    expect(await shadow(visitor.page.getByRole("banner"))).toBe("none");
    expect(await shadow(nav())).toBe("none");
    expect(await shadow(visitor.page.getByRole("form"))).not.toBe("none");
  });
});

describe("on a phone", () => {
  it("text is 15 on 23, fields are 16, the track is at 13 and the gutter 30", async () => {
    await resized(390, 844);
    const body = { "font-size": "15px", "line-height": "23px" };
    expect(await styles(answer().locator("p"), "font-size", "line-height")).toEqual(body);
    expect((await styles(visitor.prompt, "font-size"))["font-size"]).toBe("16px");
    const { page } = visitor;
    const gaps = await styles(page.locator("html"), "--gutter", "--track");
    expect(gaps).toEqual({ "--gutter": "30px", "--track": "13px" });
    await page.getByRole("button", { name: "Open the list of chats" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("link").first().waitFor();
    await expect.poll(async () => (await box(drawer)).width).toBe(316);
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await resized(1440, 900);
  });
});

/** The tokens as they are written: first for light, then what dark has of its own. */
const written = readFileSync(fileURLToPath(new URL("../src/styles/tokens.css", import.meta.url)), "utf8");

describe.each(themes)("the colours of the %s theme", (theme) => {
  const dark = written.lastIndexOf('[data-theme="dark"] {');
  const source = theme === "dark" ? written.slice(dark) : written.slice(0, dark);
  const token = (name: string) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(source)?.[1] ?? "";
  const rgb = (hex: string) =>
    `rgb(${[1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16)).join(", ")})`;

  it("are those of the tokens, where the page shows them", async () => {
    const { page } = visitor;
    await page.emulateMedia({ colorScheme: theme });
    const colour = async (e: Locator, name: string) => (await styles(e, name))[name];
    await visitor.blur();
    await expect.poll(() => colour(page.locator("html"), "background-color")).toBe(rgb(token("canvas")));
    expect(await colour(nav(), "background-color")).toBe(rgb(token("rail")));
    expect(await colour(visitor.thread.locator(".prompt-card"), "background-color")).toBe(
      rgb(token("raised")),
    );
    expect(await colour(answer().locator("p"), "color")).toBe(rgb(token("ink")));
    expect(await colour(page.locator(".station"), "border-top-color")).toBe(rgb(token("ink")));
    expect(await colour(page.getByRole("form"), "border-top-color")).toBe(rgb(token("line-3")));
    await visitor.prompt.focus();
    await page.keyboard.press("Tab");
    const focus = () =>
      page.evaluate(() => {
        const s = getComputedStyle(document.activeElement ?? document.body);
        return [s.outlineColor, s.outlineWidth, s.outlineOffset];
      });
    await expect.poll(focus).toEqual([rgb(token("accent")), "2px", "1px"]);
  });
});
