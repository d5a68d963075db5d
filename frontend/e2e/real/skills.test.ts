import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, Visitor } from "../browser";
import type { Daemon } from "../daemon";
import { type RealAgent, realAgents, startWithRealAgents } from "./agents";
import { Model } from "./model";

let browser: Browser;
let daemon: Daemon;
let model: Model;
let visitor: Visitor;

/** What the skill says: an agent that took it up shows the model this. */
const words = "Measure twice, cut once.";
const counter = fileURLToPath(new URL("counter.mjs", import.meta.url));

/** Gives an agent a skill. */
function teach(agent: RealAgent, name: string): void {
  const at = join(daemon.dir, agent.skills, name, "SKILL.md");
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, `---\nname: ${name}\ndescription: How to ${name}\n---\n${words}\n`);
}

beforeAll(async () => {
  model = await Model.start();
  browser = await launch();
  daemon = await startWithRealAgents(model.url, [
    "[mcp.tester]",
    'command = "node"',
    `args = [${JSON.stringify(counter)}]`,
    'skill = "browser"',
  ]);
  for (const agent of realAgents) for (const name of ["measure", "browser"]) teach(agent, name);
  visitor = await Visitor.come(browser);
  await visitor.setUp(daemon.setupLink);
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
  model.stop();
});

/** Begins a chat with an agent on the start page. */
async function begin(agent: RealAgent, mode: string): Promise<void> {
  const { page } = visitor;
  await page.goto(daemon.url);
  await visitor.prompt.waitFor();
  await page.keyboard.press("Control+;");
  const models = page.getByRole("dialog");
  await models.getByRole("group", { name: agent.name }).locator("label").first().click();
  await models.waitFor({ state: "detached" });
  await page.locator("label").filter({ hasText: mode }).click();
  if (mode === "Full Auto")
    await page.getByRole("alertdialog").getByRole("button", { name: "Use Full Auto" }).click();
}

/** Chooses a skill by `$` and its name. */
async function choose(name: string): Promise<void> {
  const { page, prompt } = visitor;
  await prompt.click();
  await page.keyboard.type(`$${name}`);
  await page.getByRole("listbox", { name: "What can be put in here" }).getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
  await page
    .getByRole("form")
    .getByRole("list", { name: "Skills that go along" })
    .getByText(`$${name}`)
    .waitFor();
}

/** Sends a prompt and waits for the end of its run. */
async function answerTo(text: string): Promise<void> {
  await visitor.prompt.click();
  await visitor.page.keyboard.type(text);
  await visitor.begun(() => visitor.page.keyboard.press("Enter"));
  await visitor.done();
}

/** Opens all that is folded in the last run. */
async function unfold(): Promise<void> {
  const folded = visitor.last.locator("button[aria-expanded=false]:not([aria-haspopup])");
  while ((await folded.count()) > 0) await folded.first().click();
}

const [claude, codex, kimi] = realAgents;

describe("a skill that is chosen in the browser", () => {
  it.each([
    // Claude Code takes up a skill by "/" and its name, and hands the model what the skill says.
    { agent: claude, heard: words, never: "$measure" },
    { agent: codex, heard: "$measure", never: "/measure" },
    // Kimi Code takes the skills that fit by itself: the prompt goes to it as it was written.
    { agent: kimi, heard: "SCENARIO heard", never: /[$/]measure/ },
  ])("goes to $agent.name in its own way, and is shown with the prompt", async ({ agent, heard, never }) => {
    if (agent === undefined) throw new Error("an agent is missing");
    await begin(agent, "Code");
    await choose("measure");
    await answerTo("SCENARIO heard");
    await visitor.last.getByRole("list", { name: "Skills that go along" }).getByText("$measure").waitFor();
    const block = visitor.last.locator("pre").filter({ hasText: "SCENARIO heard" }).last();
    const said = await block.innerText();
    expect(said).toContain(heard);
    expect(said).not.toMatch(never);
  });
});

describe("an MCP server of a skill", () => {
  it.each(realAgents)(
    "comes with the runs for which that was chosen, and stays until they end ($name)",
    async (agent) => {
      await begin(agent, "Full Auto");
      await answerTo("SCENARIO mcp-between");
      await unfold();
      // Only the command was run.
      await visitor.last.getByText("between", { exact: true }).first().waitFor();
      expect(await visitor.last.getByText(/call \d of process/).count()).toBe(0);
      await choose("browser");
      await answerTo("SCENARIO mcp-between");
      await visitor.last.getByText("The tools were called.").waitFor();
      await expect.poll(() => visitor.last.getByRole("button", { name: /tester/ }).count()).toBe(2);
      await unfold();
      await visitor.last.getByText("between", { exact: true }).first().waitFor();
      const first = visitor.last.getByText(/call 1 of process \d+/).first();
      const pid = /process (\d+)/.exec(await first.innerText())?.[1];
      await visitor.last.getByText(`call 2 of process ${pid}`).first().waitFor();
      const running = execFileSync("ps", ["-eo", "pid="], { encoding: "utf8" }).split("\n");
      expect(running.map((line) => line.trim())).not.toContain(pid);
    },
  );
});
