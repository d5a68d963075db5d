import { execFileSync } from "node:child_process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, Visitor } from "../browser";
import type { Daemon } from "../daemon";
import { startWithRealAgents } from "./agents";
import { Model } from "./model";

let browser: Browser;
let daemon: Daemon;
let model: Model;
let visitor: Visitor;

beforeAll(async () => {
  model = await Model.start();
  browser = await launch();
  daemon = await startWithRealAgents(model.url);
  visitor = await Visitor.come(browser);
  await visitor.setUp(daemon.setupLink);
  await visitor.page.getByText("Claude Code").first().waitFor();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
  model.stop();
});

describe("Claude Code in the browser", () => {
  it("answers with text", async () => {
    await visitor.page.getByRole("button", { name: /^Model:/ }).click();
    await visitor.page
      .getByRole("group", { name: "Claude Code" })
      .getByRole("radio")
      .first()
      .check({ force: true });
    await visitor.page.keyboard.press("Escape");
    await visitor.send("SCENARIO markdown");
    await visitor.done();
    await visitor.thread.getByRole("table").waitFor();
    await visitor.thread.getByText(/tokens · \$/).waitFor();
    expect(await visitor.page.getByText("Demo", { exact: true }).count()).toBe(0);
  });

  it("shows its reasoning, folded when the answer begins", async () => {
    await visitor.send("SCENARIO thinking");
    await visitor.done();
    await visitor.thread
      .getByRole("button", { name: /Reasoned/ })
      .last()
      .waitFor();
  });

  it("shows an edit as the lines that it changed", async () => {
    await visitor.send("SCENARIO edit");
    await visitor.done();
    await visitor.thread.getByRole("button", { name: /^Edit.*notes\.txt/ }).waitFor();
    const diff = visitor.thread.getByRole("group", { name: /Changes of/ }).last();
    expect(await diff.getByRole("row").count()).toBeGreaterThan(1);
    await visitor.thread
      .getByText(/Allowed without asking/)
      .first()
      .waitFor();
  });

  it("shows a command with its output and how it ended", async () => {
    await visitor.page.locator("label").filter({ hasText: "Full Auto" }).click();
    await visitor.page.getByRole("alertdialog").getByRole("button", { name: "Use Full Auto" }).click();
    await visitor.send("SCENARIO shell-fail");
    await visitor.done();
    await visitor.thread.getByText("exit 3", { exact: true }).waitFor();
  });

  it("stops in the middle of a command, and leaves nothing running", async () => {
    await visitor.send("SCENARIO shell-stuck");
    await visitor.thread.getByRole("button", { name: /^Running Bash/ }).waitFor();
    await visitor.stop.click();
    await visitor.page.getByRole("button", { name: "Stopping" }).waitFor();
    await visitor.done();
    await visitor.thread.getByText("Stopped", { exact: true }).waitFor();
    await visitor.thread.getByText("no exit code").waitFor();
    const left = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    expect(left.split("\n").filter((line) => line.includes(daemon.dir) && line.includes("sleep"))).toEqual(
      [],
    );
  });

  it("goes on with the same session", async () => {
    await visitor.send("SCENARIO recall");
    await visitor.done();
    await visitor.thread
      .getByText(/shell-stuck|shell-fail/)
      .last()
      .waitFor();
    visitor.expectClean(daemon.url);
  });
});
