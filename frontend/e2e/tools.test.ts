import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, violations, Visitor } from "./browser";
import { captured, Fake } from "./fake";

const dir = mkdtempSync(join(tmpdir(), "signalbox-tools-"));

let browser: Browser;
let fake: Fake;
let visitor: Visitor;

beforeAll(async () => {
  browser = await launch();
  fake = await Fake.start(dir, ["claude", "codex"]);
  visitor = await Visitor.come(browser, { viewport: { width: 1440, height: 900 } });
  await visitor.setUp(fake.daemon.setupLink);
});

afterAll(async () => {
  await browser.close();
  await fake.daemon.stop();
  rmSync(dir, { recursive: true });
});

type Pairs = readonly (readonly [from: string, to: string])[];

/** Sends a prompt in a chat of its own, and waits for the end of what the fake agent plays, in other words. */
async function played(capture: string, replace: Pairs = []): Promise<void> {
  fake.playCapture(capture, { replace });
  await visitor.begin(fake.daemon.url, `play ${capture}`);
  await visitor.done();
}

/** Sends a prompt in a chat of its own to Codex. */
async function toCodex(text: string): Promise<void> {
  const { page } = visitor;
  await page.goto(fake.daemon.url);
  await page.getByRole("button", { name: /^Model:/ }).click();
  const menu = page.getByRole("dialog", { name: "Model, effort and tier" });
  await menu.getByRole("group", { name: /Codex/ }).locator("label").first().click();
  await menu.waitFor({ state: "detached" });
  await visitor.send(text);
}

/** The beginning of a capture of Codex, so many lines of it: its agent then hangs. */
function beginning(name: string, lines: number): string {
  const from = captured(name, "codex");
  const to = join(dir, "beginning");
  const first = readFileSync(`${from}.jsonl`, "utf8").split("\n").slice(0, lines);
  writeFileSync(`${to}.jsonl`, `${first.join("\n")}\n`);
  const order = readFileSync(`${from}.seq`, "utf8").split("\n");
  const last = order.findIndex((step) => new RegExp(` < (\\d+-)?${lines}$`).test(step));
  writeFileSync(`${to}.seq`, `${order.slice(0, last + 1).join("\n")}\n`);
  for (const end of [".stdin.jsonl", ".exit", ".cmd"]) copyFileSync(from + end, to + end);
  return to;
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
    await opened(/^Read.*hello\.txt.*4 lines/);
    await visitor.thread.getByText("TODO: third line", { exact: true }).waitFor();
  });

  it("a file that is written shows its path and how many lines came", async () => {
    await played("print/edit");
    await opened(/^Write.*notes\.txt.*\+3/);
    await visitor.thread.getByText("gamma", { exact: true }).first().waitFor();
  });

  it("several edits at once show each place that changed", async () => {
    await played("print/edit", [
      [
        '"name":"Edit","input":{"replace_all":false,"file_path":"/workspace/notes.txt","old_string":"beta","new_string":"BETA"}',
        '"name":"MultiEdit","input":{"file_path":"/workspace/notes.txt","edits":[{"old_string":"beta","new_string":"BETA"},{"old_string":"gamma","new_string":"GAMMA"}]}',
      ],
      [
        '"lines":[" alpha","-beta","+BETA"," gamma"]}]',
        '"lines":[" alpha","-beta","+BETA"]},{"oldStart":3,"oldLines":1,"newStart":3,"newLines":1,"lines":["-gamma","+GAMMA"]}]',
      ],
    ]);
    await opened(/^Edit 2 places.*notes\.txt.*\+2 -2/);
    const changes = visitor.thread.getByRole("group", { name: /^Changes of .*notes\.txt$/ });
    for (const line of ["beta", "BETA", "gamma", "GAMMA"])
      await changes.getByText(line, { exact: true }).waitFor();
  });

  it("a search shows what was found and where", async () => {
    await played("two-way/search");
    await opened(/^Search.*TODO/);
    await row(/^Glob/).first().waitFor();
    await visitor.thread.getByText("src/main.go:4", { exact: true }).waitFor();
    await expect.poll(() => visitor.thread.locator("mark").allInnerTexts()).toEqual(["TODO", "TODO"]);
  });

  it("a command shows its output, in colours, and how it ended", async () => {
    await played("two-way/shell", [
      ['"content":"out\\nerr\\n', '"content":"\\u001b[32mout\\u001b[0m\\n\\u001b[31merr\\u001b[0m\\n'],
    ]);
    await opened(/^Bash.*echo out/);
    const output = visitor.thread.getByRole("group", { name: /^Output/ });
    const colours = ["out", "err", "hello.txt"].map((line) =>
      output.getByText(line, { exact: true }).evaluate((one) => getComputedStyle(one).color),
    );
    expect(new Set(await Promise.all(colours)).size).toBe(3);
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

  it("a page that is fetched shows its text, and a search of the web the pages that it found", async () => {
    const refused = "Error: No such tool available: NoSuchTool";
    const result = `"content":"<tool_use_error>${refused}</tool_use_error>","is_error":true`;
    await played("print/badtool", [
      [
        '"name":"NoSuchTool","input":{"x":1}',
        '"name":"WebFetch","input":{"url":"https://example.org/guide"}',
      ],
      [result, '"content":"It is short."'],
      [
        `"tool_use_result":"${refused}"`,
        '"tool_use_result":{"code":200,"result":"# A guide\\n\\nIt is **short**.","url":"https://example.org/guide"}',
      ],
    ]);
    await opened(/^Fetch.*example\.org\/guide.*200/);
    await visitor.thread.getByRole("heading", { name: "A guide" }).waitFor();
    await played("print/badtool", [
      ['"name":"NoSuchTool","input":{"x":1}', '"name":"WebSearch","input":{"query":"how signals work"}'],
      [result, '"content":"Links: a list"'],
      [
        `"tool_use_result":"${refused}"`,
        '"tool_use_result":{"query":"how signals work","results":[{"content":[{"title":"Signals","url":"https://example.org/signals"}]}]}',
      ],
    ]);
    await opened(/^Web search.*how signals work/);
    const found = visitor.thread.getByRole("link", { name: "Signals" });
    await expect.poll(() => found.getAttribute("href")).toBe("https://example.org/signals");
  });

  it("a tool of an MCP server names its server, and shows what it was given", async () => {
    await played("print/mcp-allowed");
    await opened(/^lab\.add/);
    for (const text of ["b", "40", "sum", "42"])
      await visitor.thread.getByText(text, { exact: true }).waitFor();
    await visitor.thread.getByRole("button", { name: "Raw JSON" }).click();
    await visitor.thread.getByText('"b": 40').waitFor();
  });

  it("a tool that nobody knows has the general view", async () => {
    await played("print/badtool");
    await opened(/^NoSuchTool.*tool not found/);
    await visitor.thread.getByText("x", { exact: true }).waitFor();
    await visitor.thread.getByText("No such tool available: NoSuchTool").waitFor();
  });

  it("reasoning is folded once the answer is there", async () => {
    await played("two-way/thinking");
    const reasoned = row(/^Reasoned/).first();
    await expect.poll(() => reasoned.getAttribute("aria-expanded")).toBe("false");
    const thought = visitor.thread.getByText(
      "First I consider the request. Then I decide to answer briefly.",
    );
    expect(await thought.count()).toBe(0);
    await reasoned.click();
    await thought.waitFor();
  });

  it("a patch of Codex shows the lines that changed in each of its files", async () => {
    const [was, second] = [' TODO: third line\\n"}]', '"kind":{"type":"add"},"diff":"one\\ntwo\\n"'];
    const replace = [[was, `${was.slice(0, -1)},{"path":"/workspace/made.txt",${second}}]`]];
    fake.playCapture("two-way/edit", { replace }, "codex");
    await toCodex("play a patch");
    await visitor.done();
    await opened(/^Edit.*hello\.txt, .*made\.txt.*\+3 -1/);
    const changes = visitor.thread.getByRole("group", { name: /^Changes of/ });
    for (const line of ["(edited)", "two"]) await changes.getByText(line, { exact: true }).waitFor();
  });

  it("a command that goes on shows what it wrote so far, and keeps it when it is stopped", async () => {
    fake.play({ capture: beginning("two-way/shell-slow", 17), ignoreEof: true }, "codex");
    await toCodex("tick");
    const output = visitor.thread.getByRole("group", { name: /^Output/ });
    await output.getByText("tick 3", { exact: true }).waitFor();
    expect(await output.getByText("tick 4").count()).toBe(0);
    expect(await visitor.stop.isVisible()).toBe(true);
    await visitor.end();
    await output.getByText("tick 3", { exact: true }).waitFor();
  });

  it("axe has nothing against any of it, and nothing went wrong in the page", async () => {
    expect(await violations(visitor.page)).toEqual([]);
    visitor.expectClean(fake.daemon.url);
  });
});
