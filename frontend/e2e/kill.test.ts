import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

it("shows in every browser that the run was interrupted when the daemon is killed, and goes on", async () => {
  const one = await Visitor.come(browser);
  await one.setUp(daemon.setupLink);
  const two = await Visitor.come(browser);
  await two.signIn(daemon.url);
  await two.open(await one.begin(daemon.url, "slow"));
  await two.thread.getByText("Slowly, word by word").first().waitFor();
  await one.thread.getByText("Slowly, word by word").first().waitFor();

  await daemon.kill();
  await one.page.getByText("Connection lost.").waitFor();
  await daemon.start();
  for (const visitor of [one, two]) {
    await visitor.thread.getByText(/Interrupted by a server restart at/).waitFor();
    await visitor.thread.getByText("Slowly, word by word").first().waitFor();
    await visitor.page.getByRole("button", { name: /failed/ }).waitFor();
  }
  await expect.poll(async () => (await one.read()) === (await two.read())).toBe(true);

  await one.send("text");
  await one.done();
  await two.thread.getByText("An answer may hold").waitFor();
  await two.done();
});

it("continues an interrupted run with one click", async () => {
  const one = await Visitor.come(browser);
  await one.signIn(daemon.url);
  await one.begin(daemon.url, "slow again");
  await one.thread.getByText("Slowly, word by word").first().waitFor();
  await daemon.kill();
  await daemon.start();
  await one.page.getByRole("button", { name: "Continue" }).click();
  await one.thread.getByText("Continued the run before").waitFor();
  await one.done();
});
