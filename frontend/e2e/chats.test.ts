import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, overflow, violations, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let visitor: Visitor;
/** The addresses of the chats, by the word that only they have. */
const urls = new Map<string, string>();

const words = ["marmot", "lapwing", "bittern"] as const;

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  visitor = await Visitor.come(browser);
  await visitor.setUp(daemon.setupLink);
  for (const word of words) {
    const url = await visitor.begin(daemon.url, `text about the ${word}`);
    await visitor.done();
    urls.set(word, new URL(url).pathname);
  }
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

const list = (v: Visitor) => v.page.getByRole("navigation", { name: "Chats and pages" });
const row = (v: Visitor, title: string | RegExp) => list(v).getByRole("link", { name: title });
const path = (v: Visitor) => new URL(v.page.url()).pathname;

async function choose(v: Visitor, title: string, act: string): Promise<void> {
  await row(v, title).hover();
  await list(v)
    .getByRole("button", { name: `Menu: ${title}` })
    .click();
  await v.page.getByRole("menuitem", { name: act }).click();
}

describe("a chat in the list", () => {
  it("is renamed where it stands, and Escape leaves it as it was", async () => {
    const { page } = visitor;
    await row(visitor, "text about the marmot").focus();
    await page.keyboard.press("F2");
    const field = list(visitor).getByRole("textbox", { name: "Title of the chat" });
    await field.fill("Not this");
    await field.press("Escape");
    await row(visitor, "text about the marmot").focus();
    await page.keyboard.press("F2");
    await field.fill("Marmots");
    await field.press("Enter");
    await row(visitor, "Marmots").waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("Marmots");
  });

  it("is pinned, marked as unread and archived from its menu, which axe has nothing against", async () => {
    const { page } = visitor;
    await row(visitor, "Marmots").hover();
    await list(visitor).getByRole("button", { name: "Menu: Marmots" }).click();
    await page.getByRole("menuitem", { name: "Pin" }).waitFor();
    expect(await violations(page, "[role=menu]")).toEqual([]);
    await page.getByRole("menuitem", { name: "Pin" }).click();
    await list(visitor)
      .getByRole("list", { name: "Pinned" })
      .getByRole("link", { name: "Marmots" })
      .waitFor();
    await choose(visitor, "Marmots", "Mark as unread");
    await row(visitor, "Marmots").getByRole("img", { name: "Ready" }).waitFor();
    await list(visitor).getByRole("button", { name: "Unread only" }).click();
    await expect
      .poll(() => list(visitor).getByRole("list", { name: "Chats" }).getByRole("link").count())
      .toBe(0);
    await list(visitor).getByRole("button", { name: "Unread only" }).click();
    await choose(visitor, "text about the lapwing", "Archive");
    const archived = await visitor.told("archived");
    await row(visitor, "text about the lapwing").waitFor({ state: "detached" });
    await archived.getByRole("button", { name: "Undo" }).click();
    await row(visitor, "text about the lapwing").waitFor();
  });

  it("is read once it is opened, in every browser of who read it, and unread again when that is said", async () => {
    const other = await visitor.again();
    await other.page.goto(daemon.url);
    const mark = (v: Visitor) => row(v, "Marmots").getByRole("img", { name: "Ready" });
    for (const v of [visitor, other]) await mark(v).waitFor();
    await row(visitor, "Marmots").click();
    await visitor.thread.getByText("about the marmot").waitFor();
    for (const v of [visitor, other]) await mark(v).waitFor({ state: "detached" });
    await visitor.open(daemon.url + urls.get("bittern"));
    await choose(visitor, "Marmots", "Mark as unread");
    for (const v of [visitor, other]) await mark(v).waitFor();
    await other.leave();
  });

  it("is deleted while it is open, and comes back with all that it had", async () => {
    const { page } = visitor;
    await visitor.open(daemon.url + urls.get("lapwing"));
    await visitor.thread.getByText("about the lapwing").waitFor();
    await row(visitor, "text about the lapwing").focus();
    await page.keyboard.press("Delete");
    const deleted = await visitor.told("“text about the lapwing” deleted.");
    await page.waitForURL(`${daemon.url}/`);
    await deleted.getByRole("button", { name: "Undo" }).click();
    await row(visitor, "text about the lapwing").click();
    await visitor.thread.getByText("about the lapwing").waitFor();
  });

  it("is duplicated with its conversation", async () => {
    const { page } = visitor;
    await choose(visitor, "text about the bittern", "Duplicate");
    await page.waitForURL(
      (url) => url.pathname.startsWith("/chats/") && url.pathname !== urls.get("lapwing"),
    );
    expect(path(visitor)).not.toBe(urls.get("bittern"));
    await visitor.thread.getByText("about the bittern").waitFor();
    await page.getByRole("banner").getByText("Forked from").waitFor();
    await page.getByRole("button", { name: "More about this chat" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.waitForURL(`${daemon.url}/`);
  });
});

describe("one that somebody else deletes while it is open", () => {
  it("stays to be read, says so, and can be brought back", async () => {
    const other = await visitor.again();
    await other.page.goto(daemon.url + urls.get("marmot"));
    await other.thread.getByText("about the marmot").waitFor();
    await row(visitor, "Marmots").focus();
    await visitor.page.keyboard.press("Delete");
    await other.page.getByText("This chat was deleted.").waitFor();
    await other.thread.getByText("about the marmot").waitFor();
    expect(await violations(other.page)).toEqual([]);
    await other.page.getByRole("button", { name: "Bring it back" }).click();
    await other.page.getByText("This chat was deleted.").waitFor({ state: "detached" });
    await other.send("text once more");
    await other.done();
    await row(visitor, "Marmots").waitFor();
    await other.leave();
  });
});

describe("all chats", () => {
  it("are picked together, archived, found in the archive and taken out of it", async () => {
    const { page } = visitor;
    await list(visitor).getByRole("link", { name: "All chats" }).click();
    await page.getByRole("button", { name: "Select" }).click();
    await page.getByRole("checkbox", { name: "Select: Marmots" }).check();
    await page.getByRole("checkbox", { name: "Select: text about the lapwing" }).check();
    await page.getByText("2 selected").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Archive" }).click();
    await page.getByText("2 chats archived.").waitFor();
    await page
      .getByRole("navigation", { name: "Which chats" })
      .getByRole("link", { name: "Archived" })
      .click();
    const main = page.getByRole("main");
    await main.getByRole("link", { name: /Marmots/ }).waitFor();
    await main.getByRole("button", { name: "Menu: Marmots" }).click();
    await page.getByRole("menuitem", { name: "Take out of the archive" }).click();
    await main.getByRole("link", { name: /Marmots/ }).waitFor({ state: "detached" });
  });

  it("that were deleted lie in the trash, and go for good only when asked", async () => {
    const { page } = visitor;
    await page.getByRole("navigation", { name: "Which chats" }).getByRole("link", { name: "Trash" }).click();
    const main = page.getByRole("main");
    const copy = main.getByRole("listitem").filter({ hasText: "bittern" });
    await copy.getByRole("button", { name: "Delete for good" }).click();
    const ask = page.getByRole("alertdialog");
    await ask.getByText("This cannot be undone.").waitFor();
    expect(await violations(page, "[role=alertdialog]")).toEqual([]);
    await ask.getByRole("button", { name: "Delete for good" }).click();
    await main.getByText("The trash is empty").waitFor();
    expect(await violations(page)).toEqual([]);
  });
});

describe("by keys", () => {
  it("one goes from chat to chat, home, and to the list of keys", async () => {
    const { page } = visitor;
    await visitor.open(daemon.url + urls.get("marmot"));
    // The keys go through the list.
    await row(visitor, "Marmots").waitFor();
    await visitor.blur();
    const before = path(visitor);
    await page.keyboard.press("j");
    await expect.poll(() => path(visitor)).not.toBe(before);
    await page.keyboard.press("k");
    await expect.poll(() => path(visitor)).toBe(before);
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.waitForURL(`${daemon.url}/`);
    // It takes the focus as it comes.
    await expect.poll(() => visitor.focused()).toBe("composer");
    await visitor.blur();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    expect(await violations(page, "[role=dialog]")).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("G N leads to the chat that needs somebody, and the tab says so", async () => {
    const { page } = visitor;
    const asking = await visitor.again();
    const wanted = await asking.begin(daemon.url, "approve");
    await list(visitor).getByRole("list", { name: "Needs you" }).getByRole("link").waitFor();
    await visitor.blur();
    await page.keyboard.press("g");
    await page.keyboard.press("n");
    await page.waitForURL(wanted);
    await expect.poll(() => page.title()).toBe("⊖ approve");
    await expect.poll(() => page.locator("link[rel=icon]").getAttribute("href")).toMatch(/^data:image\/svg/);
    await page.getByRole("button", { name: "Deny", exact: true }).click();
    await visitor.done();
    await asking.leave();
  });
});

describe("the palette", () => {
  it("finds chats, messages and actions, and goes there by Enter", async () => {
    const { page } = visitor;
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Find a chat, a message or an action" });
    await field.fill("bittern");
    await page
      .getByRole("option", { name: /In the|text about the bittern/ })
      .first()
      .waitFor();
    await page.getByRole("option", { name: "New chat about “bittern”" }).waitFor();
    // What was looked for stands out in a title.
    const titles = page.getByRole("group", { name: "Chats" });
    await titles
      .locator("strong", { hasText: /^bittern$/i })
      .first()
      .waitFor();
    expect((await titles.getByRole("option").first().boundingBox())?.height).toBe(30);
    expect(await violations(page, "[role=dialog]")).toEqual([]);
    await field.press("Enter");
    await expect.poll(() => path(visitor)).toBe(urls.get("bittern"));
  });
});

describe("the search", () => {
  it("finds what was said, by filters in the address, and leads to the place", async () => {
    const { page } = visitor;
    await list(visitor)
      .getByRole("link", { name: /^Search/ })
      .click();
    await page.getByRole("searchbox", { name: "Search all chats" }).fill("lapwing");
    const hit = page.getByRole("region", { name: "In messages" }).getByRole("link").first();
    await hit.getByText("lapwing", { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("combobox", { name: "Agent" }).selectOption("demo");
    await expect.poll(() => page.url()).toMatch(/agent=/);
    await hit.waitFor();
    await page.reload();
    await hit.click();
    await page.waitForURL(/#e\d+$/);
    await page.locator("[data-marked=true]").getByText("lapwing").first().waitFor();
    await page.goBack();
    await page.getByRole("searchbox", { name: "Search all chats" }).fill("capybara");
    await page.getByText("Nothing found for “capybara”").waitFor();
    expect(await violations(page)).toEqual([]);
    visitor.expectClean(daemon.url);
  });
});

it("a chat that works ends its run when it is deleted, and can be used again once it is back", async () => {
  const { page } = visitor;
  // A run that waits for an answer does not end by itself.
  await visitor.begin(daemon.url, "approve the kestrel");
  await page.getByRole("alertdialog").waitFor();
  await row(visitor, /approve the kestrel/).focus();
  await page.keyboard.press("Delete");
  const deleted = await visitor.told("“approve the kestrel” deleted.");
  await page.waitForURL(`${daemon.url}/`);
  await deleted.getByRole("button", { name: "Undo" }).click();
  await row(visitor, "approve the kestrel").click();
  await visitor.last.getByText("Stopped", { exact: true }).waitFor();
  await visitor.last.getByText("Expired without an answer").waitFor();
  expect(await page.getByRole("alertdialog").count()).toBe(0);
  await visitor.send("text about it");
  await visitor.done();
});

it("works by thumb: a long press on a chat opens its menu as a sheet", async () => {
  const phone = await visitor.again({
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  const { page } = phone;
  await page.goto(daemon.url);
  await page.getByRole("button", { name: "Open the list of chats" }).tap();
  const link = page.getByRole("dialog").getByRole("link", { name: "Marmots" });
  await link.dispatchEvent("pointerdown", { pointerType: "touch", clientX: 60, clientY: 300 });
  const sheet = page.getByRole("dialog", { name: "Marmots" });
  await sheet.getByRole("button", { name: "Archive" }).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  for (const target of ["/chats", "/search?q=marmot"]) {
    await page.goto(daemon.url + target);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await violations(page)).toEqual([]);
  }
  await phone.leave();
});
