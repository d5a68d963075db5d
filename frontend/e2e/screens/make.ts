// Makes docs/screens: each picture of the design beside the running product in the same state, in both
// themes. `npm run screens` starts it; it is no test, and says by its names what it could not show.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { launch, Visitor } from "../browser";
import { Fake } from "../fake";
import { colours, desk, measure, phone as onPhone } from "./measures";
import { type Colours, type Measures, writeIndex } from "./page";
import { pictures } from "./pictures";

const out = fileURLToPath(new URL("../../../docs/screens/", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "signalbox-screens-"));
const password = "a long and simple phrase";

const measured: Measures = [];
const tokens: Colours = { light: [], dark: [] };

let browser: Browser;
let fake: Fake;
let siskin: Visitor;
let dunlin: Visitor;

beforeAll(async () => {
  mkdirSync(join(out, "shots"), { recursive: true });
  browser = await launch();
  fake = await Fake.start(scratch);
  siskin = await come();
  await siskin.setUp(fake.daemon.setupLink);
  await choose(siskin, "Demo");
  fake.daemon.addUser("dunlin", password);
  dunlin = await Visitor.come(browser);
  await dunlin.signIn(fake.daemon.url, "dunlin");
});

afterAll(async () => {
  await browser.close();
  await fake.daemon.stop();
  rmSync(scratch, { recursive: true });
  writeIndex(out, measured, tokens);
});

async function come(options: BrowserContextOptions = {}): Promise<Visitor> {
  const visitor = await Visitor.come(browser, { viewport: { width: 1440, height: 900 }, ...options });
  visitor.page.setDefaultTimeout(20_000);
  return visitor;
}

/** The same person at a phone. */
async function phone(): Promise<Visitor> {
  return come({
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
    storageState: await siskin.page.context().storageState(),
  });
}

/** Which agent answers in the chat that is open. */
async function choose(visitor: Visitor, agent: string): Promise<void> {
  const { page } = visitor;
  await page.getByRole("button", { name: /^Model:/ }).click();
  const menu = page.getByRole("dialog", { name: "Model, effort and tier" });
  await menu
    .getByRole("group", { name: new RegExp(agent) })
    .locator("label")
    .first()
    .click();
  await menu.waitFor({ state: "detached" });
}

async function begin(visitor: Visitor, text: string, agent = "Demo"): Promise<void> {
  await visitor.page.goto(fake.daemon.url);
  await visitor.prompt.waitFor();
  await choose(visitor, agent);
  await visitor.send(text);
  await visitor.page.waitForURL(/\/chats\//);
}

type Part = { readonly around: readonly Locator[]; readonly pad?: number };

async function partOf(page: Page, { around, pad = 16 }: Part) {
  const boxes = (await Promise.all(around.map((l) => l.first().boundingBox()))).filter((b) => b !== null);
  const view = page.viewportSize() ?? { width: 0, height: 0 };
  const x = Math.max(0, Math.min(...boxes.map((b) => b.x)) - pad);
  const y = Math.max(0, Math.min(...boxes.map((b) => b.y)) - pad);
  return {
    x,
    y,
    width: Math.min(view.width, Math.max(...boxes.map((b) => b.x + b.width)) + pad) - x,
    height: Math.min(view.height, Math.max(...boxes.map((b) => b.y + b.height)) + pad) - y,
    scale: 1,
  };
}

/** Lets the page follow its system, and waits until it has. */
async function inTheme(page: Page, theme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.locator(`html[data-theme=${theme}]`).waitFor();
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

/** Takes what is there in both themes. */
async function shoot(page: Page, name: string, part?: Part): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  for (const theme of ["light", "dark"] as const) {
    await inTheme(page, theme);
    const clip = part === undefined ? {} : { clip: await partOf(page, part) };
    const shot = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 82, ...clip });
    writeFileSync(join(out, "shots", `${name}-${theme}.webp`), Buffer.from(shot.data, "base64"));
  }
  await page.emulateMedia({ colorScheme: null });
  await devtools.detach();
}

const banner = (page: Page, words: string | RegExp) => page.locator("main > *").filter({ hasText: words });

/** Takes the end of a chat in a low window, so that there is nothing between it and the composer. */
async function low(page: Page, name: string): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 460 });
  await shoot(page, name);
  await page.setViewportSize({ width: 1440, height: 900 });
}

describe("a chat", () => {
  it("05 home", async () => {
    await begin(siskin, "think, then text about webhooks that are sent twice");
    await siskin.done();
    await begin(siskin, "fail while the index plan is made");
    await siskin.done();
    await begin(dunlin, "approve the new certificates");
    await dunlin.page.getByRole("alertdialog").waitFor();
    await siskin.page.goto(fake.daemon.url);
    await siskin.page.getByText("Agents on this server").waitFor();
    await siskin.page.getByText("Not installed").first().waitFor();
    await shoot(siskin.page, "05-home");
  });

  it("01 a run that goes on", async () => {
    const { page } = siskin;
    await begin(siskin, "text, as a start");
    await siskin.done();
    await siskin.send("think, edit, shell, then slow");
    for (const text of ["text: run the whole suite, then lint", "think of a changelog line"]) {
      await siskin.prompt.fill(text);
      await siskin.prompt.press("Enter");
    }
    await page.getByRole("list", { name: "Queued" }).locator("[data-chip]").nth(1).waitFor();
    await siskin.thread.getByText("Slowly, word by word").last().waitFor();
    await siskin.prompt.fill("Open a draft and link the incident");
    await shoot(page, "01-chat-running");
  });

  it("08 the same on a phone, and its drawer", async () => {
    const small = await phone();
    await small.page.goto(siskin.page.url());
    await small.thread.getByText("Slowly, word by word").last().waitFor();
    await shoot(small.page, "08-mobile-chat");
    await small.page.getByRole("button", { name: "Open the list of chats" }).tap();
    await small.page.getByRole("dialog").getByRole("link").first().waitFor();
    await shoot(small.page, "08-mobile-drawer");
    await small.leave();
    await siskin.prompt.fill("");
    // On a slow machine it has ended by itself.
    if ((await siskin.stop.count()) > 0) await siskin.stop.click();
    await siskin.done();
  });

  it("10 what can be done at a station, and the map", async () => {
    const { page } = siskin;
    await begin(siskin, "text one");
    await siskin.done();
    for (const text of ["think two", "edit three", "text four"]) {
      await siskin.send(text);
      await siskin.done();
    }
    const from = page.url();
    await page.locator("[data-station]").nth(1).focus();
    await page.keyboard.press("f");
    await page.waitForURL((url) => url.href !== from);
    await siskin.prompt.waitFor();
    await siskin.send("think in the fork");
    await siskin.done();
    await page.goto(from);
    await page.locator("[data-station]").nth(3).focus();
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "Edit the prompt" }).fill("text four, in other words");
    await page.keyboard.press("Control+Enter");
    await siskin.thread.getByText("in other words").waitFor();
    await siskin.done();
    await page.goto(`${from}?panel=forks`);
    await page.getByRole("complementary", { name: "Forks" }).getByText("think in the fork").waitFor();
    await siskin.scrollUpTo(siskin.thread.getByText("think two", { exact: true }));
    await page.locator("[data-station]").nth(1).hover();
    await page.getByRole("menu", { name: /^Prompt at/ }).waitFor();
    await shoot(page, "10-fork-hover");
  });

  it("10b a rewind is asked for", async () => {
    const { page } = siskin;
    await page.keyboard.press("Escape");
    await page.locator("[data-station]").nth(1).focus();
    await page.keyboard.press("r");
    await page.getByRole("group", { name: /^Rewind to before/ }).waitFor();
    await shoot(page, "10b-rewind-confirm");
    await page.keyboard.press("Escape");
  });
});

describe("cards", () => {
  it("03 a permission", async () => {
    const { page } = siskin;
    await begin(siskin, "text, and then think");
    await siskin.done();
    await siskin.send("approve");
    await page.getByRole("alertdialog").getByText("Use this tool?").waitFor();
    await shoot(page, "03-approval");
    const small = await phone();
    await small.page.goto(page.url());
    await small.page.getByRole("alertdialog").waitFor();
    await shoot(small.page, "08-mobile-approval");
    await small.leave();
  });

  it("9f somebody else answers", async () => {
    await dunlin.page.goto(siskin.page.url());
    await dunlin.page.getByRole("alertdialog").getByRole("button", { name: "Allow once" }).click();
    await siskin.done();
    await siskin.thread.getByText("Allowed by dunlin").first().waitFor();
  });

  it("9f somebody answered a moment before", async () => {
    const late = await come({ storageState: await siskin.page.context().storageState() });
    let holds = false;
    const held: (() => void)[] = [];
    await late.page.routeWebSocket(/\/ws\/chat\//, (near) => {
      near.connectToServer().onMessage((message) => {
        if (holds) held.push(() => near.send(message));
        else near.send(message);
      });
    });
    await late.page.goto(siskin.page.url());
    await late.send("approve");
    const card = (visitor: Visitor) => visitor.page.getByRole("alertdialog");
    await card(late).waitFor();
    await card(dunlin).waitFor();
    holds = true;
    await card(dunlin).getByRole("button", { name: "Allow once" }).click();
    await dunlin.done();
    await card(late).getByRole("button", { name: "Deny" }).click();
    holds = false;
    for (const hear of held) hear();
    await late.page.getByText(/You pressed Deny/).waitFor();
    await late.thread.getByText("Allowed by dunlin").last().waitFor();
    await late.page.setViewportSize({ width: 1440, height: 560 });
    await shoot(late.page, "09f-other-first");
    await late.leave();
  });

  it("03b, 03c questions, one and several answers", async () => {
    const { page } = siskin;
    await siskin.send("ask");
    await page.getByText("Question 1 of 2").first().waitFor();
    await page.getByRole("radio", { name: /Amber/ }).check({ force: true });
    await shoot(page, "03c-question-radio");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Question 2 of 2").first().waitFor();
    await page.getByRole("checkbox", { name: /Coal/ }).check({ force: true });
    await page.getByRole("checkbox", { name: /Passengers/ }).check({ force: true });
    await shoot(page, "03b-question-multi");
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await siskin.done();
  });
});

describe("steps", () => {
  it("11 every kind that the fake agent has", async () => {
    const { page } = siskin;
    const captures = ["print/edit", "two-way/search", "two-way/agent-foreground", "two-way/todo"];
    await page.setViewportSize({ width: 1440, height: 1400 });
    for (const [i, capture] of captures.entries()) {
      fake.playCapture(capture);
      if (i === 0) await begin(siskin, `Play ${capture}`, "Claude Code");
      else await siskin.send(`Play ${capture}`);
      await siskin.done();
    }
    for (const fold of await siskin.thread.getByRole("button", { name: /^\d+ steps?/ }).all())
      await fold.click();
    for (const name of [/^Search/, /^Subagent/]) {
      const step = siskin.thread.getByRole("button", { name }).first();
      if ((await step.getAttribute("aria-expanded")) === "false") await step.click();
    }
    await page.locator(".thread").evaluate((box) => box.scrollTo(0, 0));
    await shoot(page, "11-tool-renderers");
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});

describe("palette and menus", () => {
  it("12 palette", async () => {
    const { page } = siskin;
    await begin(siskin, "text about webhooks");
    await siskin.done();
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog");
    await palette.getByRole("combobox").waitFor();
    await page.keyboard.type("webhooks");
    await palette.getByText("In messages").waitFor();
    await palette
      .getByRole("option", { name: /webhooks/ })
      .nth(1)
      .waitFor();
    await shoot(page, "12-palette", { around: [palette] });
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
  });

  it("12 modes, models and the account", async () => {
    const { page } = siskin;
    await page.keyboard.press("Control+.");
    await page.getByRole("menuitemradio", { name: /Debug/ }).waitFor();
    await shoot(page, "12-modes", { around: [page.getByRole("menu")] });
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    await page.keyboard.press("Control+;");
    const models = page.getByRole("dialog", { name: "Model, effort and tier" });
    await models.waitFor();
    await shoot(page, "12-models", { around: [models] });
    await page.keyboard.press("Escape");
    await models.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Account and theme" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    await shoot(page, "12-account", { around: [page.getByRole("menu")] });
    await page.keyboard.press("Escape");
  });
});

describe("settings", () => {
  it("06 settings as far as they are there", async () => {
    await siskin.page.goto(`${fake.daemon.url}/settings/usage`);
    await siskin.page.getByRole("columnheader", { name: "Cost" }).waitFor();
    await shoot(siskin.page, "06-settings");
  });
});

describe("states", () => {
  it("9d an error", async () => {
    await begin(siskin, "fail");
    await siskin.done();
    await siskin.thread.getByText("The demo agent is overloaded.").waitFor();
    await low(siskin.page, "09d-error");
  });

  it("9e a rate limit", async () => {
    const { page } = siskin;
    const limit = {
      status: "rejected",
      resetsAt: Math.floor(Date.now() / 1000) + 702,
      rateLimitType: "five_hour",
    };
    const told = JSON.stringify({ type: "rate_limit_event", rate_limit_info: limit });
    fake.playCapture("two-way/error429", { before: [told] });
    await begin(siskin, "Check the limits", "Claude Code");
    await siskin.done();
    const block = siskin.thread.getByText(/^Rate limited/).first();
    await block.waitFor();
    await low(page, "09e-rate-limit");
  });

  it("9i a chat that is loading", async () => {
    const { page } = siskin;
    await begin(siskin, "text");
    await siskin.done();
    await page.routeWebSocket(/\/ws\/chat\//, () => undefined);
    await page.reload();
    await page.locator("[aria-busy=true] .column").waitFor();
    await shoot(page, "09i-loading", { around: [page.locator("[aria-busy=true] .column > div")] });
  });

  it("9h a session that ended elsewhere", async () => {
    const visitor = await come();
    await visitor.signIn(siskin.page.url());
    await visitor.thread.waitFor();
    await visitor.page.evaluate(() =>
      fetch("/api/logout", { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } }),
    );
    await visitor.page.getByText("Your session ended.").waitFor();
    await shoot(visitor.page, "09h-signed-out", {
      around: [banner(visitor.page, "Your session ended.")],
      pad: 0,
    });
    await visitor.leave();
  });

  it("9b what was missed is replayed, 9g and a newer server runs", async () => {
    const visitor = await come({ storageState: await dunlin.page.context().storageState() });
    const { page } = visitor;
    let line: "up" | "down" | "slow" | "newer" = "up";
    let cut = () => {};
    await page.routeWebSocket(/\/ws\/chat\//, (near) => {
      if (line === "down") {
        void near.close({ code: 1012 });
        return;
      }
      const far = near.connectToServer();
      let heard = 0;
      cut = () => {
        void near.close({ code: 1012 });
        void far.close();
      };
      far.onMessage((message) => {
        heard += 1;
        if (line === "slow" && heard > 3) return;
        near.send(
          line === "newer" ? String(message).replaceAll(/"version":"[^"]*"/g, '"version":"1.8"') : message,
        );
      });
    });
    await begin(visitor, "slow");
    await visitor.thread.getByText("Slowly, word by word").waitFor();
    line = "down";
    cut();
    const there = await come({ storageState: await dunlin.page.context().storageState() });
    await there.page.goto(page.url());
    await there.thread.getByText("Slowly, word by word").waitFor();
    await there.stop.waitFor({ state: "detached", timeout: 60_000 });
    line = "slow";
    await page.getByText("Back online.").waitFor();
    await shoot(page, "09b-replay");
    await there.leave();
    line = "newer";
    cut();
    await page.getByText(/1\.8 is running/).waitFor();
    await shoot(page, "09g-updated", { around: [banner(page, "is running.")], pad: 0 });
    await visitor.leave();
  });

  it("9a no connection, 9c and a run that was interrupted", async () => {
    const { page } = siskin;
    await page.unrouteAll();
    const visitor = await come({ storageState: await dunlin.page.context().storageState() });
    await begin(visitor, "edit, then slow");
    await visitor.thread.getByText("Slowly, word by word").waitFor();
    await fake.daemon.kill();
    await visitor.page.getByText("Connection lost.").waitFor();
    await visitor.prompt.fill("text: also cover the replay path");
    await visitor.prompt.press("Enter");
    await visitor.page.getByText("Waiting to send").waitFor();
    await shoot(visitor.page, "09a-offline");
    // What was kept would be sent, and the run before it could not be gone on with.
    await visitor.page.getByRole("button", { name: /^Take back/ }).click();
    await visitor.prompt.fill("");
    await fake.daemon.start();
    await visitor.thread.getByText(/Interrupted by a server restart at/).waitFor();
    await visitor.thread.getByRole("button", { name: "Continue" }).waitFor();
    await low(visitor.page, "09c-interrupted");
    await visitor.leave();
  });
});

describe("the measures", () => {
  it("are those of the design", async () => {
    const visitor = await come({ storageState: await dunlin.page.context().storageState() });
    const { page } = visitor;
    await begin(visitor, "text, edit, then think");
    await visitor.done();
    for (const theme of ["light", "dark"] as const) {
      await inTheme(page, theme);
      tokens[theme] = await colours(page);
    }
    await inTheme(page, "light");
    const folded = visitor.thread.getByRole("button", { name: /^\d+ steps?/ });
    if ((await folded.count()) > 0) await folded.first().click();
    measured.push(["On a desk", await measure(page, desk)]);
    const small = await phone();
    await small.page.goto(page.url());
    await small.thread.locator(".prose p").first().waitFor();
    measured.push(["On a phone", await measure(small.page, onPhone)]);
    await small.leave();
    await visitor.leave();
  });
});

describe("the pictures", () => {
  it("are copied from where SIGNALBOX_DESIGN says they are", () => {
    const from = process.env["SIGNALBOX_DESIGN"];
    if (from === undefined) return;
    mkdirSync(join(out, "design"), { recursive: true });
    for (const { design } of pictures)
      for (const file of design)
        if (existsSync(join(from, file))) copyFileSync(join(from, file), join(out, "design", file));
  });
});
