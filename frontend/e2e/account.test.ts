import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, overflow, themes, violations, Visitor } from "./browser";
import { Daemon } from "./daemon";

const password = "a long and simple phrase";

let browser: Browser;
let daemon: Daemon;
let siskin: Visitor;

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  siskin = await Visitor.come(browser);
  await siskin.setUp(daemon.setupLink);
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

/** What a program is told with a token. */
async function asProgram(secret: string, method: string, path: string, body?: object): Promise<number> {
  const answer = await fetch(daemon.url + path, {
    method,
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answer.status;
}

async function openAccount(): Promise<void> {
  await siskin.page.goto(`${daemon.url}/settings/account`);
  await siskin.page.getByRole("list", { name: "Where you are signed in" }).waitFor();
}

it("one browser is signed out from another, and its page says so at once", async () => {
  const other = await Visitor.come(browser, {
    userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  });
  await other.signIn(daemon.url);
  await other.send("text");
  await other.done();
  await other.prompt.fill("not sent yet");
  await openAccount();
  const { page } = siskin;
  const list = page.getByRole("list", { name: "Where you are signed in" });
  const row = list.getByRole("listitem").filter({ hasText: "Firefox on Linux" });
  await row.getByText("127.0.0.1").waitFor();
  await list.getByText("This browser").waitFor();
  await row.getByRole("button", { name: "Sign out Firefox on Linux" }).click();
  await row.waitFor({ state: "detached" });
  await other.page.getByRole("button", { name: "Sign in" }).first().waitFor();
  await other.leave();
});

it("all others are signed out after a question, and this one stays", async () => {
  const others = [await Visitor.come(browser), await Visitor.come(browser)];
  for (const other of others) await other.signIn(daemon.url);
  await openAccount();
  const { page } = siskin;
  await page.getByRole("button", { name: "Sign out all others" }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByText("2 other browsers are signed out at once.").waitFor();
  expect(await violations(page, "[role=alertdialog]")).toEqual([]);
  await dialog.getByRole("button", { name: "Sign out the others" }).click();
  await page.getByRole("button", { name: "Sign out all others" }).waitFor({ state: "detached" });
  expect(
    await page.getByRole("list", { name: "Where you are signed in" }).getByRole("listitem").count(),
  ).toBe(1);
  for (const other of others) {
    await other.page.goto(daemon.url);
    await other.page.getByRole("button", { name: "Sign in" }).waitFor();
    await other.leave();
  }
});

it("a token is made, shown once, reaches as far as its scope, and is revoked", async () => {
  await openAccount();
  const { page } = siskin;
  const form = page.getByRole("form", { name: "New token" });
  await form.getByRole("button", { name: "Make token" }).click();
  await form.getByText("Say what it is for.").waitFor();
  const secrets: string[] = [];
  for (const [name, scope] of [
    ["dashboard", "only read"],
    ["backup", "do what you may"],
  ] as const) {
    await form.getByLabel("Name").fill(name);
    await form.getByLabel("May").selectOption({ label: scope });
    await form.getByRole("button", { name: "Make token" }).click();
    await page.getByText(`The token “${name}” is made.`).waitFor();
    const secret = await page.locator("code").filter({ hasText: /^sbx_/ }).innerText();
    secrets.push(secret);
  }
  const [reads = "", does = ""] = secrets;
  expect(reads).not.toBe(does);
  expect(await asProgram(reads, "GET", "/api/chats")).toBe(200);
  expect(await asProgram(reads, "POST", "/api/chats", {})).toBe(403);
  expect(await asProgram(does, "POST", "/api/chats", {})).toBe(200);
  expect(await asProgram(does, "GET", "/api/me/tokens")).toBe(403);
  expect(await violations(page)).toEqual([]);
  await page.reload();
  const list = page.getByRole("list", { name: "Tokens" });
  await list.getByText("backup").waitFor();
  expect(await page.getByText(does).count()).toBe(0);
  await form.getByLabel("Name").fill("Backup");
  await form.getByRole("button", { name: "Make token" }).click();
  await page.getByRole("alert").getByText("You have a token").waitFor();
  await list.getByRole("button", { name: "Revoke backup" }).click();
  await list.getByText("backup").waitFor({ state: "detached" });
  expect(await asProgram(does, "GET", "/api/chats")).toBe(401);
  expect(await asProgram(reads, "GET", "/api/chats")).toBe(200);
});

it("the password is changed by who knows it, and ends what is signed in elsewhere", async () => {
  const other = await Visitor.come(browser);
  await other.signIn(daemon.url);
  await openAccount();
  const { page } = siskin;
  const change = async (now: string, next: string) => {
    await page.getByLabel("Password now").fill(now);
    await page.getByLabel("New password").fill(next);
    await page.getByRole("button", { name: "Change password" }).click();
  };
  await change("not the password", "another long phrase");
  await page.getByText("The password you have now is another.").waitFor();
  await change(password, "short");
  await page.getByText("it needs at least 10").waitFor();
  await change(password, "another long phrase");
  await page.getByText("The password is changed.").waitFor();
  await page.getByText("There are no tokens.").waitFor();
  await other.page.goto(daemon.url);
  await other.page.getByRole("button", { name: "Sign in" }).waitFor();
  await other.signIn(daemon.url, "siskin", "another long phrase");
  await other.leave();
});

describe.each(themes)("the account in the %s theme", (colorScheme) => {
  it.each([360, 1440])("has nothing that axe finds wrong at %i px", async (width) => {
    const visitor = await siskin.again({
      viewport: { width, height: 800 },
      colorScheme,
    });
    await visitor.page.goto(`${daemon.url}/settings/account`);
    await visitor.page.getByRole("list", { name: "Where you are signed in" }).waitFor();
    expect(await violations(visitor.page)).toEqual([]);
    expect(await overflow(visitor.page)).toBe(0);
    await visitor.leave();
  });
});

it("nothing went wrong in the page", () => siskin.expectClean(daemon.url));
