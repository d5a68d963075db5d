import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, violations, Visitor } from "./browser";
import { Fake } from "./fake";

const dir = mkdtempSync(join(tmpdir(), "signalbox-tools-"));

let browser: Browser;
let fake: Fake;
let visitor: Visitor;

beforeAll(async () => {
  browser = await launch();
  fake = await Fake.start(dir);
  visitor = await Visitor.come(browser, { viewport: { width: 1440, height: 900 } });
  await visitor.setUp(fake.daemon.setupLink);
});

afterAll(async () => {
  await browser.close();
  await fake.daemon.stop();
  rmSync(dir, { recursive: true });
});

/** Sends a prompt in a chat of its own, and waits for the end of what the fake agent plays. */
async function played(capture: string): Promise<void> {
  fake.playCapture(capture);
  await visitor.begin(fake.daemon.url, `play ${capture}`);
  await visitor.done();
}

const row = (name: RegExp) => visitor.thread.getByRole("button", { name });

/** Opens a step that is folded. */
async function opened(name: RegExp) {
  const button = row(name).first();
  if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
  return button;
}

describe("what agents do has a view of its own", () => {
  it("reading a file shows its lines", async () => {
    await played("two-way/read");
    await opened(/^Read.*hello\.txt/);
    await visitor.thread.getByText("hello", { exact: false }).first().waitFor();
  });

  it("a file that is written shows its path and how many lines came", async () => {
    await played("print/edit");
    await row(/^(Write|Edit)/)
      .first()
      .waitFor();
    await visitor.thread
      .getByRole("group", { name: /Changes of/ })
      .first()
      .waitFor();
  });

  it("a search shows what was found and where", async () => {
    await played("two-way/search");
    await opened(/^Search.*TODO/);
    await row(/^Glob/).first().waitFor();
    expect(await visitor.thread.locator("mark").count()).toBeGreaterThan(0);
  });

  it("a command shows its output and how it ended", async () => {
    await played("two-way/shell");
    await opened(/^Bash.*echo out/);
    await visitor.thread
      .getByRole("group", { name: /^Output/ })
      .getByText("out", { exact: true })
      .first()
      .waitFor();
    await played("print/bash-fail");
    await visitor.thread
      .getByText(/^exit \d$/)
      .first()
      .waitFor();
  });

  it("a subagent is a siding with its own steps", async () => {
    await played("two-way/agent-foreground");
    await opened(/^Subagent.*Look around/);
    await row(/^Bash.*echo out/)
      .first()
      .waitFor();
  });

  it("a to-do list has its items and how many are done", async () => {
    await played("two-way/todo");
    await opened(/^Plan.*\d of \d/);
    await visitor.thread.getByText("Read the code").first().waitFor();
  });

  it("a tool of an MCP server names its server, and shows what it was given", async () => {
    await played("print/mcp-allowed");
    await opened(/lab\./);
    await visitor.thread.getByRole("button", { name: "Raw JSON" }).first().waitFor();
  });

  it("a tool that nobody knows has the general view", async () => {
    await played("print/badtool");
    await row(/tool not found|failed/)
      .first()
      .waitFor();
  });

  it("reasoning is folded once the answer is there", async () => {
    await played("two-way/thinking");
    const reasoned = row(/^Reasoned/).first();
    await expect.poll(() => reasoned.getAttribute("aria-expanded")).toBe("false");
    await reasoned.click();
    await expect.poll(() => reasoned.getAttribute("aria-expanded")).toBe("true");
  });

  it("axe has nothing against any of it, and nothing went wrong in the page", async () => {
    expect(await violations(visitor.page)).toEqual([]);
    visitor.expectClean(fake.daemon.url);
  });
});
