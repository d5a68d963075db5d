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
  "$\\href{javascript:window.canary='tex'}{press me in a formula}$",
  "$$\n\\includegraphics{http://canary.invalid/tex.png}\\htmlStyle{background:url(http://canary.invalid/tex)}{x}\n$$",
  "A note[^1].\n\n[^1]: <img src=x onerror=\"window.canary='note'\"> [n](javascript:window.canary='note')",
  '```mermaid\n%%{init: {"themeCSS": "* { background: url(http://canary.invalid/m.css) }"}}%%\ngraph TD\n  A["<img src=http://canary.invalid/m.png onerror=parent.canary=\'mermaid\'>"] --> B[fine]\n  click B "javascript:parent.canary=\'click\'"\n```',
  "```svg\n<svg xmlns='http://www.w3.org/2000/svg' width='80' height='40' onload=\"parent.canary='svg'\"><title>drawn</title><script>parent.canary='svg script'</script><image href='http://canary.invalid/svg.png' width='9' height='9'/><a href='http://canary.invalid/svg'><rect width='80' height='40'/></a></svg>\n```",
  "The end of it.",
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
  await visitor.thread.getByText("The end of it.").waitFor();
  await visitor.thread.locator(".katex").first().waitFor();
  await visitor.thread.getByRole("region", { name: "Footnotes" }).waitFor();
  const frames = visitor.thread.locator("iframe");
  await expect.poll(() => frames.count()).toBe(2);
  await visitor.page.frameLocator("iframe[title=Diagram]").getByText("fine").waitFor();
  await visitor.page
    .frameLocator("iframe:not([title=Diagram])")
    .getByRole("img", { name: "drawn" })
    .waitFor();
  for (const text of ["press me", "press me too"]) {
    const target = visitor.thread.getByText(text).first();
    await target.click();
  }
  expect(await visitor.page.evaluate("window.canary")).toBeUndefined();
  expect(await visitor.thread.locator("script, img, form, link, object, embed").count()).toBe(0);
  expect(
    await frames.evaluateAll((all) => all.map((f) => [f.getAttribute("src"), f.getAttribute("sandbox")])),
  ).toEqual(Array.from({ length: 2 }, () => ["/frame", "allow-scripts"]));
  for (const link of await visitor.thread.locator("a").all()) {
    await expect.poll(() => link.getAttribute("href")).toMatch(/^http:\/\/canary\.invalid\//);
    await expect.poll(() => link.getAttribute("rel")).toContain("noopener");
  }
  const listed =
    /^\/($|assets\/|frame$|api\/(setup|me|agents|chats|health)(\/|$)|theme\.js$|mark\.svg$|setup$)/;
  const unlisted = visitor.requests.filter(
    (url) => !url.startsWith("data:") && !listed.test(new URL(url).pathname),
  );
  expect(unlisted.filter((url) => !/\/chats\/c_\w+$/.test(url))).toEqual([]);
  visitor.expectClean(daemon.url);
});

it("gives what is drawn no origin, no network and no way out", async () => {
  const visitor = await Visitor.come(browser);
  await visitor.page.goto(daemon.url);
  await visitor.signIn(daemon.url);
  await visitor.page.evaluate(() => {
    const frame = document.createElement("iframe");
    frame.src = "/frame";
    frame.sandbox.add("allow-scripts");
    document.body.append(frame);
    return new Promise((resolve) => frame.addEventListener("load", resolve));
  });
  const frame = visitor.page.frames().find((f) => f.url().endsWith("/frame"));
  if (frame === undefined) throw new Error("no frame");
  const tried = await frame.evaluate(async () => {
    const attempt = async (what: () => unknown): Promise<string> => {
      try {
        return `did: ${String(await what())}`;
      } catch (error) {
        return error instanceof Error ? error.name : "refused";
      }
    };
    return {
      origin: self.origin,
      cookie: await attempt(() => document.cookie),
      storage: await attempt(() => localStorage.length),
      parent: await attempt(() => window.parent.document.title),
      api: await attempt(() => fetch("/api/me").then((r) => r.status)),
      open: await attempt(() => window.open("/")?.closed ?? Promise.reject(new Error("none"))),
    };
  });
  expect(tried).toEqual({
    origin: "null",
    cookie: "SecurityError",
    storage: "SecurityError",
    parent: "SecurityError",
    api: "TypeError",
    open: "Error",
  });
  await visitor.leave();
});
