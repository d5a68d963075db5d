import type { Browser, CDPSession, Page } from "playwright-core";

/** One frame at 60 a second, in milliseconds. */
export const frameTime = 1000 / 60;

type Slice = {
  readonly cat: string;
  readonly name: string;
  readonly dur?: number;
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
};

/** The processor times of the tasks of the page's main thread while something goes on, in milliseconds. */
async function taskTimes(
  browser: Browser,
  page: Page,
  during: () => Promise<void>,
): Promise<readonly number[]> {
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
  await during();
  const trace: { readonly traceEvents: readonly Slice[] } = JSON.parse(
    (await browser.stopTracing()).toString(),
  );
  const mains = new Set(
    trace.traceEvents
      .filter((e) => e.name === "thread_name" && e.args?.name === "CrRendererMain")
      .map((e) => `${e.pid}/${e.tid}`),
  );
  const tasks = trace.traceEvents.filter((e) => e.name.endsWith("RunTask") && mains.has(`${e.pid}/${e.tid}`));
  if (!tasks.some((e) => e.tdur !== undefined)) throw new Error("the trace has no processor times");
  return tasks.map((e) => (e.tdur ?? 0) / 1000);
}

/**
 * Traces something three times: the times of all tasks, and the longest task of the best time. What
 * another program or a collection of garbage adds comes once, what the page itself takes too long for
 * comes each time.
 */
export async function bestOfThree(
  browser: Browser,
  page: Page,
  during: () => Promise<void>,
): Promise<{ readonly tasks: readonly number[]; readonly longest: number }> {
  const tasks: number[] = [];
  let longest = Infinity;
  for (let round = 0; round < 3; round += 1) {
    const times = await taskTimes(browser, page, during);
    tasks.push(...times);
    longest = Math.min(longest, Math.max(...times));
  }
  return { tasks, longest };
}

/** Frames in so many milliseconds. */
export function frames(page: Page, ms: number): Promise<number> {
  return page.evaluate(
    (time) =>
      new Promise<number>((resolve) => {
        const from = performance.now();
        let n = 0;
        const count = () => {
          n += 1;
          if (performance.now() - from < time) requestAnimationFrame(count);
          else resolve(n);
        };
        requestAnimationFrame(count);
      }),
    ms,
  );
}

/** A session of the page that counts processor times, not what passes on the clock. */
export async function processorTimes(page: Page): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  return cdp;
}

/** Processor time that the page's tasks have taken so far, in milliseconds. */
export async function spent(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  const tasks = metrics.find((m) => m.name === "TaskDuration")?.value ?? 0;
  if (tasks === 0) throw new Error("the browser does not tell processor times");
  return 1000 * tasks;
}

export type Cost = { readonly time: number; readonly processor: number };

/** What it costs from the press of a link to a chat until its end is drawn, in milliseconds. */
export async function openingOf(page: Page, cdp: CDPSession, to: string): Promise<Cost> {
  await page.getByRole("link", { name: "Home" }).first().click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  const before = await spent(cdp);
  const time = await page.evaluate(async (path) => {
    const link = document.querySelector<HTMLElement>(`a[href$="${path}"]`);
    if (link === null) throw new Error(`no link to ${path}`);
    const from = performance.now();
    link.click();
    const there = () =>
      document.querySelector(".run [data-row$='/end']") !== null && location.pathname.endsWith(path);
    while (!there()) await new Promise(requestAnimationFrame);
    return performance.now() - from;
  }, to);
  return { time, processor: (await spent(cdp)) - before };
}

/** Goes back through the history, as far as it goes or so many views. */
export async function readBack(page: Page, views: number): Promise<void> {
  await page.locator(".thread").evaluate(async (box, most) => {
    const frame = () => new Promise(requestAnimationFrame);
    for (let i = 0, still = 0; i < most && still < 10; i += 1) {
      const before = box.scrollTop;
      box.scrollBy(0, -box.clientHeight);
      await frame();
      await frame();
      still = box.scrollTop === before ? still + 1 : 0;
      if (still > 0) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // In the middle of what is held there is as much above as below.
    box.scrollTo(0, box.scrollHeight / 2);
    await frame();
    await frame();
  }, views);
}
