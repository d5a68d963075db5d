import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, violations, Visitor } from "./browser";
import { Client } from "./client";
import { Daemon } from "./daemon";
import { writeRuns } from "./history";

let browser: Browser;
let daemon: Daemon;
let visitor: Visitor;
let chat: string;

/** Far from the zone of the daemon: a day begins here while it is still yesterday there. */
const timezoneId = "Pacific/Auckland";

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  visitor = await Visitor.come(browser, { timezoneId });
  await visitor.setUp(daemon.setupLink);
  const client = await Client.signIn(daemon, "siskin", "a long and simple phrase");
  chat = await client.createChat({ agent: "demo" });
  await daemon.kill();
  writeRuns(daemon, chat, [
    { text: "first of all", at: new Date("2025-03-04T09:00:00Z") },
    // In Auckland both are on the fifth.
    { text: "before midnight in London", at: new Date("2025-03-04T23:50:00Z") },
    { text: "after midnight in London", at: new Date("2025-03-05T00:10:00Z") },
    { text: "a day before yesterday", at: new Date(Date.now() - 2 * 86_400_000) },
  ]);
  await daemon.start();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

/** The lines of days and the prompts, as they stand below one another. */
const order = () =>
  visitor.thread
    .locator('[data-row$="/day"], [data-row^="p:"] h2 ~ p:not(.sm\\:hidden)')
    .evaluateAll((all) => all.map((one) => (one.textContent ?? "").trim()));

it("a line names each day on which prompts were sent, in the zone of who reads, the first one too", async () => {
  const { page } = visitor;
  await page.goto(`${daemon.url}/chats/${chat}`);
  await visitor.thread.getByText("a day before yesterday", { exact: true }).waitFor();
  const then = await page.evaluate(
    (ms) => new Date(ms).toLocaleDateString(undefined, { weekday: "long", day: "numeric", month: "long" }),
    Date.now() - 2 * 86_400_000,
  );
  await expect
    .poll(order)
    .toEqual([
      "Tuesday, March 4, 2025",
      "first of all",
      "Wednesday, March 5, 2025",
      "before midnight in London",
      "after midnight in London",
      then,
      "a day before yesterday",
    ]);
  expect(await violations(page)).toEqual([]);
});

it("what is sent now stands under a line of today", async () => {
  await visitor.send("text");
  await visitor.done();
  await expect.poll(async () => (await order()).slice(-2)).toEqual(["Today", "text"]);
});

it("a chat of today has no line, and gets one of yesterday when the day is over", async () => {
  const { page } = visitor;
  await page.goto(daemon.url);
  await visitor.send("text of today");
  await page.waitForURL(/\/chats\//);
  await visitor.done();
  expect(await order()).toEqual(["text of today"]);
  await page.clock.setSystemTime(Date.now() + 86_400_000);
  await page.reload();
  await expect.poll(order).toEqual(["Yesterday", "text of today"]);
  visitor.expectClean(daemon.url);
});
