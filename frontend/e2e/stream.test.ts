import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { launch, Visitor } from "./browser";
import { Fake } from "./fake";
import { bestOfThree, frames, frameTime } from "./measure";

it("draws 10,000 lines of an agent as they come without a long task, at the frames of an idle page", async () => {
  const browser = await launch();
  const fake = await Fake.start(mkdtempSync(join(tmpdir(), "signalbox-stream-")));
  const { daemon } = fake;
  try {
    const visitor = await Visitor.come(browser);
    await visitor.setUp(daemon.setupLink);
    const { page } = visitor;
    const still = await visitor.again();
    await still.page.goto(daemon.url);
    await still.prompt.waitFor();
    fake.play({ lines: 10_000, rate: 250 });
    await visitor.send("go");
    await visitor.stop.waitFor();
    const span = 5_000;
    const [streaming, idle] = await Promise.all([frames(page, span), frames(still.page, span)]);
    await still.leave();
    const from = Date.now();
    const { tasks, longest } = await bestOfThree(browser, page, () => page.waitForTimeout(1.5 * span));
    const late = (tasks.filter((ms) => ms > frameTime).length * frameTime) / (Date.now() - from);
    await visitor.stop.waitFor({ state: "detached", timeout: 120_000 });
    process.stdout.write(
      `10,000 lines: ${((100 * streaming) / idle).toFixed(0)} % of ${idle} frames; longest task ${longest.toFixed(0)} ms; ${(100 * late).toFixed(1)} % of frames late by themselves\n`,
    );
    expect(late).toBeLessThanOrEqual(0.05);
    if (idle > (0.98 * span) / frameTime) expect(streaming / idle).toBeGreaterThanOrEqual(0.95);
    expect(longest).toBeLessThanOrEqual(50);
    visitor.expectClean(daemon.url);
  } finally {
    await browser.close();
    await daemon.stop();
  }
});
