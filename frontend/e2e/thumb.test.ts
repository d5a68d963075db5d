import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, overflow, Visitor } from "./browser";
import { Daemon } from "./daemon";
import { hardToHit } from "./targets";

let browser: Browser;
let daemon: Daemon;
let siskin: Visitor;
let phone: Visitor;

const chats = new Map<string, string>();

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  siskin = await Visitor.come(browser);
  await siskin.setUp(daemon.setupLink);
  for (const words of ["think, edit, text", "fail", "approve", "ask", "plan"])
    chats.set(words, await siskin.begin(daemon.url, words));
  phone = await siskin.again({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

/** What is wrong for a finger; also that nothing sticks out. */
async function wrong(): Promise<readonly string[]> {
  const out = await overflow(phone.page);
  return [...(await hardToHit(phone.page)), ...(out === 0 ? [] : [`sticks out by ${out}`])];
}

async function open(words: string): Promise<void> {
  await phone.page.goto(chats.get(words) ?? "");
  await phone.thread.waitFor();
}

describe.each([390, 360])("at %i px a finger hits", (width) => {
  beforeAll(() => phone.page.setViewportSize({ width, height: 844 }));

  it("what can be done with an answer", async () => {
    await open("think, edit, text");
    await phone.thread.getByRole("button", { name: "Copy the run as Markdown" }).waitFor();
    expect(await wrong()).toEqual([]);
    await open("fail");
    await phone.thread.getByRole("button", { name: "Retry" }).waitFor();
    expect(await wrong()).toEqual([]);
  });

  it("the answers to what an agent asks", async () => {
    for (const [words, act] of [
      ["approve", "Allow once"],
      ["ask", "Next"],
      ["plan", "Keep planning"],
    ] as const) {
      await open(words);
      await phone.page.getByRole("button", { name: act }).waitFor();
      expect(await wrong(), words).toEqual([]);
    }
  });

  it("Stop, Send now and Queue while a run goes on, and the prompts that wait", async () => {
    const { page, prompt } = phone;
    // A run that waits for an answer does not end by itself.
    await page.goto(await siskin.begin(daemon.url, "approve"));
    await page.getByRole("alertdialog").waitFor();
    await prompt.fill("text after it");
    await page.getByRole("button", { name: "Send now" }).waitFor();
    expect(await wrong()).toEqual([]);
    await page.getByRole("button", { name: "Queue", exact: true }).tap();
    await page.getByRole("button", { name: "1 queued" }).tap();
    await page.getByRole("button", { name: "Remove: text after it" }).waitFor();
    expect(await wrong()).toEqual([]);
    await page.getByRole("button", { name: "Remove: text after it" }).tap();
    await phone.end();
  });

  it("the menus, as sheets at the bottom of the window", async () => {
    const { page } = phone;
    await open("think, edit, text");
    for (const [button, role] of [
      [/^Mode:/, "menu"],
      [/^Model:/, "dialog"],
      ["More about this chat", "dialog"],
    ] as const) {
      await page.getByRole("button", { name: button }).tap();
      const sheet = page.getByRole(role);
      await sheet.waitFor();
      const edges = () => sheet.boundingBox().then((box) => box && [box.x, box.width, box.y + box.height]);
      await expect.poll(edges).toEqual([0, width, 844]);
      expect(await wrong()).toEqual([]);
      await page.keyboard.press("Escape");
      await sheet.waitFor({ state: "detached" });
    }
  });

  it("the find bar and the panel", async () => {
    const { page } = phone;
    await open("think, edit, text");
    await page.getByRole("button", { name: "More about this chat" }).tap();
    await page.getByRole("button", { name: "Find in this chat" }).tap();
    await page.getByRole("search").waitFor();
    expect(await wrong()).toEqual([]);
    for (const panel of ["forks", "changes", "usage"]) {
      await page.goto(`${chats.get("think, edit, text")}?panel=${panel}`);
      await page.getByRole("tabpanel").waitFor();
      expect(await wrong(), panel).toEqual([]);
    }
  });

  it("what is in all other places", async () => {
    const { page } = phone;
    const parts = ["", "account", "keyboard", "permissions", "usage", "storage"];
    for (const path of ["/", "/chats", "/search?q=text", ...parts.map((part) => `/settings/${part}`)]) {
      await page.goto(daemon.url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await wrong(), path).toEqual([]);
    }
    await page.getByRole("button", { name: "Open the list of chats" }).tap();
    await page.getByRole("dialog").getByRole("link", { name: "Home" }).waitFor();
    expect(await wrong()).toEqual([]);
  });
});

it("nothing went wrong in the page", () => phone.expectClean(daemon.url));
