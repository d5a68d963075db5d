import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, overflow, sizes, themes, violations, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let visitor: Visitor;
let other: Visitor;

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  visitor = await Visitor.come(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await visitor.setUp(daemon.setupLink);
  other = await visitor.again();
  await visitor.begin(daemon.url, "text one");
  await visitor.done();
  await visitor.send("think two");
  await visitor.done();
  await visitor.send("text three");
  await visitor.done();
  await other.page.goto(visitor.page.url());
  await other.thread.getByText("text three").waitFor();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

const stations = (v: Visitor) => v.page.locator("[data-station]");
const prompts = (v: Visitor) => v.thread.getByRole("article", { name: /^Prompt by/ });

/** Notes if only one prompt is ever drawn without the junction of those that left. */
const watchForNone = `
  window.sawNone = false;
  new MutationObserver(() => {
    const left = [...document.querySelectorAll("[data-run] .prompt-card")].length === 1;
    if (left && document.querySelector("[data-cut]") === null) window.sawNone = true;
  }).observe(document.body, { childList: true, subtree: true });
`;

/** Notes if a prompt is ever drawn together with the junction of the attempt that it was in. */
const watchForBoth = `
  window.sawBoth = false;
  new MutationObserver(() => {
    const back = [...document.querySelectorAll("[data-run] .prompt-card")].length > 1;
    if (back && document.querySelector("[data-cut]") !== null) window.sawBoth = true;
  }).observe(document.body, { childList: true, subtree: true });
`;

describe("at a station", () => {
  it("a list says what can be done, to the pointer, and leaves when the pointer does", async () => {
    const { page } = visitor;
    await stations(visitor).nth(1).hover();
    const list = page.getByRole("menu", { name: /^Prompt at/ });
    await list.getByRole("menuitem", { name: "Fork after this answer" }).waitFor();
    await list.getByText("A fork leaves 1 prompt out. Rewind: 2 prompts leave.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.mouse.move(700, 10);
    await list.waitFor({ state: "detached" });
  });

  it("asks inside the prompt before it rewinds, shows what would leave, and lets go on Escape", async () => {
    const { page } = visitor;
    await page.keyboard.press("Escape");
    await stations(visitor).nth(1).focus();
    await page.keyboard.press("r");
    const ask = page.getByRole("group", { name: /^Rewind to before \d\d:\d\d\?$/ });
    await ask.getByText("2 prompts leave this chat").waitFor();
    expect(await page.locator("[data-leaving=true]").count()).toBe(2);
    expect(await violations(page)).toEqual([]);
    // The focus has its own colour also among what is greyed.
    const own = () =>
      page.evaluate(() => {
        const probe = document.createElement("i");
        probe.style.color = "var(--accent)";
        document.body.append(probe);
        const wanted = getComputedStyle(probe).color;
        probe.remove();
        return (
          document.activeElement !== null && getComputedStyle(document.activeElement).outlineColor === wanted
        );
      });
    await expect.poll(own).toBe(true);
    await page.keyboard.press("Escape");
    await ask.waitFor({ state: "detached" });
    expect(await page.locator("[data-leaving=true]").count()).toBe(0);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.hasAttribute("data-station")))
      .toBe(true);
  });

  it("rewinds for everybody, and brings back what left", async () => {
    const { page } = visitor;
    await stations(visitor).nth(1).focus();
    await page.keyboard.press("r");
    // What leaves and the junction that stands for it are one step.
    await page.evaluate(watchForNone);
    await page.getByRole("button", { name: "Rewind", exact: true }).press("Enter");
    await expect.poll(() => prompts(visitor).count()).toBe(1);
    expect(await page.evaluate("sawNone")).toBe(false);
    await expect.poll(() => prompts(other).count()).toBe(1);
    const chip = page.locator("[data-cut]").getByRole("button", { name: /think two.*rewound, 2 prompts/ });
    await chip.click();
    const attempt = page.locator("[data-cut]").getByRole("group", { name: /^Rewound attempt/ });
    await attempt.getByText("text three", { exact: true }).waitFor();
    await attempt.getByRole("button", { name: /Reasoned/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    // What comes back and the end of its junction are one step.
    await page.evaluate(watchForBoth);
    await page.locator("[data-cut]").getByRole("button", { name: "Bring back 2 prompts" }).click();
    await expect.poll(() => prompts(visitor).count()).toBe(3);
    expect(await page.evaluate("sawBoth")).toBe(false);
    await expect.poll(() => prompts(other).count()).toBe(3);
    await page.locator("[data-cut]").waitFor({ state: "detached" });
  });

  it("brings back at once by the word that says what was done, also from the first prompt", async () => {
    const { page } = visitor;
    await stations(visitor).first().focus();
    await page.keyboard.press("r");
    await page.getByRole("button", { name: "Rewind", exact: true }).click();
    const told = await visitor.told("3 prompts left this chat.");
    await page.getByText("Nothing was sent in this chat yet.").waitFor();
    await told.getByRole("button", { name: "Bring back 3 prompts" }).click();
    await expect.poll(() => prompts(visitor).count()).toBe(3);
  });

  it("edits and resends a prompt, keeps the old attempt, and pages to it", async () => {
    const { page } = visitor;
    await stations(visitor).nth(2).focus();
    await page.keyboard.press("e");
    const field = page.getByRole("textbox", { name: "Edit the prompt" });
    await field.fill("text three again");
    expect(await violations(page)).toEqual([]);
    // The log tells of the rewind before its own answer comes: what was written is sent all the same, and once.
    await page.route("**/rewind", async (route) => {
      const response = await route.fetch();
      await field.waitFor({ state: "detached" });
      await route.fulfill({ response });
    });
    await field.press("Control+Enter");
    await visitor.thread.getByText("text three again").waitFor();
    await visitor.done();
    await page.unroute("**/rewind");
    expect(await visitor.prompt.inputValue()).toBe("");
    await expect.poll(() => prompts(visitor).count()).toBe(3);
    await prompts(visitor).last().getByText("2 / 2").waitFor();
    await prompts(visitor).last().getByRole("button", { name: "Version before" }).click();
    await prompts(visitor).last().getByText("text three", { exact: true }).waitFor();
    // All of it is there to be read, marked as what it is, and with nothing to change it.
    await prompts(visitor).last().getByText("Read only").waitFor();
    const attempt = visitor.thread.getByRole("group", { name: "Rewound attempt, to be read only" });
    await attempt.getByRole("article", { name: "Rewound prompt by You" }).getByText("text three").waitFor();
    await attempt.getByText("An answer may hold").waitFor();
    await attempt.getByText("fmt.Println").waitFor();
    expect(await attempt.getByRole("button", { name: /Edit and resend|Retry|Rewind/ }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await prompts(visitor).last().getByRole("button", { name: "Bring back as a fork" }).waitFor();
    await other.thread.getByText("text three again").waitFor();
  });

  it("brings an attempt back as a chat of its own once prompts were sent since", async () => {
    const { page } = visitor;
    const from = page.url();
    await prompts(visitor).last().getByRole("button", { name: "Bring back as a fork" }).click();
    await page.waitForURL((url) => url.pathname !== new URL(from).pathname);
    await page.getByText("Forked from").waitFor();
    await visitor.thread.getByText("text three", { exact: true }).waitFor();
    await page.getByRole("banner").getByRole("link").click();
    await page.waitForURL((url) => url.pathname === new URL(from).pathname);
  });

  it("forks after an answer, and the track shows where", async () => {
    const { page } = visitor;
    const from = new URL(page.url()).pathname;
    await visitor.thread.getByText("text three again").waitFor();
    await stations(visitor).first().focus();
    await page.keyboard.press("f");
    await page.waitForURL((url) => url.pathname !== from);
    await expect.poll(() => prompts(visitor).count()).toBe(1);
    await visitor.send("text in the fork");
    await visitor.done();
    await page.goto(`${daemon.url}${from}`);
    await visitor.thread
      .getByRole("list", { name: "Forks and rewound attempts" })
      .getByRole("link", { name: /fork, 1 prompt$/ })
      .first()
      .waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("shows all of it on a map, by time, and leads from there to a prompt", async () => {
    const { page } = visitor;
    await page.getByRole("button", { name: "Panel", exact: true }).click();
    const panel = page.getByRole("complementary", { name: "Forks" });
    await panel.getByText("text in the fork").waitFor();
    const apart = async () => {
      const card = await prompts(visitor).first().boundingBox();
      const form = await page.getByRole("form").boundingBox();
      return [(form?.x ?? 0) - (card?.x ?? 0), (form?.width ?? 0) - (card?.width ?? 0)];
    };
    await expect.poll(apart).toEqual([0, 0]);
    await panel.getByText("rewound, 1 prompt").waitFor();
    // The attempt that was edited stands where it was sent, before what came in its place.
    const lines = await panel.getByRole("listitem").allInnerTexts();
    const at = (text: string) => lines.findIndex((line) => line.split("\n").includes(text));
    expect(at("text three")).toBeGreaterThanOrEqual(0);
    expect(at("text three")).toBeLessThan(at("text three again"));
    await panel
      .getByRole("button", { name: /text in the fork/ })
      .getByText("fork, 1 prompt")
      .waitFor();
    await panel.getByText("here", { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await panel.getByRole("button", { name: /^\d\d:\d\d text one$/ }).click();
    await page.locator("[data-marked=true]").getByText("text one").waitFor();
    await page.reload();
    await panel.getByText("text in the fork").waitFor();
    await panel.getByRole("button", { name: "Close" }).click();
    await panel.waitFor({ state: "detached" });
  });

  it("gives a link to the place, which opens there", async () => {
    const { page } = visitor;
    await stations(visitor).nth(1).focus();
    await page.keyboard.press("l");
    await page.getByText("Link copied.").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(/\/chats\/c_\w+#e\d+$/);
    await other.page.goto(link);
    await other.page.locator("[data-marked=true]").getByText("think two").waitFor();
    await other.page.goto(link.replace(/#.*/, "#e999999"));
    await other.page.getByText("That place is no longer in this chat.").waitFor();
    visitor.expectClean(daemon.url);
    other.expectClean(daemon.url);
  });
});

it("offers the same by thumb: a prompt's head opens a sheet", async () => {
  const phone = await visitor.again({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const { page } = phone;
  await page.goto(visitor.page.url().replace(/[?#].*/, ""));
  await phone.thread.getByText("think two").waitFor();
  const head = prompts(phone)
    .nth(1)
    .getByRole("button", { name: /what can be done here$/ });
  expect((await head.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await head.tap();
  const sheet = page.getByRole("dialog", { name: /^Prompt at/ });
  await sheet.getByRole("button", { name: "Copy link" }).waitFor();
  for (const act of await sheet.getByRole("button").all())
    expect((await act.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  expect(await violations(page, "[role=dialog]")).toEqual([]);
  await sheet.getByRole("button", { name: /^Rewind to before this prompt/ }).tap();
  await page.getByText("2 prompts leave this chat").waitFor();
  await page.getByRole("button", { name: "Cancel" }).tap();
  await phone.leave();
});

describe.each(themes)("in the %s theme", (colorScheme) => {
  it.each(sizes)("all of it is right at %i px", async (width, height) => {
    const one = await visitor.again({ viewport: { width, height }, colorScheme });
    const { page } = one;
    const chat = visitor.page.url().replace(/[?#].*/, "");
    const right = async () => {
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
    };
    await page.goto(chat);
    await page.locator("[data-station]").nth(1).focus();
    await page.keyboard.press("r");
    await page.getByText("2 prompts leave this chat").waitFor();
    await page.locator("[data-cut]").getByRole("button").first().click();
    await page.locator("[data-cut]").getByText("Read only").first().waitFor();
    await right();
    await page.goto(`${chat}?panel=forks`);
    await page.getByRole("complementary", { name: "Forks" }).getByText("text in the fork").waitFor();
    await right();
    await page.goto(chat);
    await page.getByRole("button", { name: "More about this chat" }).click();
    const menu = width < 640 ? "dialog" : "menu";
    await page.getByRole(menu).getByText("Export as Markdown").waitFor();
    expect(await violations(page, `[role=${menu}]`)).toEqual([]);
    for (const path of ["/chats", "/chats?view=archived", "/chats?view=trash", "/search?q=text"]) {
      await page.goto(daemon.url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await right();
    }
    await one.leave();
  });
});
