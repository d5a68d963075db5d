import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, overflow, themes, violations, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let siskin: Visitor;
let dunlin: Visitor;
let wren: Visitor;

const card = (visitor: Visitor) => visitor.page.getByRole("alertdialog");
const says = (visitor: Visitor, words: RegExp) =>
  visitor.page.getByRole("status").filter({ hasText: words }).waitFor({ state: "attached" });

/** Presses a key of the card in the moment in which it comes. */
const pressAtOnce = `
  window.pressed = false;
  new MutationObserver((_, self) => {
    if (document.querySelector("[role=alertdialog]") === null) return;
    self.disconnect();
    requestAnimationFrame(() => {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true }));
      window.pressed = true;
    });
  }).observe(document.body, { childList: true, subtree: true });
`;

const settledOpacity = (element: Locator) =>
  element.evaluate(async (one) => {
    await Promise.all(one.getAnimations().map((run) => run.finished));
    return getComputedStyle(one).opacity;
  });

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  siskin = await Visitor.come(browser);
  await siskin.holdable();
  await siskin.setUp(daemon.setupLink);
  daemon.addUser("dunlin", "a long and simple phrase");
  daemon.addUser("wren", "a long and simple phrase", "--viewer");
  await siskin.begin(daemon.url, "text");
  await siskin.done();
  dunlin = await Visitor.come(browser);
  await dunlin.signIn(siskin.page.url(), "dunlin");
  await dunlin.thread.waitFor();
  wren = await Visitor.come(browser);
  await wren.page.goto(siskin.page.url());
  await wren.page.getByLabel("Name").fill("wren");
  await wren.page.getByLabel("Password").fill("a long and simple phrase");
  await wren.page.getByRole("button", { name: "Sign in" }).click();
  await wren.thread.waitFor();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

describe("a request for leave", () => {
  it("waits in every browser, is answered in one, and the others see by whom", async () => {
    await siskin.send("approve");
    for (const visitor of [siskin, dunlin]) {
      await card(visitor).getByText("Use this tool?").waitFor();
      await card(visitor).getByText("Stamp signalbox-demo-approved.md").waitFor();
      await says(visitor, /^Needs you: use a tool$/);
      await visitor.page.getByRole("button", { name: /Prompt at .* needs you/ }).waitFor();
      await visitor.page.getByRole("heading", { name: "Needs you" }).waitFor();
    }
    await expect.poll(() => siskin.page.title()).toMatch(/^⊖ /);
    await siskin.page.getByText(/are viewing this\. The first answer counts\./).waitFor();
    await wren.page.getByText("You can read this chat, but not answer.").waitFor();
    expect(await card(wren).getByRole("button").count()).toBe(0);

    await card(dunlin).getByRole("button", { name: "Allow once" }).click();
    for (const visitor of [siskin, dunlin, wren]) {
      await visitor.done();
      await visitor.thread.getByText("Allowed by dunlin").waitFor();
      await visitor.thread.getByText("Leave was given, and").waitFor();
    }
    await card(siskin).waitFor({ state: "detached" });
  });

  it("tells who was too late whose answer counted", async () => {
    await siskin.send("approve");
    await card(siskin).waitFor();
    await card(dunlin).waitFor();
    // What siskin hears comes late, so that both answer what both still see.
    await siskin.hold(true);
    await card(dunlin).getByRole("button", { name: "Deny" }).click();
    await dunlin.done();
    await card(siskin).getByRole("button", { name: "Allow once" }).click();
    await siskin.hold(false);
    await siskin.page.getByText(/You pressed Allow once \d+\.\d s later; it had no effect\./).waitFor();
    await siskin.page.getByText("dunlin was first and denied it.").waitFor();
    await siskin.done();
    await siskin.thread.getByText("Denied by dunlin").first().waitFor();
    await siskin.page.getByRole("button", { name: "OK", exact: true }).click();
  });

  it("is denied with words that the agent hears, and never by a key meant for the text", async () => {
    await siskin.send("approve");
    await card(siskin).waitFor();
    await siskin.prompt.click();
    await siskin.page.keyboard.type("nay, any other file");
    expect(await card(siskin).count()).toBe(1);
    await card(siskin).getByRole("button", { name: "Deny and send" }).click();
    await siskin.done();
    await siskin.thread.getByText("nay, any other file").first().waitFor();
    await siskin.thread.getByText(/said no, and wants this instead/).waitFor();
    await expect.poll(() => siskin.prompt.inputValue()).toBe("");
  });

  it("is answered by keys once the card has been there a moment", async () => {
    await siskin.page.evaluate(pressAtOnce);
    await siskin.send("approve");
    await card(siskin).waitFor();
    await expect.poll(() => siskin.page.evaluate("pressed")).toBe(true);
    await siskin.blur();
    expect(await card(siskin).count()).toBe(1);
    await expect
      .poll(async () => {
        await siskin.page.keyboard.press("n");
        return card(siskin).count();
      })
      .toBe(0);
    await siskin.done();
    await siskin.thread.getByText("Denied by siskin").first().waitFor();
  });

  it("is allowed for the chat, not asked again, and asked again once that is revoked", async () => {
    await siskin.send("approve");
    await card(siskin).getByText("every use of Stamp").waitFor();
    await card(siskin).getByRole("button", { name: "Allow for this chat" }).click();
    await siskin.done();
    await siskin.send("approve");
    await siskin.done();
    await siskin.thread.getByText("siskin allowed it for this chat").waitFor();
    await siskin.page.getByRole("banner").getByRole("button", { name: "Allowed for this chat" }).click();
    const dialog = siskin.page.getByRole("dialog");
    await dialog.getByText("every use of Stamp").waitFor();
    expect(await violations(siskin.page, "[role=dialog]")).toEqual([]);
    await dialog.getByRole("button", { name: /Revoke/ }).click();
    await dialog.getByText("Nothing is allowed for this chat").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await siskin.send("approve");
    await card(siskin).getByRole("button", { name: "Deny" }).click();
    await siskin.done();
  });

  it("is withdrawn when the run is stopped", async () => {
    await siskin.send("approve");
    await card(siskin).waitFor();
    await siskin.stop.click();
    await siskin.done();
    await siskin.thread.getByText("Expired without an answer").first().waitFor();
    expect(await card(siskin).count()).toBe(0);
  });
});

describe("a plan", () => {
  it("is shown, accepted, and puts the chat into Code mode", async () => {
    const { page, thread } = siskin;
    await page.locator("label").filter({ hasText: "Plan" }).click();
    await siskin.send("plan");
    await card(siskin).getByText("Start with this plan?").waitFor();
    await card(siskin).getByRole("list").getByText("Change one line of it").waitFor();
    await card(siskin).getByRole("button", { name: "Start" }).click();
    await siskin.done();
    await thread.getByText("The plan is accepted").waitFor();
    await thread.getByText("I changed a line of").last().waitFor();
    await expect.poll(() => page.getByRole("radio", { name: "Code" }).isChecked()).toBe(true);
  });

  it("is sent back", async () => {
    await siskin.send("plan");
    await card(siskin).getByRole("button", { name: "Keep planning" }).click();
    await siskin.done();
    await siskin.thread.getByText("I go no further than the plan.").waitFor();
  });
});

describe("questions", () => {
  it("are answered by the keyboard alone, with a way back and own words", async () => {
    const { page, thread } = siskin;
    await siskin.send("ask");
    await page.getByText("Question 1 of 2").first().waitFor();
    await says(siskin, /^Needs you: answer a question$/);
    await siskin.blur();
    await expect
      .poll(async () => {
        await page.keyboard.press("2");
        return page.getByRole("radio", { name: /Amber/ }).isChecked();
      })
      .toBe(true);
    await page.keyboard.press("Enter");
    await page.getByText("Question 2 of 2").first().waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
    await page.keyboard.press("ArrowLeft");
    await page.getByText("Question 1 of 2").first().waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.getByText("Question 2 of 2").first().waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
    await page.keyboard.press("1");
    await page.keyboard.press("2");
    await page.keyboard.press("4");
    await page.keyboard.type("a piano");
    await page.keyboard.press("Enter");
    await siskin.done();
    await thread.getByText("Coal, Letters, a piano").first().waitFor();
    await dunlin.thread.getByText("Answered by siskin").waitFor();
    await dunlin.thread.getByText("Green").first().waitFor();
  });

  it("are answered in own words from below, which are kept until they count", async () => {
    const { page, thread, prompt } = siskin;
    await siskin.send("ask");
    await page.getByText("Question 1 of 2").first().waitFor();
    await page.getByText("Held until you answer").first().waitFor();
    const fills = () =>
      page
        .locator("[data-option]")
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
    const before = await fills();
    const next = page.getByRole("button", { name: "Next" });
    await next.hover({ force: true });
    expect(await settledOpacity(next)).toBe("0.6");
    await page.getByRole("radio", { name: /Amber/ }).check();
    const after = await fills();
    expect(after[1]).not.toBe(after[0]);
    // Nothing looks chosen before anything is.
    expect(before).toEqual(after.map(() => after[0]));
    await next.click();
    await page.getByText("Question 2 of 2").first().waitFor();
    await page.getByPlaceholder("Or reply in your own words").fill("a brass band");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Send instead" }).waitFor();
    await prompt.press("Enter");
    await siskin.done();
    await thread.getByText("a brass band", { exact: true }).first().waitFor();
    await thread.getByText("Amber").first().waitFor();
    await expect.poll(() => prompt.inputValue()).toBe("");
  });

  it("are skipped one by one, or not answered at all", async () => {
    await siskin.send("ask");
    await siskin.page.getByRole("button", { name: "Skip", exact: true }).click();
    await siskin.page.getByText("Question 2 of 2").first().waitFor();
    await siskin.page.getByRole("checkbox", { name: /Letters/ }).check();
    await siskin.page.getByRole("button", { name: "Answer", exact: true }).click();
    await siskin.done();
    await siskin.thread.getByText("Not answered").last().waitFor();
    await siskin.send("ask");
    await siskin.page.getByRole("button", { name: "Don't answer" }).click();
    await siskin.done();
    await siskin.thread.getByText("siskin did not answer").waitFor();
  });
});

describe.each(themes)("cards in the %s theme", (colorScheme) => {
  it.each([
    [360, 740],
    [1440, 900],
  ])("have nothing that axe finds wrong at %i px", async (width, height) => {
    const visitor = await siskin.again({
      viewport: { width, height },
      colorScheme,
    });
    const { page } = visitor;
    await visitor.open(siskin.page.url());
    for (const [word, close] of [
      ["approve", "Deny"],
      ["plan", "Keep planning"],
      ["ask", "Don't answer"],
    ] as const) {
      await visitor.send(word);
      const button = page.getByRole("button", { name: close });
      await button.waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      if (width < 640) {
        const box = await button.boundingBox();
        expect(box?.height ?? 0).toBeGreaterThanOrEqual(44);
      }
      await button.click();
      await visitor.done();
    }
    await visitor.leave();
  });
});

it("what waits when the daemon is killed has expired, and says so", async () => {
  await siskin.send("approve");
  await card(siskin).waitFor();
  await daemon.kill();
  await siskin.page.getByText("No connection: answers can be sent when it is back.").waitFor();
  expect(await card(siskin).getByRole("button", { name: "Allow once" }).isDisabled()).toBe(true);
  await daemon.start();
  await siskin.thread
    .getByText(/Interrupted by a server restart at/)
    .last()
    .waitFor();
  await siskin.thread.getByText("Expired without an answer").last().waitFor();
  expect(await card(siskin).count()).toBe(0);
  siskin.expectClean(daemon.url);
  dunlin.expectClean(daemon.url);
});
