import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Daemon } from "../daemon";
import { type Driver, key } from "./driver";
import { firefox } from "./firefox";
import { webkit } from "./webkit";

const password = "a long and simple phrase";
const prompt = "textarea, [role=textbox]";
const need = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: scripts/setup-engines prints it`);
  return value;
};

const engines = [
  { name: "Firefox", launch: () => firefox(need("FIREFOX")) },
  { name: "WebKitGTK", launch: () => webkit(need("WEBKIT_DRIVER"), need("WEBKIT_BROWSER")) },
];

// The page in engines other than Chromium: ten things that people do every day.
describe.each(engines)("in $name", ({ launch }) => {
  let daemon: Daemon;
  let page: Driver;

  beforeAll(async () => {
    daemon = await Daemon.start();
    page = await launch();
    await page.resize(1280, 900);
  });

  afterAll(async () => {
    await page.close();
    await daemon.stop();
  });

  const send = async (text: string): Promise<void> => {
    await page.type(prompt, "Prompt", text + key.enter);
  };
  const done = async (): Promise<void> => {
    await page.see(".run", "/cost unknown|\\$\\d/");
    await page.gone("form button", "/^\\s*Stop/");
  };
  const overflow = () =>
    page.run("arguments[0](document.documentElement.scrollWidth - document.documentElement.clientWidth)");

  it("makes the first account from the printed link", async () => {
    await page.open(daemon.setupLink);
    await page.type("input", "Name", "siskin");
    await page.type("input", "Password", password);
    await page.click("button", "Create account");
    await page.see("body", "Only the demo agent can answer.");
  });

  it("streams an answer with reasoning, an edit and a command", async () => {
    await send("think, text, edit, shell");
    await page.see(".run", "Reasoned");
    await page.see(".run table", "Plays");
    await page.see(".run", "exit 0");
    await done();
  });

  it("colours the code of an answer", async () => {
    await page.see("pre .v-key");
  });

  it("stops a run", async () => {
    await send("slow");
    await page.see(".run", "Slowly, word by word");
    await page.click("form button", "/^\\s*Stop/");
    await page.see(".run", "Stopped");
    await done();
  });

  it("answers a request for leave", async () => {
    await send("approve");
    await page.click("[role=alertdialog] button", "Allow once");
    await page.see(".run", "Leave was given, and");
    await done();
  });

  it("answers a question", async () => {
    await send("ask");
    await page.click("label", "Green");
    await page.click("form button", "Next");
    await page.see("form", "Question 2 of 2");
    await page.type("input[type=checkbox]", "Letters", " ");
    await page.see("label:has(:checked)", "Letters");
    await page.click("form button", "Answer");
    await page.see(".run", "Answered by siskin");
    await done();
  });

  it("shows the same after a reload", async () => {
    await page.reload();
    await page.see(".run", "Leave was given, and");
  });

  it("comes back by itself after the daemon was killed, and says that the run was interrupted", async () => {
    await send("slow");
    await page.see(".run", "Slowly, word by word");
    await daemon.kill();
    await page.see("body", "Connection lost.");
    await daemon.start();
    await page.see(".run", "Interrupted");
    await page.gone("body", "Connection lost.");
  });

  it("fits a phone, in the dark", async () => {
    await page.click("button", "Account and theme");
    await page.click("[role^=menuitem]", "Dark");
    await page.resize(420, 860);
    await page.see(prompt, "Prompt");
    // The window gets its size some frames after it was asked to.
    await expect.poll(() => overflow(), { timeout: 20_000 }).toBe(0);
    await page.click("button", "Open the list of chats");
    await page.see("nav", "Home");
    await page.type("body", "", key.escape);
    await page.resize(1280, 900);
  });

  it("keeps a draft over a reload, and signs out and in", async () => {
    await page.type(prompt, "Prompt", "half a thought");
    await page.reload();
    await page.see(prompt, "half a thought");
    await page.click("button", "Account and theme");
    await page.click("[role^=menuitem]", "Sign out");
    await page.type("input", "Name", "siskin");
    await page.type("input", "Password", password + key.enter);
    await page.see(prompt, "Prompt");
  });
});
