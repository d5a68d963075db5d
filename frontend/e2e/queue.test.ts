import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, overflow, sizes, themes, violations, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let siskin: Visitor;
let dunlin: Visitor;
let wren: Visitor;

const password = "a long and simple phrase";
const queue = (visitor: Visitor) => visitor.page.getByRole("list", { name: "Queued" });
const texts = (visitor: Visitor) => queue(visitor).locator("[data-chip] [dir=auto]").allInnerTexts();
const chip = (visitor: Visitor, text: string) =>
  queue(visitor).getByRole("button", { name: new RegExp(`^Prompt \\d of \\d: ${text}`) });

/** Puts prompts into the queue behind a run that goes on. */
async function queued(visitor: Visitor, ...prompts: readonly string[]) {
  const before = await queue(visitor).locator("[data-chip]").count();
  for (const [i, text] of prompts.entries()) {
    await visitor.prompt.fill(text);
    await visitor.prompt.press("Enter");
    await queue(visitor)
      .locator("[data-chip]")
      .nth(before + i)
      .waitFor();
  }
}

/** Begins a run that waits for an answer, and so stands still. */
async function occupy(visitor: Visitor, text = "approve") {
  await visitor.send(text);
  await visitor.page.getByRole("alertdialog").waitFor();
}

/** Stops what stands still, and empties the queue, which then does so too. */
async function rest(visitor: Visitor) {
  await visitor.stop.click();
  await visitor.stop.waitFor({ state: "detached" });
  while (
    (await queue(visitor)
      .getByRole("button", { name: /^Remove/ })
      .count()) > 0
  ) {
    const left = await queue(visitor).locator("[data-chip]").count();
    await queue(visitor)
      .getByRole("button", { name: /^Remove/ })
      .first()
      .click();
    await expect.poll(() => queue(visitor).locator("[data-chip]").count()).toBeLessThan(left);
  }
}

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  siskin = await Visitor.come(browser);
  await siskin.setUp(daemon.setupLink);
  daemon.addUser("dunlin", password);
  daemon.addUser("wren", password, "--viewer");
  await siskin.begin(daemon.url, "text");
  await siskin.done();
  dunlin = await Visitor.come(browser);
  await dunlin.signIn(siskin.page.url(), "dunlin");
  await dunlin.thread.waitFor();
  wren = await Visitor.come(browser);
  await wren.page.goto(siskin.page.url());
  await wren.page.getByLabel("Name").fill("wren");
  await wren.page.getByLabel("Password").fill(password);
  await wren.page.getByRole("button", { name: "Sign in" }).click();
  await wren.thread.waitFor();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

describe("prompts to a busy chat", () => {
  it("wait in every browser, are edited, moved and removed from two, and are sent in their order", async () => {
    await occupy(siskin);
    await siskin.page.getByRole("button", { name: "Queue" }).waitFor();
    await queued(siskin, "text first", "think second", "todo third");
    for (const visitor of [dunlin, wren]) {
      await expect.poll(() => texts(visitor)).toEqual(["text first", "think second", "todo third"]);
      await queue(visitor).getByText("siskin").first().waitFor();
    }
    // Somebody who only reads sees the queue, and has nothing to press.
    expect(await queue(wren).getByRole("button").count()).toBe(0);
    await wren.page.getByText("You can read this chat.").waitFor();

    await chip(dunlin, "think second").focus();
    await dunlin.page.keyboard.press("Enter");
    const editor = dunlin.page.getByRole("textbox", { name: "Text of prompt 2" });
    await expect.poll(() => editor.evaluate((e) => document.activeElement === e)).toBe(true);
    await dunlin.page.keyboard.type(", and more");
    await dunlin.page.keyboard.press("Enter");
    await expect.poll(() => texts(siskin)).toEqual(["text first", "think second, and more", "todo third"]);
    await queue(siskin).getByText("dunlin").waitFor();

    // By keyboard: the chip keeps the focus, so that it can be moved on.
    await chip(siskin, "todo third").focus();
    await siskin.page.keyboard.press("Alt+ArrowLeft");
    await siskin.page.keyboard.press("Alt+ArrowLeft");
    await expect.poll(() => texts(dunlin)).toEqual(["todo third", "text first", "think second, and more"]);
    await siskin.page
      .getByRole("status")
      .filter({ hasText: "Prompt is now 1 of 3" })
      .waitFor({ state: "attached" });

    // By dragging, once no line comes or goes above what is dragged.
    await dunlin.page.getByText("is writing").first().waitFor({ state: "detached" });
    await queue(dunlin)
      .locator("[data-chip]")
      .nth(0)
      .dragTo(queue(dunlin).locator("[data-chip]").nth(1), { targetPosition: { x: 120, y: 10 } });
    await expect.poll(() => texts(siskin)).toEqual(["text first", "todo third", "think second, and more"]);

    await chip(siskin, "todo third").focus();
    await siskin.page.keyboard.press("Delete");
    await expect.poll(() => texts(dunlin)).toEqual(["text first", "think second, and more"]);

    await siskin.stop.click();
    for (const visitor of [siskin, dunlin])
      await visitor.page.getByText(/The queue is paused\. siskin stopped the run before it/).waitFor();
    await dunlin.page.getByRole("button", { name: "Resume" }).click();
    await siskin.last.getByText("think second, and more").waitFor();
    await siskin.done();
    const said = await siskin.read();
    expect(said.indexOf("text first")).toBeLessThan(said.indexOf("think second, and more"));
    expect(said.match(/text first/g)).toHaveLength(1);
  });

  it("stop the run and go first where the sender wishes so", async () => {
    await occupy(siskin);
    await queued(siskin, "text waits");
    await siskin.prompt.fill("think at once");
    await siskin.prompt.press("Control+Enter");
    await siskin.last.getByText("text waits").waitFor();
    await siskin.done();
    const said = await siskin.read();
    expect(said).toContain("Stopped");
    expect(said.indexOf("think at once")).toBeLessThan(said.indexOf("text waits"));
  });

  it("are held back by a run that failed, until somebody lets them go on", async () => {
    await occupy(siskin, "approve, fail");
    await dunlin.stop.waitFor();
    await queued(dunlin, "text after all");
    await siskin.page.getByRole("alertdialog").getByRole("button", { name: "Deny" }).click();
    await siskin.page.getByText("The queue is paused. The run before it failed.").waitFor();
    await wren.page.getByText("The queue is paused. The run before it failed.").waitFor();
    expect(await wren.page.getByRole("button", { name: "Resume" }).count()).toBe(0);
    await siskin.page.getByRole("button", { name: "Resume" }).click();
    await siskin.last.getByText("text after all").waitFor();
    await siskin.done();
  });

  it("are gone back to by Up, and what meets another's change comes back", async () => {
    await occupy(siskin);
    await queued(siskin, "text one", "text two");
    await siskin.prompt.focus();
    await siskin.page.keyboard.press("ArrowUp");
    const mine = siskin.page.getByRole("textbox", { name: "Text of prompt 2" });
    await mine.fill("text as siskin wants it");
    // Meanwhile another is quicker.
    await chip(dunlin, "text two").click();
    await dunlin.page.getByRole("textbox", { name: "Text of prompt 2" }).fill("text as dunlin wants it");
    await dunlin.page.keyboard.press("Enter");
    await expect.poll(() => texts(wren)).toEqual(["text one", "text as dunlin wants it"]);
    await mine.press("Enter");
    await siskin.page.getByText("dunlin changed that prompt meanwhile. Your words are below.").waitFor();
    await expect.poll(() => siskin.prompt.inputValue()).toBe("text as siskin wants it");
    await expect.poll(() => texts(siskin)).toEqual(["text one", "text as dunlin wants it"]);
    await siskin.page.getByRole("button", { name: "OK", exact: true }).click();
    await siskin.prompt.fill("");

    // One that is removed while it is edited gives the words back, too.
    await chip(siskin, "text one").click();
    await siskin.page.getByRole("textbox", { name: "Text of prompt 1" }).fill("text that was lost");
    await chip(dunlin, "text one").focus();
    await dunlin.page.keyboard.press("Delete");
    await siskin.page.getByText("That prompt was already sent or removed. Your words are below.").waitFor();
    await expect.poll(() => siskin.prompt.inputValue()).toBe("text that was lost");
    await siskin.prompt.fill("");
    await rest(siskin);
  });

  it("close their editor on Esc, which does not stop the run", async () => {
    await occupy(siskin);
    await queued(siskin, "text one");
    await chip(siskin, "text one").click();
    await siskin.page.keyboard.press("Escape");
    await siskin.page.keyboard.press("Escape");
    expect(await siskin.stop.isVisible()).toBe(true);
    await expect.poll(() => texts(siskin)).toEqual(["text one"]);
    await rest(siskin);
  });

  it("stay with their chat, as its draft does, while another is open", async () => {
    const { page } = siskin;
    const chat = page.url();
    await occupy(siskin);
    await queued(siskin, "text one", "text two");
    await siskin.prompt.fill("half a thought");
    // By links of the page, which is not loaded anew.
    await page.evaluate("window.stayed = true");
    await page.getByRole("link", { name: "Home" }).click();
    await page.waitForURL(`${daemon.url}/`);
    await expect.poll(() => siskin.prompt.inputValue()).toBe("");
    await siskin.send("approve in another");
    await page.getByRole("alertdialog").waitFor();
    await queued(siskin, "text of the other");
    await siskin.prompt.fill("another thought");
    const other = page.url();
    const open = async (url: string) => {
      await page
        .getByRole("navigation")
        .locator(`a[href="${new URL(url).pathname}"]`)
        .click();
      await page.waitForURL(url);
    };
    await open(chat);
    await expect.poll(() => texts(siskin)).toEqual(["text one", "text two"]);
    await expect.poll(() => siskin.prompt.inputValue()).toBe("half a thought");
    await open(other);
    await expect.poll(() => texts(siskin)).toEqual(["text of the other"]);
    await expect.poll(() => siskin.prompt.inputValue()).toBe("another thought");
    await siskin.prompt.fill("");
    await rest(siskin);
    await open(chat);
    await expect.poll(() => texts(siskin)).toEqual(["text one", "text two"]);
    expect(await page.evaluate("window.stayed")).toBe(true);
    await siskin.prompt.fill("");
    await rest(siskin);
  });

  it("outlive a kill -9 of the daemon, paused", async () => {
    await occupy(siskin);
    await queued(siskin, "text one", "think two");
    await daemon.kill();
    await siskin.page.getByText("Connection lost.").waitFor();
    await daemon.start();
    await siskin.page.getByText(/The queue is paused\./).waitFor();
    await expect.poll(() => texts(siskin)).toEqual(["text one", "think two"]);
    await siskin.page.getByRole("button", { name: "Resume" }).click();
    await expect.poll(() => texts(dunlin)).toEqual([]);
    await siskin.last.getByText("think two").waitFor();
    await siskin.done();
    expect((await siskin.read()).match(/think two/g)).toHaveLength(1);
  });
});

describe.each(themes)("the queue in the %s theme", (colorScheme) => {
  it.each(sizes)(
    "has nothing that axe finds wrong at %i px, with its editor and a card open",
    async (width, height) => {
      const visitor = await siskin.again({
        viewport: { width, height },
        colorScheme,
      });
      const { page } = visitor;
      await visitor.open(siskin.page.url());
      await occupy(visitor);
      for (const text of [
        "text one",
        "a prompt whose text is far longer than what there is room for in one chip",
      ]) {
        await visitor.prompt.fill(text);
        await visitor.prompt.press("Enter");
      }
      if (width < 640) await page.getByRole("button", { name: "2 queued" }).click();
      await queue(visitor).locator("[data-chip]").nth(1).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await chip(visitor, "text one").click();
      await page.getByRole("textbox", { name: "Text of prompt 1" }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await page.keyboard.press("Escape");
      await rest(visitor);
      await visitor.leave();
    },
  );
});

it("nothing went wrong in the pages", () => {
  siskin.expectClean(daemon.url);
  dunlin.expectClean(daemon.url);
  wren.expectClean(daemon.url);
});
