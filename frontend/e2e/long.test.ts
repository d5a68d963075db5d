import type { Browser, CDPSession } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, Visitor } from "./browser";
import { Daemon } from "./daemon";
import { talkEvents, writeTalk } from "./history";
import { bestOfThree, type Cost, frameTime, openingOf, processorTimes, spent } from "./measure";

let browser: Browser;
let daemon: Daemon;
let visitor: Visitor;
let cdp: CDPSession;

/** Runs of each chat: 20,000 events beside 1,000,000. Both begin with a prompt that writes a file. */
const sizes = { short: 2, long: 100 } as const;
const paths = { short: "", long: "" };
/** The last event before those that were made. */
const start = { short: 0, long: 0 };

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  visitor = await Visitor.come(browser);
  visitor.page.setDefaultTimeout(60_000);
  await visitor.setUp(daemon.setupLink);
  for (const name of ["short", "long"] as const) {
    await visitor.page.goto(daemon.url);
    await visitor.send("edit");
    await visitor.page.waitForURL(/\/chats\//);
    await visitor.done();
    paths[name] = new URL(visitor.page.url()).pathname;
    start[name] = await visitor.page.evaluate(async (path) => {
      const page = await (await fetch(`/api${path}/events?limit=1`)).json();
      return page.events.at(-1).seq;
    }, paths[name]);
  }
  await daemon.kill();
  for (const name of ["short", "long"] as const)
    writeTalk(daemon, paths[name].slice("/chats/".length), sizes[name]);
  await daemon.start();
  cdp = await processorTimes(visitor.page);
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

/** The seq of prompt n of those that were made. */
const promptAt = (name: "short" | "long", n: number) => start[name] + 1 + (n - 1) * talkEvents;

async function open(name: "short" | "long", event?: number): Promise<void> {
  await visitor.page.goto(daemon.url);
  await visitor.page.goto(`${daemon.url}${paths[name]}${event === undefined ? "" : `#e${event}`}`);
  if (event === undefined) await visitor.page.locator("[data-row$='/end']").last().waitFor();
}

const marked = (words: string) => visitor.page.locator("[data-marked=true]").getByText(words).waitFor();
const least = (costs: readonly Cost[], of: keyof Cost) => Math.min(...costs.map((cost) => cost[of]));

it("opens the end of 1,000,000 events about as fast as that of 20,000", async () => {
  await open("long");
  const costs = { short: [] as Cost[], long: [] as Cost[] };
  for (let round = 0; round < 5; round += 1)
    for (const name of ["short", "long"] as const)
      costs[name].push(await openingOf(visitor.page, cdp, paths[name]));
  const [time, processor] = (["time", "processor"] as const).map(
    (of) => least(costs.long, of) / least(costs.short, of),
  );
  process.stdout.write(
    `opening 1,000,000 events: ${time?.toFixed(2)} times 20,000 (${least(costs.short, "time").toFixed(0)} ms), processor ${processor?.toFixed(2)} times (${least(costs.short, "processor").toFixed(0)} ms)\n`,
  );
  expect(processor).toBeLessThanOrEqual(1.5);
  const quiet = Math.max(...costs.short.map((cost) => cost.time)) < 2 * least(costs.short, "time");
  if (quiet) expect(time).toBeLessThanOrEqual(1.5);
});

it("shows the prompt of a run of which only the end is held, and its station", async () => {
  const { page } = visitor;
  await open("long");
  const sticky = page.getByRole("button", { name: /^Back to the prompt:.*Prompt 100:/ });
  await sticky.waitFor();
  const station = page.locator("[data-cut] [data-station]");
  await station.waitFor({ state: "attached" });
  const id = await station.getAttribute("id");
  await sticky.click();
  await marked("Prompt 100:");
  // Now the prompt itself has it.
  await page.locator(`[data-marked=true] [id="${id}"]`).waitFor();
});

it("keeps the focus on the way back to the beginning of such a run", async () => {
  const { page } = visitor;
  await open("long");
  const id = await page.locator("[data-cut] [data-station]").getAttribute("id");
  // At once: what it scrolls to would be gone when earlier pages come.
  await page.getByRole("button", { name: "Back to its beginning" }).evaluate((button: HTMLElement) => {
    button.focus({ preventScroll: true });
    button.click();
  });
  await page.locator('[data-row^="p:"] [data-station]:focus').waitFor({ state: "attached" });
  expect(await visitor.focused()).toBe(id);
});

it("goes anywhere in 1,000,000 events about as fast as in 20,000", async () => {
  const { page } = visitor;
  const costs = { short: [] as number[], long: [] as number[] };
  for (const n of [20, 60, 80]) {
    for (const name of ["short", "long"] as const) {
      const to = name === "long" ? n : 2;
      await open(name);
      const before = await spent(cdp);
      await page.evaluate((hash) => location.assign(hash), `#e${promptAt(name, to)}`);
      await marked(`Prompt ${to}:`);
      costs[name].push((await spent(cdp)) - before);
    }
  }
  const ratio = Math.min(...costs.long) / Math.min(...costs.short);
  process.stdout.write(`going to a place in it: processor ${ratio.toFixed(2)} times\n`);
  expect(ratio).toBeLessThanOrEqual(1.5);
  // From there to a prompt that is not held.
  await page.locator("[data-marked=true] [data-station]").focus();
  await page.keyboard.press("[");
  await page.locator("[data-row]:focus-within").getByText("Prompt 79:").waitFor();
});

it("comes to an early place from what a search found", async () => {
  const { page } = visitor;
  const hit = page
    .getByRole("region", { name: "In messages" })
    .getByRole("link")
    .filter({ hasText: "Prompt 3" });
  await expect
    .poll(
      async () => {
        await page.goto(`${daemon.url}/search?q=${encodeURIComponent('"prompt 3"')}`);
        await page.getByRole("searchbox").waitFor();
        return hit
          .first()
          .waitFor({ timeout: 2_000 })
          .then(
            () => true,
            () => false,
          );
      },
      { timeout: 120_000, interval: 500 },
    )
    .toBe(true);
  await hit.first().click();
  await marked("Prompt 3:");
});

it("keeps what is selected while earlier pages come", async () => {
  const { page } = visitor;
  // The page that ends in the middle of a run, and what is read back from there.
  await open("long", promptAt("long", 50) + 5_000);
  await page.locator("[data-marked=true]").waitFor();
  const selected = await page.locator(".thread").evaluate(async (box) => {
    const frame = () => new Promise(requestAnimationFrame);
    box.scrollTo(0, box.scrollHeight / 3);
    for (let n = 0; n < 10; n += 1) await frame();
    const edge = box.getBoundingClientRect().top;
    const row = [...box.querySelectorAll("[data-row]")].find(
      (one) => one.getBoundingClientRect().top > edge && one.textContent.startsWith("The parser"),
    );
    if (row === undefined) throw new Error("no row");
    getSelection()?.selectAllChildren(row);
    return getSelection()?.toString() ?? "";
  });
  expect(selected).toContain("The parser reads each line once");
  const pages = () => visitor.requests.filter((url) => url.includes("/events?before=")).length;
  const before = pages();
  const held = () =>
    page.evaluate(() => {
      const selection = getSelection();
      return selection?.anchorNode?.isConnected === true ? selection.toString() : "";
    });
  await page.locator(".thread").evaluate((box) => box.scrollTo(0, 0));
  await expect.poll(pages, { timeout: 20_000 }).toBeGreaterThan(before);
  // What came is drawn: there is a place above what was the first.
  await expect
    .poll(() => page.locator(".thread").evaluate((box) => box.scrollTop), { timeout: 20_000 })
    .toBeGreaterThan(500);
  expect(await held()).toBe(selected);
});

it("streams into 1,000,000 events without a long task", async () => {
  const { page } = visitor;
  await open("long");
  await visitor.send("slow");
  await visitor.thread.getByText("Slowly, word by word").waitFor();
  const span = 2_000;
  const { tasks, longest } = await bestOfThree(browser, page, () => page.waitForTimeout(span));
  await visitor.stop.click();
  await visitor.done();
  const late = tasks.filter((ms) => ms > frameTime).length / ((3 * span) / frameTime);
  process.stdout.write(
    `streaming into it: longest task ${longest.toFixed(0)} ms; ${(100 * late).toFixed(1)} % of frames late by themselves\n`,
  );
  expect(late).toBeLessThanOrEqual(0.05);
  expect(longest).toBeLessThanOrEqual(50);
});

it("lists what was written in all of it, the earliest as well", async () => {
  const { page } = visitor;
  await page.goto(`${daemon.url}${paths.short}?panel=changes`);
  const files = page.getByRole("list", { name: "Files that were written" }).getByRole("button");
  // What the demo wrote before is not among the events that are held.
  await expect.poll(() => files.count(), { timeout: 20_000 }).toBe(3);
  await page.goto(`${daemon.url}${paths.long}?panel=changes`);
  const more = page.getByRole("button", { name: "Look for earlier changes" });
  await more.waitFor();
  const some = await files.count();
  expect(some).toBeGreaterThan(3);
  expect(some).toBeLessThan(100);
  await more.click();
  await expect.poll(() => files.count(), { timeout: 20_000 }).toBeGreaterThan(some);
  visitor.expectClean(daemon.url);
});
