import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, overflow, sizes, themes, violations, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let siskin: Visitor;
let other: Visitor;

const password = "a long and simple phrase";

/** A picture of one red pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  "base64",
);

const files = (page: Page) => page.getByRole("form").getByRole("list", { name: "Attached files" });

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  siskin = await Visitor.come(browser);
  await siskin.holdable();
  await siskin.setUp(daemon.setupLink);
  await siskin.begin(daemon.url, "text");
  await siskin.done();
  other = await Visitor.come(browser);
  await other.holdable();
  await other.signIn(siskin.page.url());
  await other.thread.waitFor();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

describe("a draft", () => {
  it("follows its author into another browser, and is gone there once it is sent", async () => {
    await siskin.prompt.fill("think about it");
    await expect.poll(() => other.prompt.inputValue()).toBe("think about it");
    await other.prompt.press("End");
    await other.page.keyboard.type(" again");
    await expect.poll(() => siskin.prompt.inputValue()).toBe("think about it again");
    await siskin.begun(() => siskin.prompt.press("Enter"));
    await expect.poll(() => other.prompt.inputValue()).toBe("");
    await siskin.done();
  });

  it("that is written in two browsers at once keeps both texts", async () => {
    // Neither hears of the other before both have written.
    for (const v of [siskin, other]) await v.hold(true);
    await siskin.prompt.fill("what siskin wrote here");
    await other.prompt.fill("and what was written there");
    for (const v of [siskin, other]) await v.hold(false);
    await expect
      .poll(async () => {
        const [here, there] = [await siskin.prompt.inputValue(), await other.prompt.inputValue()];
        return here === there && here.includes("wrote here") && here.includes("written there");
      })
      .toBe(true);
    await expect
      .poll(async () =>
        (await Promise.all([siskin, other].map((v) => v.page.getByText("Both texts are kept").count()))).some(
          (n) => n > 0,
        ),
      )
      .toBe(true);
    await siskin.prompt.fill("");
    await expect.poll(() => other.prompt.inputValue()).toBe("");
  });

  it("outlives the end of its session, also when that came in the middle of a word", async () => {
    const visitor = await siskin.again();
    const { page } = visitor;
    await page.goto(siskin.page.url());
    await visitor.prompt.pressSequentially("half a th");
    // The session is ended elsewhere: by the same cookie, here.
    await page.evaluate(() =>
      fetch("/api/logout", { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } }),
    );
    await page.getByText("Your session ended.").waitFor();
    await visitor.prompt.pressSequentially("ought");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Name").fill("siskin");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await visitor.thread.waitFor();
    await expect.poll(() => visitor.prompt.inputValue()).toBe("half a thought");
    await visitor.prompt.fill("");
    await expect.poll(() => other.prompt.inputValue()).toBe("");
    await visitor.leave();
    // The same session was siskin's: it is signed in anew.
    await siskin.page.context().clearCookies();
    await siskin.signIn(other.page.url());
    await siskin.open(other.page.url());
  });
});

describe("files", () => {
  it("are attached by button, paste and drop, shown with their progress, and taken out again", async () => {
    const { page } = siskin;
    const input = page.getByRole("form").locator("input[type=file]");
    await input.setInputFiles([
      { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") },
      { name: "red.png", mimeType: "image/png", buffer: png },
    ]);
    await files(page).getByText("notes.txt").waitFor();
    const picture = files(page).locator("img");
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((i) => (i as HTMLImageElement).naturalWidth)).toBe(1);
    // One that is on its way says how far it is.
    let release: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/attachments?*", async (route) => {
      await arrived;
      await route.continue();
    });
    await input.setInputFiles({ name: "late.txt", mimeType: "text/plain", buffer: Buffer.from("late") });
    const going = files(page).getByRole("progressbar", { name: /late\.txt/ });
    await going.waitFor();
    release();
    await going.waitFor({ state: "detached" });
    await page.unroute("**/attachments?*");
    await files(page).getByRole("button", { name: "Remove late.txt" }).click();
    // What is attached is part of the draft.
    await files(other.page).getByText("notes.txt").waitFor();

    await siskin.prompt.evaluate((field) => {
      const data = new DataTransfer();
      data.items.add(new File(["pasted"], "pasted.log", { type: "text/plain" }));
      field.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
      );
    });
    await files(page).getByText("pasted.log").waitFor();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["dropped"], "dropped.csv", { type: "text/csv" }));
      for (const type of ["dragover", "drop"])
        document
          .querySelector("main")
          ?.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await files(page).getByText("dropped.csv").waitFor();
    await files(page).getByRole("button", { name: "Remove pasted.log" }).click();
    await expect.poll(() => files(page).getByText("pasted.log").count()).toBe(0);
    expect(await violations(page)).toEqual([]);

    await siskin.send("text with files");
    const sent = siskin.thread.getByRole("list", { name: "Attached files" }).last();
    await sent.getByText("notes.txt").waitFor();
    await sent.getByText("dropped.csv").waitFor();
    await siskin.done();
    await expect.poll(() => files(other.page).count()).toBe(0);
    await sent.getByRole("button", { name: "Show red.png larger" }).click();
    await page.getByRole("dialog", { name: "red.png" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("can be sent without a word: the prompt then says their names", async () => {
    const { page } = siskin;
    await page
      .getByRole("form")
      .locator("input[type=file]")
      .setInputFiles([{ name: "alone.txt", mimeType: "text/plain", buffer: Buffer.from("text") }]);
    await files(page).getByText("4 B").waitFor();
    await siskin.begun(() => siskin.prompt.press("Enter"));
    await siskin.done();
    // Once as the prompt's words, once as the file.
    await expect.poll(() => siskin.thread.getByText("alone.txt", { exact: true }).count()).toBe(2);
  });

  it("that are too large or empty are told at once, and hold nothing up", async () => {
    const { page } = siskin;
    const input = page.getByRole("form").locator("input[type=file]");
    await input.setInputFiles({ name: "none.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) });
    await files(page).getByText("The file is empty.").waitFor();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(21 * 1024 * 1024)], "huge.bin"));
      document
        .querySelector("main")
        ?.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await files(page).getByText("Larger than 20 MB.").waitFor();
    await files(page).getByRole("button", { name: "Remove huge.bin" }).click();
    await files(page).getByRole("button", { name: "Remove none.txt" }).click();
    await expect.poll(() => files(page).count()).toBe(0);
  });

  it("that are given on the first page make the chat that they belong to, with what was written", async () => {
    const visitor = await siskin.again();
    const { page } = visitor;
    await page.goto(daemon.url);
    await visitor.prompt.fill("text about this");
    await page
      .getByRole("form")
      .locator("input[type=file]")
      .setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
    await page.waitForURL(/\/chats\//);
    await files(page).getByText("a.txt").waitFor();
    await expect.poll(() => visitor.prompt.inputValue()).toBe("text about this");
    await visitor.send("text about this");
    await visitor.thread.getByText("a.txt").waitFor();
    await visitor.done();
    await visitor.leave();
  });
});

it("a text that is selected in the thread is quoted in the prompt", async () => {
  const { page } = siskin;
  await siskin.thread
    .getByText("This is prompt")
    .first()
    .evaluate((element) => getSelection()?.selectAllChildren(element));
  await page.getByRole("button", { name: "Quote" }).click();
  await expect.poll(() => siskin.prompt.inputValue()).toMatch(/^> This is prompt[^\n]*\n\n$/);
  await expect.poll(() => siskin.focused()).toBe("composer");
  await siskin.prompt.fill("");
});

it("others see who is writing, and no longer once that has stopped", async () => {
  daemon.addUser("dunlin", password);
  const dunlin = await Visitor.come(browser);
  await dunlin.signIn(siskin.page.url(), "dunlin");
  await dunlin.thread.waitFor();
  await expect
    .poll(async () => {
      await dunlin.prompt.press("w");
      return siskin.page.getByText("dunlin is writing").count();
    })
    .toBeGreaterThan(0);
  await siskin.page.getByText("dunlin is writing").first().waitFor({ state: "detached" });
  await dunlin.leave();
});

describe.each(themes)("the menus of the composer in the %s theme", (colorScheme) => {
  it.each(sizes)(
    "open by their keys and have nothing that axe finds wrong at %i px",
    async (width, height) => {
      const visitor = await siskin.again({
        viewport: { width, height },
        colorScheme,
      });
      const { page } = visitor;
      await visitor.open(siskin.page.url());
      await visitor.prompt.focus();
      await page.keyboard.press("Control+.");
      const policy = /^Debug.*Writes its own files in the chat's folder; asks for the rest/;
      await page.getByRole("menuitemradio", { name: policy }).waitFor();
      expect(await violations(page, "[role=menu]")).toEqual([]);
      await page.keyboard.press("5");
      await page.getByRole("menu").waitFor({ state: "detached" });
      await expect.poll(() => visitor.focused()).toBe("composer");
      await page.keyboard.press("Control+;");
      await page.getByRole("dialog", { name: "Model, effort and tier" }).waitFor();
      await page
        .getByText(/The demo agent|Codex|Claude/)
        .first()
        .waitFor();
      expect(await violations(page, "[role=dialog]")).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await expect.poll(() => visitor.focused()).toBe("composer");
      await visitor.leave();
    },
  );
});

it("on a phone the composer stays above the keyboard, upright and in landscape", async () => {
  const visitor = await siskin.again({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const { page } = visitor;
  await visitor.open(siskin.page.url());
  for (const [width, height] of [
    [390, 430],
    [844, 200],
  ] as const) {
    // The keyboard takes its room from what is seen of the page.
    await page.setViewportSize({ width, height });
    await visitor.prompt.tap();
    const inView = async (name: string) => {
      const box = await page.getByRole("button", { name, exact: true }).boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= height && box.x + box.width <= width;
    };
    await expect.poll(() => inView("Send")).toBe(true);
    expect(await overflow(page)).toBe(0);
    const mode = await page.getByRole("button", { name: /^Mode:/ }).isVisible();
    const segments = await page.getByRole("radio", { name: "Code" }).isVisible();
    expect(mode || segments).toBe(true);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: /^Mode:/ }).tap();
  await page.getByRole("menuitemradio", { name: /Review/ }).tap();
  await page.getByRole("button", { name: "Mode: Review" }).waitFor();
  for (const name of ["Attach files", "Send", "Mode: Review"]) {
    const box = await page.getByRole("button", { name, exact: true }).boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0), name).toBeGreaterThanOrEqual(44);
  }
  await visitor.leave();
});

it("nothing went wrong in the pages", () => {
  siskin.expectClean(daemon.url);
  other.expectClean(daemon.url);
});
