import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, Visitor } from "./browser";
import { Daemon } from "./daemon";

const url = "http://signalbox.test";

let browser: Browser;
let daemon: Daemon;
let visitor: Visitor;

/** A machine of the house, reached by its name and without TLS: the browser keeps some of its means to itself. */
beforeAll(async () => {
  daemon = await Daemon.start({ url });
  browser = await launch(`--host-resolver-rules=MAP signalbox.test 127.0.0.1:${daemon.port}`);
  visitor = await Visitor.come(browser);
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

it("is set up, and a prompt is sent, where the browser makes no ids and has no clipboard", async () => {
  const { page } = visitor;
  await visitor.setUp(daemon.setupLink);
  expect(
    await page.evaluate(() => [
      isSecureContext,
      "randomUUID" in crypto,
      "clipboard" in navigator,
      "serviceWorker" in navigator,
    ]),
  ).toEqual([false, false, false, false]);
  await visitor.begin(url, "text");
  await visitor.done();
});

it("copies an answer, which can be pasted", async () => {
  const { page, prompt, thread } = visitor;
  const copied = page.getByText("Copied").first().waitFor({ state: "attached" });
  await Promise.all([copied, thread.getByRole("button", { name: "Copy the answer as Markdown" }).click()]);
  await prompt.fill("");
  await prompt.press("ControlOrMeta+V");
  await expect.poll(() => prompt.inputValue()).toContain("## An answer");
  await prompt.fill("");
});

it("copies a token, which is shown once, out of the settings", async () => {
  const { page, prompt } = visitor;
  await page.goto(`${url}/settings/account`);
  const form = page.getByRole("form", { name: "New token" });
  await form.getByLabel("Name").fill("script");
  await form.getByRole("button", { name: "Make token" }).click();
  await page.getByRole("button", { name: /^Copy/ }).first().click();
  await page.getByText("Copied").first().waitFor({ state: "attached" });
  await page.goto(url);
  await prompt.press("ControlOrMeta+V");
  await expect.poll(() => prompt.inputValue()).toMatch(/^\S{20,}$/);
});

it("nothing went wrong in the page", () => visitor.expectClean(url));
