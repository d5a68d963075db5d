import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, overflow, violations, Visitor } from "./browser";
import { Fake } from "./fake";

let browser: Browser;
let dir: string;
let fake: Fake;
let siskin: Visitor;
let other: Visitor;
let chat: string;

const menu = (page: Page) => page.getByRole("listbox", { name: "What can be put in here" });
const option = (page: Page, name: RegExp) => menu(page).getByRole("option", { name });
const chips = (page: Page) => page.getByRole("form").getByRole("list", { name: "Skills that go along" });
const told = (page: Page) => page.getByRole("form").locator("#composer-note");

/** Writes a file below the daemon's home, which is the agents', too. */
function put(path: string, text: string): void {
  const at = join(fake.daemon.dir, path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, text);
}

const says = (description: string) => `---\ndescription: ${description}\n---\nDo it well.\n`;

/** Lets the first model of another agent answer. */
async function pickAgent(page: Page, agent: RegExp): Promise<void> {
  await page.keyboard.press("Control+;");
  await page.getByRole("dialog").getByRole("group", { name: agent }).locator("label").first().click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

beforeAll(async () => {
  browser = await launch();
  dir = mkdtempSync(join(tmpdir(), "signalbox-skills-"));
  fake = await Fake.start(dir);
  put(".claude/skills/pdf/SKILL.md", says("Reads and fills PDF forms"));
  put(".claude/skills/pr-draft/SKILL.md", says("Opens a draft with a test plan"));
  put(".claude/skills/broken/SKILL.md", "---\ndescription: [\n---\n");
  siskin = await Visitor.come(browser);
  await siskin.setUp(fake.daemon.setupLink);
});

afterAll(async () => {
  await browser.close();
  await fake.daemon.stop();
  rmSync(dir, { recursive: true, force: true });
});

describe("skills", () => {
  it("are chosen on the start page by $ and letters, by keys alone, and go with the first prompt", async () => {
    const { page, prompt } = siskin;
    const record = join(dir, "record.jsonl");
    fake.playCapture("two-way/text", { record });
    await prompt.click();
    await page.keyboard.type("$");
    await option(page, /pr-draft/).waitFor();
    await page
      .getByText("broken: The block at the beginning of SKILL.md is not valid YAML: line 2")
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type("p");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => option(page, /pr-draft/).getAttribute("aria-selected")).toBe("true");
    await expect
      .poll(() => prompt.getAttribute("aria-activedescendant"))
      .toBe(await option(page, /pr-draft/).getAttribute("id"));
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await chips(page).getByText("$pdf").waitFor();
    await expect.poll(() => prompt.inputValue()).toBe("");
    await page.keyboard.type("Fill it in");
    await siskin.begun(() => page.keyboard.press("Enter"));
    await page.waitForURL(/\/chats\//);
    chat = page.url();
    await siskin.thread.getByRole("list", { name: "Skills that go along" }).getByText("$pdf").waitFor();
    await siskin.done();
    // The thread shows what was written, the agent is told by "/" and the name.
    await siskin.thread.getByText("Fill it in", { exact: true }).waitFor();
    expect(readFileSync(record, "utf8")).toContain('\\"text\\":\\"/pdf Fill it in');
  });

  it("are kept with the chat, for every browser, until somebody takes them out", async () => {
    put(`data/chats/${chat.split("/").at(-1)}/work/.claude/skills/deploy/SKILL.md`, says("Of this folder"));
    other = await Visitor.come(browser);
    await other.signIn(chat);
    await chips(other.page).getByText("$pdf").waitFor();
    await other.prompt.click();
    await other.page.keyboard.type("/dep");
    await option(other.page, /deploy.*in this folder/).waitFor();
    await other.prompt.fill("");
    await other.page.keyboard.type("Then /pr");
    await option(other.page, /pr-draft/).click();
    await chips(siskin.page).getByText("$pr-draft").waitFor();
    await expect.poll(() => other.prompt.inputValue()).toBe("Then ");
    await siskin.page.reload();
    await chips(siskin.page).getByRole("button", { name: "Take out the skill pr-draft" }).click();
    await expect.poll(() => chips(other.page).getByRole("listitem").count()).toBe(1);
    await other.prompt.fill("");
    await other.prompt.press("Backspace");
    await chips(siskin.page).waitFor({ state: "detached" });
    await expect.poll(() => siskin.prompt.inputValue()).toBe("");
  });

  it("are left alone by text that only looks like them", async () => {
    const { page, prompt } = siskin;
    fake.playCapture("two-way/text");
    await prompt.click();
    await page.keyboard.type("/p");
    await menu(page).waitFor();
    await page.keyboard.press("Escape");
    await menu(page).waitFor({ state: "detached" });
    await expect.poll(() => prompt.inputValue()).toBe("/p");
    await page.keyboard.type("d");
    expect(await menu(page).count()).toBe(0);
    await prompt.fill("");
    await page.keyboard.type("look at /etc/hosts for $5");
    expect(await menu(page).count()).toBe(0);
    await siskin.begun(() => page.keyboard.press("Enter"));
    await siskin.last.getByText("look at /etc/hosts for $5").waitFor();
    await siskin.done();
  });

  it("that another agent does not have are taken out, and that is said", async () => {
    const { page, prompt } = siskin;
    await prompt.click();
    await page.keyboard.type("$pdf");
    await page.keyboard.press("Tab");
    await chips(page).getByText("$pdf").waitFor();
    await pickAgent(page, /Demo/);
    await told(page).getByText("does not have pdf: it was taken out.").waitFor();
    await chips(page).waitFor({ state: "detached" });
    await chips(other.page).waitFor({ state: "detached" });
    await prompt.click();
    await page.keyboard.type("$");
    await page.getByRole("paragraph").filter({ hasText: "has no skills on this server." }).waitFor();
    await page.keyboard.press("Backspace");
  });
});

describe("files and people", () => {
  it("are named by @: a file of the chat's folder by its path, a person by name", async () => {
    const { page, prompt } = siskin;
    const id = chat.split("/").at(-1) ?? "";
    const work = `data/chats/${id}/work`;
    put(`${work}/src/main page.ts`, "");
    put(`${work}/src/list.ts`, "");
    put(`${work}/dist/list.js`, "");
    put(`${work}/.gitignore`, "dist\n");
    put(`${work}/.git/list`, "");
    await prompt.fill("");
    await page.keyboard.type("See @lis");
    await option(page, /src\/list\.ts/).waitFor();
    const offered = () =>
      menu(page)
        .getByRole("option")
        .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""));
    await expect.poll(async () => (await offered())[0]).toBe("src/list.ts");
    expect((await offered()).filter((path) => /^(dist|\.git\/)/.test(path))).toEqual([]);
    await page.keyboard.press("Enter");
    await page.keyboard.type("and @main");
    await option(page, /main page\.ts/).click();
    await expect.poll(() => prompt.inputValue()).toBe('See src/list.ts and "src/main page.ts" ');
    await page.keyboard.press("Control+z");
    await expect.poll(() => prompt.inputValue()).toBe("See src/list.ts and @main");

    fake.daemon.addUser("wren", "a long and simple phrase");
    const wren = await Visitor.come(browser);
    await wren.signIn(chat, "wren");
    await prompt.fill("");
    await page.keyboard.type("Ask @wr");
    await option(page, /wren/).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => prompt.inputValue()).toBe("Ask @wren ");
    await prompt.fill("");
    await wren.leave();
  });
});

describe("an input method", () => {
  it("keeps its keys: neither the menu nor the composer acts on them while it composes", async () => {
    const { page, prompt } = siskin;
    const cdp = await page.context().newCDPSession(page);
    const compose = (text: string) =>
      cdp.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
    // An input method takes the key and lets the page know of it.
    const press = (key: string) => cdp.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key, code: key });
    const stations = await page.locator("[data-station]").count();
    await prompt.fill("");
    await compose("にほん");
    await press("Enter");
    await expect.poll(() => prompt.inputValue()).toBe("にほん");
    await cdp.send("Input.insertText", { text: "日本" });
    await expect.poll(() => prompt.inputValue()).toBe("日本");

    await prompt.fill("");
    await compose("@lis");
    await option(page, /src\/list\.ts/).waitFor();
    for (const key of ["Enter", "Escape"]) await press(key);
    await expect.poll(() => prompt.inputValue()).toBe("@lis");
    await menu(page).waitFor();
    expect(await page.locator("[data-station]").count()).toBe(stations);
    await cdp.send("Input.insertText", { text: "@lis" });
    await prompt.click();
    await option(page, /src\/list\.ts/).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => prompt.inputValue()).toBe("src/list.ts ");
    await prompt.fill("");
  });
});

describe("on a phone", () => {
  it("the menu fits over the composer, and is chosen from by thumb", async () => {
    const phone = await Visitor.come(browser, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await phone.signIn(chat);
    await phone.prompt.tap();
    await phone.prompt.fill("");
    await phone.page.keyboard.type("@");
    const row = option(phone.page, /src\/list\.ts/);
    await row.waitFor();
    const box = await row.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect(await overflow(phone.page)).toBe(0);
    expect(await violations(phone.page)).toEqual([]);
    await row.tap();
    await expect.poll(() => phone.prompt.inputValue()).toBe("src/list.ts ");
    await phone.prompt.fill("");
    await expect.poll(() => siskin.prompt.inputValue()).toBe("");
    await phone.leave();
  });
});

describe("the palette", () => {
  it("loses nothing that is typed before it is there", async () => {
    const early = await Visitor.come(browser);
    const { page } = early;
    const held: (() => void)[] = [];
    await page.route(/\/assets\/palette-.*\.js$/, async (route) => {
      await new Promise<void>((go) => held.push(go));
      await route.continue();
    });
    await early.signIn(chat);
    await early.prompt.click();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("look ");
    const field = page.getByRole("textbox", { name: "Find a chat, a message or an action" });
    await expect.poll(() => field.inputValue()).toBe("look ");
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    await expect.poll(() => early.prompt.evaluate((e) => e === document.activeElement)).toBe(true);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("look ");
    held.splice(0).forEach((go) => go());
    const whole = page.getByRole("combobox", { name: "Find a chat, a message or an action" });
    await page.keyboard.type("at /etc");
    await whole.waitFor();
    await page.keyboard.type("/hosts");
    await expect.poll(() => whole.inputValue()).toBe("look at /etc/hosts");
    await page.getByRole("option", { name: /Search all messages/ }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => early.prompt.evaluate((e) => e === document.activeElement)).toBe(true);
    await expect.poll(() => early.prompt.inputValue()).toBe("");
    await early.leave();
  });
});

it("nothing went wrong in the page", () => {
  siskin.expectClean(fake.daemon.url);
  other.expectClean(fake.daemon.url);
});
