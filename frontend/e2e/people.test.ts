import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, violations, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let siskin: Visitor;
let dunlin: Visitor;
let reader: Visitor;

const password = "another simple phrase";

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  siskin = await Visitor.come(browser);
  await siskin.setUp(daemon.setupLink);
  daemon.addUser("dunlin", password);
  daemon.addUser("reader", password, "--viewer");
  await siskin.begin(daemon.url, "text one");
  await siskin.done();
  await siskin.send("text two");
  await siskin.done();
  dunlin = await Visitor.come(browser);
  await dunlin.signIn(daemon.url, "dunlin", password);
  await dunlin.page.goto(siskin.page.url());
  await dunlin.thread.getByText("text two").waitFor();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

const stations = (v: Visitor) => v.page.locator("[data-station]");

/** Asks to rewind to before a prompt: Enter does it. */
async function ask(v: Visitor, station: number): Promise<void> {
  await stations(v).nth(station).focus();
  await v.page.keyboard.press("r");
  await v.page.getByText("1 prompt leaves this chat").waitFor();
  await expect.poll(() => v.page.evaluate(() => document.activeElement?.textContent)).toBe("Rewind");
}

describe("two people in one chat", () => {
  it("see each other, by name, and that the other is writing", async () => {
    const people = siskin.page.getByRole("banner").getByRole("list", { name: /viewing$/ });
    await people.getByRole("img", { name: "dunlin is viewing" }).waitFor();
    await expect
      .poll(async () => {
        await dunlin.prompt.press("t");
        return people.getByRole("img", { name: "dunlin is writing" }).count();
      })
      .toBe(1);
    expect(await violations(siskin.page)).toEqual([]);
    await people.getByRole("img", { name: "dunlin is viewing" }).waitFor();
    await dunlin.prompt.fill("");
  });

  it("lose nothing when one edits what the other takes out", async () => {
    await stations(dunlin).nth(1).focus();
    await dunlin.page.keyboard.press("e");
    await dunlin.page.getByRole("textbox", { name: "Edit the prompt" }).fill("text two, but better");
    await ask(siskin, 1);
    await siskin.page.keyboard.press("Enter");
    const told = await siskin.told("1 prompt left this chat.");
    await dunlin.page.getByText("Your words are in the composer.").waitFor();
    await expect.poll(() => dunlin.prompt.inputValue()).toBe("text two, but better");
    await told.getByRole("button", { name: "Bring back 1 prompt" }).click();
    await dunlin.thread.getByRole("article").getByText("text two", { exact: true }).waitFor();
  });

  it("who rewinds at once with the other is told, and both see the same", async () => {
    // A prompt of its own, so that it can be tried once more.
    await siskin.send("taken by both");
    await siskin.done();
    await dunlin.thread.getByText("taken by both").waitFor();
    const before = (await stations(siskin).count()) - 1;
    for (const v of [siskin, dunlin]) await ask(v, before);
    await Promise.all([siskin.page.keyboard.press("Enter"), dunlin.page.keyboard.press("Enter")]);
    // By the server, or, when the other's rewind is heard of before Enter, by the page.
    const told =
      /^(The prompt to go back to is no longer part of the chat|Somebody took that prompt out of the chat before)/;
    await Promise.any([siskin, dunlin].map((v) => v.page.getByText(told).first().waitFor()));
    for (const v of [siskin, dunlin]) {
      await expect.poll(() => stations(v).count()).toBe(before);
      await expect.poll(() => v.page.locator("[data-leaving=true]").count()).toBe(0);
    }
  });
});

it("who may only read has no way to change the chat", async () => {
  reader = await Visitor.come(browser);
  const { page } = reader;
  await page.goto(siskin.page.url());
  await page.getByLabel("Name").fill("reader");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await reader.thread.getByText("text one").waitFor();
  await page.getByText("You can read this chat.").waitFor();
  await stations(reader).first().focus();
  await page.keyboard.press("r");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.getByRole("menuitem").count()).toBe(1);
  await page.keyboard.press("Escape");
  expect(await page.getByRole("button", { name: /^(Rename|Edit and resend)$/ }).count()).toBe(0);
  await page.getByRole("button", { name: "More about this chat" }).click();
  await page.getByRole("menuitem", { name: "Export as Markdown" }).waitFor();
  expect(await page.getByRole("menuitem", { name: /^(Delete|Archive|Duplicate)/ }).count()).toBe(0);
  await page.keyboard.press("Escape");
  expect(await violations(page)).toEqual([]);
  siskin.expectClean(daemon.url);
  dunlin.expectClean(daemon.url);
  reader.expectClean(daemon.url);
});
