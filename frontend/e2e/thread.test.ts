import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let visitor: Visitor;

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  visitor = await Visitor.come(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await visitor.setUp(daemon.setupLink);
  await visitor.begin(daemon.url, "think, edit, shell, then text");
  await visitor.done();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

const clipboard = () => visitor.page.evaluate(() => navigator.clipboard.readText());

describe("a run that has ended", () => {
  it("is copied as Markdown, the answer alone or with its steps", async () => {
    const { page, thread } = visitor;
    // It does not stay: who looks after the click may be too late.
    const copied = page.getByText("Copied").first().waitFor({ state: "attached" });
    await Promise.all([copied, thread.getByRole("button", { name: "Copy the answer as Markdown" }).click()]);
    await expect
      .poll(clipboard)
      .toContain('```go\nfunc main() {\n\tfmt.Println("Hello from the demo")\n}\n```');
    expect(await clipboard()).toContain("## An answer");
    await thread.getByRole("button", { name: "Copy the run as Markdown" }).click();
    await expect.poll(clipboard).toContain("think, edit, shell, then text");
    expect(await clipboard()).toContain("signalbox-demo.md");
  });

  it("says what it used and that its cost is known or not", async () => {
    const used = visitor.thread.getByRole("button", { name: /tokens · / }).last();
    await used.click();
    await visitor.thread.getByText("output", { exact: true }).last().waitFor();
    await used.click();
  });

  it("folds its work to one line once another prompt was sent, and opens again", async () => {
    const { thread } = visitor;
    await visitor.send("text again");
    await visitor.done();
    const fold = thread.getByRole("button", { name: /^\d+ steps?/ });
    await visitor.scrollUpTo(fold);
    expect(await thread.getByRole("button", { name: /^Bash/ }).count()).toBe(0);
    for (const one of (await fold.all()).toReversed()) await one.click();
    await visitor.scrollUpTo(thread.getByRole("button", { name: /^Bash/ }));
  });
});

describe("a run that goes on", () => {
  it("keeps what is selected, and what is read, where it is", async () => {
    const { page } = visitor;
    await visitor.send("slow");
    const words = visitor.last.getByText("Slowly, word by word");
    await words.waitFor();
    await words.evaluate((element) => {
      const text = element.ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
      if (text !== null) getSelection()?.setBaseAndExtent(text, 0, text, 6);
    });
    const length = async () => (await words.innerText()).length;
    const before = await length();
    await expect.poll(length).toBeGreaterThan(before + 40);
    expect(await page.evaluate(() => getSelection()?.toString())).toBe("Slowly");
    await visitor.end();
  });

  it("ends in a train on the track, and says in words what it does", async () => {
    const { page } = visitor;
    await visitor.send("slow");
    await page.getByRole("button", { name: /^Prompt at \d\d:\d\d, running$/ }).waitFor();
    await page
      .getByRole("status")
      .filter({ hasText: /^Running$/ })
      .waitFor({ state: "attached" });
    await visitor.last.getByText("Working", { exact: true }).waitFor();
    await visitor.end();
  });
});

it("the list of what is to be done stands above the composer while a run works on it", async () => {
  const { page } = visitor;
  await visitor.send("todo, then approve");
  // The step in the thread has the same words: this is the one above the composer.
  const pinned = page.getByRole("group", { name: "What is to be done" });
  const head = pinned.getByRole("button", { name: /Plan 3 of 3/ });
  await head.waitFor();
  await expect.poll(() => head.getAttribute("aria-expanded")).toBe("false");
  await head.click();
  await expect.poll(() => head.getAttribute("aria-expanded")).toBe("true");
  expect(await pinned.getByRole("listitem").count()).toBe(3);
  await head.click();
  await pinned.getByRole("list").waitFor({ state: "detached" });
  await visitor.end();
});

it("a chat stays as it is when the list of chats comes late, and does not know it", async () => {
  const late = await visitor.again();
  const { page } = late;
  let release: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/api/chats", async (route) => {
    if (route.request().method() !== "GET") return route.fallback();
    const response = await route.fetch();
    await sent;
    await route.fulfill({ response });
    return undefined;
  });
  await page.goto(daemon.url);
  await late.prompt.waitFor();
  await late.send("todo, then approve");
  const pinned = page.getByRole("group", { name: "What is to be done" });
  const head = pinned.getByRole("button", { name: /Plan 3 of 3/ });
  await head.click();
  const list = pinned.getByRole("list");
  await list.waitFor();
  const listed = page.waitForResponse((answer) => new URL(answer.url()).pathname === "/api/chats");
  release();
  await listed;
  await page
    .getByRole("navigation")
    .getByRole("link", { name: /todo, then/ })
    .first()
    .waitFor();
  await expect.poll(() => head.getAttribute("aria-expanded")).toBe("true");
  expect(await list.isVisible()).toBe(true);
  await late.end();
  await late.leave();
});

it("says that a part is gone which a newer server no longer has, and keeps what is written", async () => {
  const { page, prompt } = visitor;
  await page.reload();
  await prompt.fill("half a sen");
  await page.route(/\/assets\/help-/, (route) => route.fulfill({ status: 404 }));
  await visitor.blur();
  await page.keyboard.press("?");
  const banner = page.getByRole("status").filter({ hasText: "A part of this page did not load" });
  await banner.waitFor();
  expect(await prompt.inputValue()).toBe("half a sen");
  await page.unroute(/\/assets\/help-/);
  await Promise.all([page.waitForEvent("load"), banner.getByRole("button", { name: "Reload" }).click()]);
  await expect.poll(() => prompt.inputValue()).toBe("half a sen");
  await visitor.blur();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
  await page.keyboard.press("Escape");
  await prompt.fill("");
});

it("stays to be read where the server goes before all parts of the page were fetched", async () => {
  const { page, thread } = visitor;
  await page.reload();
  await thread.getByRole("article").last().waitFor();
  await daemon.kill();
  await page.getByText("Connection lost.").waitFor();
  await thread.getByRole("article").last().waitFor();
  await daemon.start();
  await page.getByText("Connection lost.").waitFor({ state: "detached" });
});

it("nothing went wrong in the page", () => visitor.expectClean(daemon.url));
