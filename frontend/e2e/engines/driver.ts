/**
 * The few WebDriver commands that the smoke needs. Firefox is spoken to by its own
 * Marionette and WebKitGTK by the WebDriver that comes with it: the commands are the
 * same, and no driver for both can be had from Debian.
 */

/** Sends one command; `path` and `method` are those of WebDriver over HTTP. */
export type Send = (
  command: string,
  method: "GET" | "POST" | "DELETE",
  path: string,
  body: object,
) => Promise<unknown>;

const elementKey = "element-6066-11e4-a52e-4f735466cecf";
type Element = { readonly [elementKey]: string };

const isElement = (value: unknown): value is Element =>
  typeof value === "object" && value !== null && elementKey in value;

/** Keys that are not characters, as WebDriver writes them. */
export const key = { enter: "\uE007", escape: "\uE00C" } as const;

/**
 * Runs in the page: the first element of a selector that is shown and whose name has the
 * words. A pattern between slashes is a regular expression.
 */
const finder = `
  const [selector, words, done] = arguments;
  const pattern = words.startsWith("/") ? new RegExp(words.slice(1, -1)) : null;
  const named = (el) => {
    const label = el.getAttribute("aria-label")
      ?? (el.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
    const labels = [...(el.labels ?? [])].map((l) => l.textContent).join(" ");
    return [label, labels, el.textContent, el.placeholder ?? "", el.value ?? ""].join(" ").replace(/\\s+/g, " ");
  };
  const shown = (el) => el.checkVisibility({ visibilityProperty: true });
  done([...document.querySelectorAll(selector)].find(
    (el) => shown(el) && (pattern ? pattern.test(named(el)) : named(el).includes(words))) ?? null);
`;

const patience = 20_000;

/** How long a thing stands still before a person presses it; a card takes no key sooner. */
const still = 700;

/** Where an element stands and whether something else took the focus: what a press depends on. */
const standing = `
  const [element, done] = arguments;
  const { x, y, width, height } = element.getBoundingClientRect();
  window.focusesSeen ??= [];
  const { focusesSeen } = window;
  if (focusesSeen.at(-1) !== document.activeElement) focusesSeen.push(document.activeElement);
  done([x, y, width, height, focusesSeen.length].join(" "));
`;

/** A page in one engine, worked with as a person would: by what is shown, with real clicks and keys. */
export class Driver {
  readonly #send: Send;
  readonly #end: () => Promise<void>;

  constructor(send: Send, end: () => Promise<void>) {
    this.#send = send;
    this.#end = end;
  }

  async open(url: string): Promise<void> {
    await this.#send("Navigate", "POST", "/url", { url });
  }

  async reload(): Promise<void> {
    await this.#send("Refresh", "POST", "/refresh", {});
  }

  async resize(width: number, height: number): Promise<void> {
    await this.#send("SetWindowRect", "POST", "/window/rect", { width, height });
  }

  /** Runs the body of a function in the page; its last argument ends it with a value. */
  run(script: string, ...args: readonly (string | Element)[]): Promise<unknown> {
    return this.#send("ExecuteAsyncScript", "POST", "/execute/async", { script, args });
  }

  /** Waits for an element that is shown and has the words in its name or text. */
  async see(selector: string, words = ""): Promise<Element> {
    return this.#until(
      () => this.#find(selector, words),
      isElement,
      `${selector} with ${JSON.stringify(words)} is not shown`,
    );
  }

  /** Waits until no such element is shown. */
  async gone(selector: string, words = ""): Promise<void> {
    await this.#until(
      () => this.#find(selector, words),
      (found) => found === null,
      `${selector} with ${JSON.stringify(words)} is still shown`,
    );
  }

  #find(selector: string, words: string): Promise<unknown> {
    return this.#look(finder, selector, words);
  }

  /** What a script says; undefined when what it looks at went away in the middle. */
  async #look(script: string, ...args: readonly (string | Element)[]): Promise<unknown> {
    try {
      return await this.run(script, ...args);
    } catch (error) {
      if (/stale|no longer attached/.test(String(error))) return undefined;
      throw error;
    }
  }

  async #until<T>(
    look: () => Promise<unknown>,
    is: (found: unknown) => found is T,
    failure: string,
  ): Promise<T>;
  async #until(
    look: () => Promise<unknown>,
    is: (found: unknown) => boolean,
    failure: string,
  ): Promise<unknown>;
  async #until(look: () => Promise<unknown>, is: (found: unknown) => boolean, failure: string) {
    const until = Date.now() + patience;
    for (;;) {
      const found = await look();
      if (is(found)) return found;
      if (Date.now() > until) {
        const shown = await this.run("arguments[0](document.body.innerText.slice(-600))");
        throw new Error(`${failure}; the page ends with:\n${String(shown)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Waits until an element is shown and has stood still for a while. */
  async #steady(selector: string, words: string): Promise<string> {
    let last = "";
    let since = 0;
    let id = "";
    await this.#until(
      async () => {
        const found = await this.#find(selector, words);
        if (!isElement(found)) return false;
        id = found[elementKey];
        const now = `${id} ${String(await this.#look(standing, found))}`;
        if (now !== last) since = Date.now();
        last = now;
        return Date.now() - since >= still;
      },
      (stands) => stands === true,
      `${selector} with ${JSON.stringify(words)} does not stand still`,
    );
    return id;
  }

  async click(selector: string, words = ""): Promise<void> {
    const id = await this.#steady(selector, words);
    await this.#send("ElementClick", "POST", `/element/${id}/click`, { id });
  }

  async type(selector: string, words: string, text: string): Promise<void> {
    const id = await this.#steady(selector, words);
    await this.#send("ElementSendKeys", "POST", `/element/${id}/value`, { id, text });
  }

  async close(): Promise<void> {
    await this.#end();
  }
}
