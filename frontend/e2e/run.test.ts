import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, overflow, Visitor } from "./browser";
import { Daemon } from "./daemon";

let browser: Browser;
let daemon: Daemon;
let visitor: Visitor;

beforeAll(async () => {
  browser = await launch();
  daemon = await Daemon.start();
  visitor = await Visitor.come(browser);
  await visitor.setUp(daemon.setupLink);
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

describe("a run", () => {
  it("shows reasoning, formatted text, an edit and a command", async () => {
    const { page, thread } = visitor;
    await visitor.begin(daemon.url, "think, text, edit, shell");
    await visitor.done();
    await thread.getByRole("button", { name: /Reasoned/ }).click();
    await thread.getByText("what is known, what could go wrong").waitFor();
    await thread.getByRole("table").filter({ hasText: "Plays" }).waitFor();
    await thread.getByText("fmt.Println").waitFor();
    await thread.getByRole("button", { name: /Edit.*signalbox-demo\.md/ }).waitFor();
    await thread
      .getByRole("group", { name: /Changes of/ })
      .getByText("Changed so far:")
      .first()
      .waitFor();
    await thread.getByText("exit 0").waitFor();
    await thread
      .getByText(/Allowed without asking/)
      .first()
      .waitFor();
    const row = thread.getByRole("button", { name: /Bash.*ls/ });
    await row.click();
    await expect.poll(() => row.getAttribute("aria-expanded")).toBe("false");
    await thread.getByText(/tokens · /).waitFor();
    visitor.expectClean(daemon.url);
    await page.getByRole("button", { name: /Prompt at \d\d:\d\d$/ }).waitFor();
  });

  it("colours finished code without moving it", async () => {
    const block = visitor.thread.locator("pre").filter({ hasText: "fmt.Println" });
    await block.locator(".v-key").first().waitFor();
    expect((await block.innerText()).trim()).toBe('func main() {\n\tfmt.Println("Hello from the demo")\n}');
  });

  it("stops when Escape is pressed twice, and says so after the first", async () => {
    const { page } = visitor;
    await visitor.send("slow");
    await visitor.last.getByText("Slowly, word by word").waitFor();
    // Escape in an open list closes the list, and is not counted.
    await page.getByRole("button", { name: /^Model:/ }).click();
    const menu = page.getByRole("dialog", { name: "Model, effort and tier" });
    await menu.waitFor();
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    expect(await page.getByText("Esc again to stop").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByText("Esc again to stop").first().waitFor();
    expect(await visitor.stop.isVisible()).toBe(true);
    await visitor.stopByEscape();
    await visitor.last.getByText("Stopped", { exact: true }).waitFor();
    await page.getByRole("button", { name: /Prompt at .* stopped/ }).waitFor();
  });

  it("says what went wrong, what is kept and what to do next", async () => {
    await visitor.send("fail");
    await visitor.done();
    await visitor.last.getByText("The demo agent is overloaded.").waitFor();
    await visitor.last.getByText(/The answer so far is kept/).waitFor();
    await visitor.begun(() => visitor.last.getByRole("button", { name: "Retry" }).click());
    await visitor.last.getByText("The demo agent is overloaded.").waitFor();
    await visitor.done();
  });

  it("says that a mode which is chosen meanwhile is for the next prompt", async () => {
    const { page } = visitor;
    const mode = (name: string) => page.locator("label").filter({ hasText: name });
    await visitor.send("slow");
    await mode("Plan").click();
    await page.getByText("This run goes on in Code. Plan is for the next prompt.").waitFor();
    await mode("Code").click();
    await page.getByText(/This run goes on in/).waitFor({ state: "detached" });
    await visitor.end();
  });

  it("refuses what the mode refuses, and says that it did", async () => {
    const { page } = visitor;
    await page.locator("label").filter({ hasText: "Plan" }).click();
    await visitor.send("edit");
    await visitor.last
      .getByText(/Refused without asking/)
      .first()
      .waitFor();
    await visitor.done();
  });

  it("asks before Full Auto, once a chat", async () => {
    const { page } = visitor;
    const mode = (name: string) => page.locator("label").filter({ hasText: name });
    await mode("Full Auto").click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => page.getByRole("radio", { name: "Plan" }).isChecked()).toBe(true);
    await mode("Full Auto").click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Use Full Auto" }).click();
    await visitor.send("approve");
    await visitor.done();
    // The word stands in the header, on one line, and in the composer, however narrow the window is.
    const mark = page.getByRole("banner").getByText("Full Auto");
    const size = page.viewportSize();
    for (const width of [320, 390, 768, size?.width ?? 1280]) {
      await page.setViewportSize({ width, height: size?.height ?? 720 });
      await mark.waitFor();
      await expect.poll(async () => (await mark.boundingBox())?.height ?? 99).toBeLessThan(30);
      await page.getByRole("form").getByText("Full Auto").filter({ visible: true }).first().waitFor();
      expect(await overflow(page)).toBe(0);
    }
    await mode("Code").click();
    await mode("Full Auto").click();
    expect(await page.getByRole("alertdialog").count()).toBe(0);
  });

  it("keeps a draft for each chat, also through a reload", async () => {
    const { page } = visitor;
    await visitor.prompt.fill("unfinished");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("thought");
    await page.getByRole("link", { name: "Home" }).click();
    await page.waitForURL(`${daemon.url}/`);
    await expect.poll(() => visitor.prompt.inputValue()).toBe("");
    await page.goBack();
    await visitor.thread.waitFor();
    await page.reload();
    await visitor.thread.waitFor();
    await expect.poll(() => visitor.prompt.inputValue()).toBe("unfinished\nthought");
    await visitor.prompt.fill("");
  });

  it("shows a megabyte of output by its end, and all of it on demand", async () => {
    await visitor.send("big");
    await visitor.done();
    const output = visitor.thread.getByRole("group", { name: /Output/ }).filter({ hasText: "166000" });
    await visitor.scrollUpTo(output);
    expect(await output.getByText(/lines above/).count()).toBe(1);
    visitor.expectClean(daemon.url);
  });
});
