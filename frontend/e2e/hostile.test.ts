import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, Visitor } from "./browser";
import { Daemon } from "./daemon";

const attacks = [
  "<script>window.canary = 'script'</script>",
  "<img src=x onerror=\"window.canary = 'img'\">",
  "<svg onload=\"window.canary = 'svg'\"></svg>",
  "[press me](javascript:window.canary='link')",
  "![pixel](http://canary.invalid/pixel.png)",
  "![own](/api/me)",
  "<iframe srcdoc=\"<script>parent.canary = 'frame'</script>\"></iframe>",
  "<link rel=stylesheet href=http://canary.invalid/x.css>",
  "<form action=/api/logout method=post><button>press me too</button></form>",
  "```html\n<script>window.canary = 'code'</script>\n```",
  "| <script>window.canary = 'cell'</script> |\n|---|\n| x |",
  "<http://canary.invalid/auto>",
].join("\n\n");

let browser: Browser;
let daemon: Daemon;

beforeAll(async () => {
  const agent = process.env["FAKEAGENT_BIN"] ?? "";
  browser = await launch();
  daemon = await Daemon.start({
    settings: `[providers.claude]\npath = ${JSON.stringify(agent)}\n[providers.claude.env]\nFAKEAGENT = ${JSON.stringify(JSON.stringify({ text: attacks }))}\n`,
  });
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
});

it("makes nothing of the page out of what an agent writes, and loads nothing for it", async () => {
  const visitor = await Visitor.come(browser);
  await visitor.setUp(daemon.setupLink);
  await visitor.send(`<img src=x onerror="window.canary = 'prompt'">`);
  await visitor.thread.getByText("press me", { exact: true }).waitFor();
  await visitor.done();
  for (const text of ["press me", "press me too"]) {
    const target = visitor.thread.getByText(text).first();
    await target.click();
  }
  expect(await visitor.page.evaluate("window.canary")).toBeUndefined();
  expect(await visitor.thread.locator("script, img, iframe, form, link, object, embed").count()).toBe(0);
  for (const link of await visitor.thread.locator("a").all()) {
    expect(await link.getAttribute("href")).toMatch(/^http:\/\/canary\.invalid\//);
    expect(await link.getAttribute("rel")).toContain("noopener");
  }
  const listed = /^\/($|assets\/|api\/(setup|me|agents|chats)(\/|$)|theme\.js$|mark\.svg$|setup$)/;
  const unlisted = visitor.requests.filter(
    (url) => !url.startsWith("data:") && !listed.test(new URL(url).pathname),
  );
  expect(unlisted.filter((url) => !/\/chats\/c_\w+$/.test(url))).toEqual([]);
  visitor.expectClean(daemon.url);
});
