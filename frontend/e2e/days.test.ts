import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
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

/** Two days ago: the text of one prompt says so. */
const past = new Date(Date.now() - 2 * 86_400_000);

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
    { text: "a day before yesterday", at: past },
  ]);
  await daemon.start();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

/** A day that ends in the middle of a test would be another one at its end: days end with an hour. */
beforeEach(async () => {
  const left = 3_600_000 - (Date.now() % 3_600_000);
  if (left < 60_000) await new Promise((resolve) => setTimeout(resolve, left));
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
    past.getTime(),
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
  await visitor.begin(daemon.url, "text of today");
  await visitor.done();
  await expect.poll(order).toEqual(["text of today"]);
  await page.clock.setSystemTime(Date.now() + 86_400_000);
  await page.reload();
  await expect.poll(order).toEqual(["Yesterday", "text of today"]);
  visitor.expectClean(daemon.url);
});
