import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

describe("the first visit", () => {
  it("goes from the printed link to the first answer with at most four inputs", async () => {
    const visitor = await Visitor.come(browser);
    const { page } = visitor;
    await page.goto(daemon.setupLink);
    await page.getByLabel("Name").fill("siskin"); // 1
    await page.getByLabel("Password").fill("a long and simple phrase"); // 2
    await page.keyboard.press("Enter");
    await page.getByText("Only the demo agent can answer.").waitFor();
    await visitor.send("hello"); // 3
    await visitor.thread.getByText("demo agent").first().waitFor();
    await visitor.done();
    await page.getByText("Demo", { exact: true }).first().waitFor();
    await page.getByRole("navigation", { name: "Chats and pages" }).getByText("hello").waitFor();
    visitor.expectClean(daemon.url);
    await visitor.leave();
  });

  it("says of a link that was used, what to do", async () => {
    const visitor = await Visitor.come(browser);
    await visitor.page.goto(daemon.setupLink);
    await visitor.page.getByRole("heading", { name: "This link has been used" }).waitFor();
    await visitor.page.getByRole("link", { name: "Sign in" }).click();
    await visitor.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await visitor.leave();
  });

  it("brings a person who signs in to where they wanted to go", async () => {
    const visitor = await Visitor.come(browser);
    await visitor.page.goto(`${daemon.url}/chats/c_01M8PS6YSQ818RCE2M2JDVAJ0B`);
    await visitor.page.getByLabel("Name").fill("siskin");
    await visitor.page.getByLabel("Password").fill("a long and simple phrase");
    await visitor.page.keyboard.press("Enter");
    await visitor.page.getByRole("heading", { name: "There is no such chat" }).waitFor();
    await visitor.page.goto(`${daemon.url}/nowhere`);
    await visitor.page.getByRole("heading", { name: "There is no such page" }).waitFor();
    visitor.expectClean(daemon.url);
    await visitor.leave();
  });

  it("ends the session in every tab when a person signs out, and keeps the draft", async () => {
    const visitor = await Visitor.come(browser);
    await visitor.signIn(daemon.url);
    await visitor.begin(daemon.url, "hello again");
    await visitor.done();
    await visitor.prompt.fill("half a thought");
    const other = await visitor.page.context().newPage();
    await other.goto(daemon.url);
    await other.getByRole("button", { name: "Account and theme" }).click();
    await other.getByRole("menuitem", { name: "Sign out" }).click();
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
    await visitor.page.getByText("Your session ended.").waitFor();
    await visitor.page.getByRole("button", { name: "Sign in" }).click();
    await visitor.page.getByLabel("Name").fill("siskin");
    await visitor.page.getByLabel("Password").fill("a long and simple phrase");
    await visitor.page.keyboard.press("Enter");
    await visitor.prompt.waitFor();
    await expect.poll(() => visitor.prompt.inputValue()).toBe("half a thought");
    await visitor.leave();
  });

  it("says that a password is wrong, and how long to wait after too many tries", async () => {
    const visitor = await Visitor.come(browser);
    await visitor.page.goto(`${daemon.url}/login`);
    await visitor.page.getByLabel("Name").fill("siskin");
    await visitor.page.getByLabel("Password").fill("wrong");
    const act = visitor.page.getByRole("button", { name: "Sign in" });
    await act.click();
    await visitor.page.getByText("The name or the password is wrong.").waitFor();
    const limited = visitor.page.getByText(/Too many tries. The next one is possible in/);
    const refused = async () => (await limited.isVisible()) && (await act.isDisabled());
    await expect
      .poll(async () => {
        if (await act.isEnabled()) await act.click();
        return refused();
      })
      .toBe(true);
    await visitor.leave();
  });
});

describe("a set-up link that no longer works", () => {
  it("says so, and how to get another", async () => {
    const fresh = await Daemon.start();
    const visitor = await Visitor.come(browser);
    await visitor.page.goto(`${fresh.url}/setup`);
    await visitor.page.getByText("signalbox setup-link").waitFor();
    await visitor.page.goto("about:blank");
    await visitor.page.goto(`${fresh.url}/setup#of-yesterday`);
    await visitor.page.getByLabel("Name").fill("siskin");
    await visitor.page.getByLabel("Password").fill("a long and simple phrase");
    await visitor.page.keyboard.press("Enter");
    await visitor.page.getByRole("heading", { name: "This link no longer works" }).waitFor();
    await visitor.page.goto(`${fresh.url}/login`);
    await visitor.page.getByRole("heading", { name: "Signalbox is not set up yet" }).waitFor();
    visitor.expectClean(fresh.url);
    await visitor.leave();
    await fresh.stop();
  });
});
