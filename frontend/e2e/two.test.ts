import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, Visitor } from "./browser";
import { Daemon } from "./daemon";
import { Wire } from "./proxy";

let browser: Browser;
let daemon: Daemon;
let wire: Wire;
/** Reaches the daemon over the wire that can be cut. */
let far: Visitor;
let near: Visitor;

beforeAll(async () => {
  browser = await launch();
  wire = await Wire.open();
  daemon = await Daemon.start({ url: wire.url });
  wire.lead(daemon.port);
  near = await Visitor.come(browser);
  await near.holdable();
  await near.setUp(daemon.setupLink.replace(wire.url, daemon.url));
  far = await Visitor.come(browser);
  await far.holdable();
  await far.signIn(wire.url);
});

afterAll(async () => {
  await browser.close();
  await wire.close();
  await daemon.stop();
});

describe("two browsers on one chat", () => {
  it("show the same, live, whoever sends", async () => {
    await near.begin(daemon.url, "think, text, edit, shell");
    const title = far.page
      .getByRole("navigation", { name: "Chats and pages" })
      .getByRole("link", { name: /think, text/ });
    await title.click();
    await near.done();
    await far.done();
    await expect.poll(async () => (await far.read()) === (await near.read())).toBe(true);
    await far.send("todo");
    await near.thread.getByText("Find the words in it …").waitFor();
    await near.done();
    await expect.poll(async () => (await far.read()) === (await near.read())).toBe(true);
    near.expectClean(daemon.url);
    far.expectClean(wire.url);
  });

  it("lets one browser's prompt in when both send, and queues the other's", async () => {
    // Neither hears of the other before both have sent.
    for (const v of [near, far]) await v.hold(true);
    for (const [v, text] of [
      [near, "approve from near"],
      [far, "approve from far"],
    ] as const) {
      await v.prompt.fill(text);
      await v.prompt.press("Enter");
    }
    for (const v of [near, far]) await v.hold(false);
    const chip = (visitor: Visitor) =>
      visitor.page
        .getByRole("list", { name: "Queued" })
        .getByRole("button", { name: /^Prompt 1 of 1: approve from (near|far)/ });
    const name = await chip(near).getAttribute("aria-label");
    await chip(far).waitFor();
    await expect.poll(() => chip(far).getAttribute("aria-label")).toBe(name);
    await far.page.getByRole("button", { name: /^Remove/ }).click();
    await chip(near).waitFor({ state: "detached" });
    await near.stop.click();
    await near.done();
    await far.done();
    await expect.poll(async () => (await far.read()) === (await near.read())).toBe(true);
  });

  it("catches up after its line was cut in mid-run, and says how things stand", async () => {
    await near.send("slow, then think");
    await far.thread.getByText("slow, then think").waitFor();
    await far.last.getByText("Slowly, word by word").waitFor();
    wire.cut();
    await far.page.getByText("Connection lost.").waitFor();
    await far.prompt.fill("after the cut");
    await far.page.getByRole("button", { name: "Keep" }).click();
    await far.page.getByText("Waiting to send").waitFor();
    await near.done();
    wire.mend();
    // It may have come back by itself before the button is reached.
    const again = far.page.getByRole("main").getByRole("button", { name: "Try now" });
    const back = far.page.getByText("Back online.").waitFor();
    await Promise.race([again.click(), back]);
    await back;
    await far.thread.getByText("after the cut").waitFor();
    await near.thread.getByText("after the cut").waitFor();
    await far.done();
    await near.done();
    await expect.poll(async () => (await far.read()) === (await near.read())).toBe(true);
    expect(await far.thread.getByText("after the cut", { exact: true }).count()).toBe(1);
    await far.page.getByText("Back online.").waitFor({ state: "detached" });
  });

  it("holds what is being read in its place, and offers what is new", async () => {
    await far.page.evaluate(() => document.querySelector(".thread")?.scrollTo(0, 0));
    const first = far.thread.getByRole("article").first();
    const before = await first.boundingBox();
    await near.send("text");
    await near.done();
    await far.done();
    expect((await first.boundingBox())?.y).toBe(before?.y);
    await far.page.getByRole("button", { name: /\d+ new, jump to latest/ }).click();
    await expect.poll(() => far.page.getByRole("button", { name: /jump to latest/ }).count()).toBe(0);
    await far.thread.getByRole("article").last().waitFor();
  });
});
