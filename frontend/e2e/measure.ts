import type { Browser, Page } from "playwright-core";

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
