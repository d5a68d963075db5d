import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, Visitor } from "../browser";
import { Daemon } from "../daemon";

const claude =
  process.env["SIGNALBOX_CLAUDE_PATH"] ??
  fileURLToPath(new URL("../../../.cache/agents/bin/claude", import.meta.url));

let browser: Browser;
let daemon: Daemon;
let model: ChildProcess;
let visitor: Visitor;

/** Starts the scripted model API and returns its address. */
async function startModel(): Promise<string> {
  model = spawn(process.env["MODELSERVER_BIN"] ?? "", [], { stdio: ["ignore", "pipe", "inherit"] });
  if (model.stdout === null) throw new Error("no output");
  const [line]: unknown[] = await once(model.stdout, "data");
  const { url }: { readonly url: string } = JSON.parse(String(line));
  return url;
}

beforeAll(async () => {
  if (!existsSync(claude)) throw new Error(`there is no Claude Code at ${claude}: run scripts/real-agents`);
  const url = await startModel();
  browser = await launch();
  daemon = await Daemon.start({
    settings: [
      "[providers.claude]",
      `path = ${JSON.stringify(claude)}`,
      "[providers.claude.env]",
      `ANTHROPIC_BASE_URL = ${JSON.stringify(url)}`,
      'ANTHROPIC_API_KEY = "sk-scripted"',
      'CLAUDE_CODE_MAX_RETRIES = "1"',
      'IS_SANDBOX = "1"',
      "",
    ].join("\n"),
  });
  visitor = await Visitor.come(browser);
  await visitor.setUp(daemon.setupLink);
  await visitor.page.getByText("Claude Code").first().waitFor();
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
  model.kill();
});

describe("Claude Code in the browser", () => {
  it("answers with text", async () => {
    await visitor.page.getByRole("combobox", { name: /^Model:/ }).click();
    await visitor.page.getByRole("group", { name: "Claude Code" }).getByRole("option").first().click();
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
