import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, violations, Visitor } from "./browser";
import { captured, Fake } from "./fake";

const dir = mkdtempSync(join(tmpdir(), "signalbox-runs-"));
const record = join(dir, "record.jsonl");

let browser: Browser;
let fake: Fake;
let siskin: Visitor;
let dunlin: Visitor;

beforeAll(async () => {
  browser = await launch();
  fake = await Fake.start(dir, ["claude", "codex"]);
  siskin = await Visitor.come(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await siskin.setUp(fake.daemon.setupLink);
  fake.daemon.addUser("dunlin", "a long and simple phrase");
  dunlin = await Visitor.come(browser);
  await dunlin.signIn(fake.daemon.url, "dunlin");
});

afterAll(async () => {
  await browser.close();
  await fake.daemon.stop();
  rmSync(dir, { recursive: true });
});

/** Chooses who answers the next prompt. */
async function choose({ page }: Visitor, agent: RegExp): Promise<void> {
  await page.getByRole("button", { name: /^Model:/ }).click();
  const menu = page.getByRole("dialog", { name: "Model, effort and tier" });
  await menu.getByRole("group", { name: agent }).locator("label").first().click();
  await menu.waitFor({ state: "detached" });
}

/** Sends a prompt in a chat of its own, to an agent. */
async function begin(text: string, agent = /Claude Code/): Promise<void> {
  await siskin.page.goto(fake.daemon.url);
  await choose(siskin, agent);
  await siskin.send(text);
  await siskin.page.waitForURL(/\/chats\//);
}

async function come(visitor: Visitor): Promise<void> {
  await visitor.open(siskin.page.url());
}

const used = () => siskin.thread.getByRole("button", { name: /tokens · / }).last();

describe("what a run used", () => {
  it("is an exact cost where the agent tells it", async () => {
    fake.playCapture("two-way/text");
    await begin("hello");
    await siskin.done();
    await expect.poll(() => used().innerText()).toMatch(/1\.2k tokens\s*· \$0\.002/);
    await used().click();
    await siskin.thread.getByText("cache read").waitFor();
    await siskin.thread.getByText("claude-opus-5-5", { exact: true }).waitFor();
    await siskin.thread.getByText("1.2k of 1M").waitFor();
    expect(await violations(siskin.page)).toEqual([]);
  });

  it("is estimated where the agent guesses, and unknown where it is silent", async () => {
    fake.playCapture("two-way/text", { replace: [['"costBasis":"list"', '"costBasis":"unknown"']] });
    await begin("hello");
    await siskin.done();
    await expect.poll(() => used().innerText()).toMatch(/\$0\.002 estimated/);
    await begin("text", /Demo/);
    await siskin.done();
    await siskin.thread.getByText(/cost unknown/).waitFor();
  });

  it("shows as a meter of the context, which warns while there is room for a summary", async () => {
    const { page } = siskin;
    const meter = page.getByRole("form").getByRole("meter", { name: "Context" });
    fake.playCapture("two-way/text", { replace: [['"contextWindow":1000000', '"contextWindow":4000']] });
    await begin("hello");
    await siskin.done();
    await expect.poll(() => meter.getAttribute("aria-valuetext")).toBe("1.2k of 4k tokens of context");
    await expect.poll(() => meter.innerText()).toBe("30 %");
    expect(await page.getByText("This chat is near its context limit").count()).toBe(0);
    fake.playCapture("two-way/text", { replace: [['"contextWindow":1000000', '"contextWindow":1300']] });
    await begin("hello");
    await siskin.done();
    await page.getByText("This chat is near its context limit").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Ask for a summary" }).click();
    await expect.poll(() => siskin.prompt.inputValue()).toMatch(/^Summarize this chat/);
    await siskin.prompt.fill("");
  });
});

describe("what answers", () => {
  it("is chosen from one menu by keys alone: the agent, its model, how hard it tries and its tier", async () => {
    const { page, prompt } = siskin;
    await page.goto(fake.daemon.url);
    await prompt.focus();
    await page.keyboard.press("Control+;");
    const menu = page.getByRole("dialog", { name: "Model, effort and tier" });
    await expect.poll(() => menu.evaluate((one) => one.contains(document.activeElement))).toBe(true);
    await menu.getByRole("group", { name: "Codex" }).locator("input:enabled").first().waitFor();
    const part = () =>
      page.evaluate(() => document.activeElement?.closest("fieldset")?.querySelector("legend")?.innerText);
    for (const [place, group, name] of [
      // The models of all agents are one group of radios: arrows go through them.
      [/Claude|Codex|Demo/, "Codex", /GPT-6\.2 Astra/],
      [/^Effort/, "Effort", "High"],
      [/^Tier/, "Tier", "Fast"],
    ] as const) {
      for (let n = 0; n < 20 && !place.test((await part()) ?? ""); n += 1) await page.keyboard.press("Tab");
      const radio = menu.getByRole("group", { name: group }).getByRole("radio", { name, exact: true });
      for (let n = 0; n < 20 && !(await radio.isChecked()); n += 1) await page.keyboard.press("ArrowDown");
      await expect.poll(() => radio.isChecked()).toBe(true);
    }
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await expect.poll(() => siskin.focused()).toBe("composer");
    const heard = join(dir, "heard.jsonl");
    fake.playCapture("two-way/text", { record: heard }, "codex");
    await siskin.send("hello");
    await siskin.done();
    const turn = readFileSync(heard, "utf8")
      .split("\n")
      .filter((line) => line.includes('\\"turn/start\\"'));
    expect(turn).toHaveLength(1);
    for (const said of ['"reasoning_effort":"high"', '"model":"gpt-6.2-astra"', '"serviceTier":"fast"'])
      expect(turn[0]).toContain(JSON.stringify(said).slice(1, -1));
  });
});

describe("after a run", () => {
  it("its session goes on in a terminal by a command that can be copied", async () => {
    const { page, thread } = siskin;
    fake.playCapture("two-way/text");
    await begin("hello");
    await siskin.done();
    await used().click();
    await thread.getByText("Go on in a terminal").waitFor();
    await thread.getByRole("button", { name: "Copy the command" }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toMatch(/^claude --resume [0-9a-f-]{36}$/);
  });

  it("another model answers the same prompt again", async () => {
    const { page, thread } = siskin;
    await thread.getByRole("button", { name: "Answer again with another model" }).click();
    const menu = page.getByRole("dialog", { name: "Answer again with another model" });
    await menu.getByRole("group", { name: /Demo/ }).waitFor();
    expect(await violations(page, "[role=dialog]")).toEqual([]);
    await menu.getByRole("group", { name: /Demo/ }).locator("label").first().click();
    await menu.waitFor({ state: "detached" });
    await expect.poll(() => thread.getByRole("article", { name: "Prompt by You" }).count()).toBe(2);
    await siskin.last.getByText(/cost unknown/).waitFor();
    await siskin.done();
    await thread.getByText(/cost unknown/).waitFor();
    expect(await thread.getByText("hello", { exact: true }).count()).toBe(2);
  });
});

describe("a limit that somebody set", () => {
  const ofChat = () => siskin.page.getByRole("dialog", { name: "Limits" });

  /** Sets how many tokens each run of the chat, and all of them, may take. */
  async function limit(run: string, chat: string): Promise<void> {
    const { page } = siskin;
    await page.getByRole("banner").getByRole("button", { name: "More about this chat" }).click();
    await page.getByRole("menuitem", { name: "Limits" }).click();
    await ofChat().getByRole("group", { name: "Each run" }).getByLabel("Tokens").fill(run);
    await ofChat().getByRole("group", { name: "A chat in all" }).getByLabel("Tokens").fill(chat);
    await ofChat().getByRole("button", { name: "Save limits" }).click();
    await ofChat().waitFor({ state: "detached" });
  }

  it("stops a run that goes over it, in every browser, and lets it go on", async () => {
    fake.playCapture("two-way/text");
    await begin("hello");
    await siskin.done();
    await come(dunlin);
    await limit("500", "");
    // It would wait for an answer, and is stopped for what it used before.
    fake.playCapture("two-way/approve-once");
    await siskin.send("touch a file");
    await siskin.done();
    for (const visitor of [siskin, dunlin]) {
      await visitor.last.getByText("The run reached its limit of tokens").waitFor();
      await visitor.last.getByText(/the limit is 500 tokens\./).waitFor();
    }
    expect(await violations(siskin.page)).toEqual([]);
    await limit("", "");
    fake.playCapture("two-way/text");
    await siskin.begun(() => siskin.last.getByRole("button", { name: "Continue" }).click());
    await siskin.done();
    await siskin.last.getByText("Continued the run before").waitFor();
  });

  it("lets no run begin once the chat has used it up, and keeps what was written", async () => {
    const { page, prompt } = siskin;
    await limit("", "1000");
    await prompt.fill("one more");
    await prompt.press("Enter");
    await page.getByText(/This chat has used \d+ tokens, and its limit is 1000 tokens\./).waitFor();
    await page.getByText(/Nothing was sent\. Raise the limit, or go on in another chat\./).waitFor();
    await expect.poll(() => prompt.inputValue()).toBe("one more");
    expect(await violations(page)).toEqual([]);
    await limit("", "");
    await siskin.begun(() => prompt.press("Enter"));
    await siskin.done();
    await siskin.last.getByText("one more", { exact: true }).waitFor();
  });
});

describe("a vendor's limit", () => {
  const limited = (seconds: number) => {
    const limit = {
      status: "rejected",
      resetsAt: Math.floor(Date.now() / 1000) + seconds,
      rateLimitType: "five_hour",
    };
    const told = JSON.stringify({ type: "rate_limit_event", rate_limit_info: limit });
    fake.playCapture("two-way/error429", { before: [told] });
  };

  it("says until when, goes on at the reset when told to, and not when told not to", async () => {
    const { page, thread } = siskin;
    limited(720);
    await begin("check the limits");
    await siskin.done();
    await come(dunlin);
    for (const visitor of [siskin, dunlin]) {
      await visitor.thread.getByText(/^Rate limited until \d\d:\d\d$/).waitFor();
      await visitor.thread.getByText(/The answer so far is kept/).waitFor();
    }
    expect(await violations(page)).toEqual([]);
    await thread.getByRole("button", { name: /^Continue at \d\d:\d\d$/ }).click();
    for (const visitor of [siskin, dunlin])
      await visitor.thread.getByText(/Continues by itself in \d+m \d\ds\./).waitFor();
    await dunlin.thread.getByRole("button", { name: "Don't continue" }).click();
    await thread.getByRole("button", { name: /^Continue at \d\d:\d\d$/ }).waitFor();
  });

  it("is over by itself: the run goes on at the reset", async () => {
    // Long enough to be seen and told to wait for, on a busy machine too.
    limited(40);
    await begin("check the limits once more");
    await siskin.done();
    await siskin.thread.getByRole("button", { name: /^Continue at \d\d:\d\d$/ }).click();
    await siskin.thread.getByText(/Continues by itself in \d+s\./).waitFor();
    fake.playCapture("two-way/text");
    await siskin.thread.getByText("Continued the run before").waitFor();
    await siskin.thread.getByText(/Hello from the lab/).waitFor();
    await siskin.done();
  });
});

describe("a run that goes on", () => {
  it("shows Markdown as it comes, also what is not closed yet", async () => {
    fake.playCapture("two-way/interrupt-text", {
      replace: [
        [
          "The quick br",
          "- one\\n- two\\n\\n> quoted\\n\\n| Word | Plays |\\n|---|---|\\n| think | reasons |\\n\\n",
        ],
        ["own fox jump", "Some **weig"],
        ["s over the l", "ht** and\\n\\n"],
        ["azy dog. The", "```go\\nfunc main() {\\n"],
      ],
    });
    await begin("stream");
    const answer = siskin.last;
    await answer.locator("pre").getByText("func main() {").waitFor();
    await answer.getByRole("listitem").filter({ hasText: /^two$/ }).waitFor();
    await answer.getByRole("blockquote").getByText("quoted").waitFor();
    await answer.getByRole("cell", { name: "reasons" }).waitFor();
    await answer.locator("strong").getByText("weight", { exact: true }).waitFor();
    expect(await answer.getByText(/```|\*\*|\|/).count()).toBe(0);
    expect(await siskin.stop.isVisible()).toBe(true);
    expect(await violations(siskin.page)).toEqual([]);
    await siskin.end();
  });

  it("says that its agent tries again, and that it stops", async () => {
    const { thread } = siskin;
    fake.playCapture("two-way/interrupt-retry");
    await begin("try");
    await thread.getByText("Trying again", { exact: true }).waitFor();
    expect(await violations(siskin.page)).toEqual([]);
    await siskin.end();
    await thread.getByText("Stopped", { exact: true }).waitFor();
  });

  it("says in every browser that it is stopping, until it has", async () => {
    fake.playCapture("two-way/interrupt-text", { ignoreInterrupt: true, ignoreEof: true });
    await begin("do not hear");
    await come(dunlin);
    await dunlin.stop.waitFor();
    // It does not last: who looks after the click may be too late.
    const seen = [siskin, dunlin].flatMap(({ thread, page }) => [
      thread.getByText("Stopping", { exact: true }).waitFor(),
      page
        .getByRole("form")
        .getByRole("button", { name: /^Stopping/ })
        .waitFor(),
    ]);
    await Promise.all([...seen, siskin.stop.click()]);
    await siskin.done();
    await dunlin.thread.getByText("Stopped", { exact: true }).waitFor();
  });

  it("whose processes are still there is held, and says so", async () => {
    const visitor = await siskin.again();
    await hold(visitor.page);
    await visitor.page.goto(fake.daemon.url);
    await choose(visitor, /Demo/);
    await visitor.send("slow");
    await visitor.thread.getByText(/^Held: its processes are still there/).waitFor();
    await visitor.page.getByRole("button", { name: /^Prompt at \d\d:\d\d, held$/ }).waitFor();
    expect(await violations(visitor.page)).toEqual([]);
    await visitor.end();
    await visitor.leave();
  });
});

/** Lets a page hear that runs are held: no process on a machine that works outlives being killed. */
async function hold(page: Page): Promise<void> {
  await page.routeWebSocket(/\/ws\/chat\//, (near) => {
    const far = near.connectToServer();
    far.onMessage((message) => near.send(String(message).replaceAll('"phase":"running"', '"phase":"held"')));
  });
}

/** A capture in which two requests for leave came one after the other, as if both had come before an answer. */
function bothAtOnce(): string {
  const from = captured("two-way/approve-parallel");
  const to = join(dir, "both");
  const lines = readFileSync(`${from}.jsonl`, "utf8").trimEnd().split("\n");
  const second = lines.findLastIndex((line) => line.startsWith('{"type":"control_request"'));
  const result = lines.findIndex((line) => line.includes('"tool_result"'));
  lines.splice(result, 0, ...lines.splice(second, 1));
  writeFileSync(`${to}.jsonl`, `${lines.join("\n")}\n`);
  writeFileSync(`${to}.seq`, `0 > 1\n0 < 1-${result + 1}\n0 > 2\n0 > 3\n0 < ${result + 2}-${lines.length}\n`);
  for (const end of [".stdin.jsonl", ".exit", ".cmd"]) copyFileSync(from + end, to + end);
  return to;
}

describe("cards", () => {
  const card = (visitor: Visitor) => visitor.page.getByRole("alertdialog");

  it("that wait together are told by their number, gone through, and answered one by one", async () => {
    const { page, thread } = siskin;
    fake.play({ capture: bothAtOnce() });
    await begin("touch both");
    await come(dunlin);
    await card(siskin).getByText("1 of 2").waitFor();
    await card(siskin).getByText("touch p1.txt").waitFor();
    expect(await violations(page)).toEqual([]);
    await card(siskin).getByRole("button", { name: "Next request" }).click();
    await card(siskin).getByText("touch p2.txt").waitFor();
    await card(siskin).getByText("2 of 2").waitFor();
    // Letters are for the card that has the focus, where several wait.
    await siskin.blur();
    await page.keyboard.press("y");
    expect(await card(siskin).getByText("2 of 2").count()).toBe(1);
    await card(siskin).getByRole("button", { name: "Allow once" }).click();
    await card(siskin).getByText("touch p1.txt").waitFor();
    await page.getByText("1 of 2").waitFor({ state: "detached" });
    await card(dunlin).getByText("touch p1.txt").waitFor();
    await card(dunlin).getByRole("button", { name: "Allow once" }).click();
    await siskin.done();
    await thread.getByText("Allowed by siskin").waitFor();
    await thread.getByText("Allowed by dunlin").waitFor();
  });

  it("with questions give the agent the answers that were chosen", async () => {
    const { page, thread } = siskin;
    fake.playCapture("two-way/ask-two", { record });
    await begin("ask");
    await page.getByRole("radio", { name: /Blue/ }).check();
    await page.getByRole("button", { name: /^Next/ }).click();
    await page.getByText("Question 2 of 2").first().waitFor();
    await page.getByRole("radio").first().check();
    const size = (await page.getByRole("radio").first().locator("xpath=ancestor::label").innerText()).split(
      "\n",
    )[0];
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await siskin.done();
    await thread.getByText("Answered by siskin").waitFor();
    const heard = readFileSync(record, "utf8")
      .split("\n")
      .filter((line) => line.includes("control_response") && line.includes("Which colour?"));
    expect(heard).toHaveLength(1);
    expect(heard[0]).toContain('\\"Which colour?\\":\\"Blue\\"');
    expect(heard[0]).toContain(`\\":\\"${size}\\"`);
  });
});

it("nothing went wrong in the pages", () => {
  siskin.expectClean(fake.daemon.url);
  dunlin.expectClean(fake.daemon.url);
});
