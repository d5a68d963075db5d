import type { Page } from "playwright-core";

/** What the design asks of a part of the page, and what the browser computes for it. */
type Asked = {
  readonly what: string;
  /** The first element of this selector. */
  readonly of: string;
  /** Sides of its box, a style, or `type`: size, line height and weight. */
  readonly in: string;
  readonly wanted: string;
};

export type Measured = Asked & { readonly is: string };

const chat = 'nav[aria-label="Chats and pages"]';

/** On a desk, in a chat. */
export const desk: readonly Asked[] = [
  { what: "Sidebar, with its hairline", of: `:has(> ${chat})`, in: "width", wanted: "264px" },
  { what: "Header", of: "header", in: "height", wanted: "48px" },
  { what: "Column of the thread", of: ".prompt-card", in: "width", wanted: "744px" },
  { what: "Gutter of the track", of: "html", in: "--gutter", wanted: "76px" },
  { what: "Track", of: "html", in: "--track", wanted: "52px" },
  { what: "Line of the track", of: ".track-line", in: "width", wanted: "2px" },
  { what: "Station", of: ".station", in: "width", wanted: "14px" },
  { what: "Composer", of: "form", in: "width", wanted: "744px" },
  { what: "Row of the sidebar", of: `${chat} li a`, in: "height", wanted: "28px" },
  { what: "Button", of: "form [type=submit]", in: "height", wanted: "28px" },
  { what: "Corners of a prompt", of: ".prompt-card", in: "border-top-left-radius", wanted: "8px" },
  { what: "Corners of the composer", of: "form", in: "border-top-left-radius", wanted: "10px" },
  { what: "Corners of a button", of: "form [type=submit]", in: "border-top-left-radius", wanted: "6px" },
  { what: "Type: heading", of: "h1", in: "type", wanted: "15px / 22px 600" },
  { what: "Type: answer", of: ".prose p", in: "type", wanted: "14px / 22px 400" },
  { what: "Type: own prompt", of: ".prompt-card .font-medium", in: "type", wanted: "14px / 22px 500" },
  { what: "Type: row", of: `${chat} li a`, in: "type", wanted: "13px / 20px 400" },
  { what: "Type: button", of: "form [type=submit]", in: "type", wanted: "13px / 20px 500" },
  { what: "Type: group label", of: `${chat} h2`, in: "type", wanted: "11px / 16px 600" },
  { what: "Type: code", of: ".prose pre", in: "type", wanted: "12px / 19px 400" },
  { what: "Type: time at a station", of: ".station-time", in: "type", wanted: "11px / 16px 400" },
  { what: "Edge of the composer", of: "form", in: "border-top-color", wanted: "--line-3" },
  { what: "Ground of a prompt", of: ".prompt-card", in: "background-color", wanted: "--raised" },
  { what: "Ground of the sidebar", of: chat, in: "background-color", wanted: "--rail" },
];

/** On a phone, in the same chat. */
export const phone: readonly Asked[] = [
  { what: "Gutter of the track", of: "html", in: "--gutter", wanted: "30px" },
  { what: "Track", of: "html", in: "--track", wanted: "13px" },
  { what: "Type: answer", of: ".prose p", in: "type", wanted: "15px / 23px 400" },
  { what: "Type: field", of: "textarea", in: "font-size", wanted: "16px" },
  { what: "Send", of: "form [type=submit]", in: "height", wanted: "44px" },
];

/** Takes the measures in the page as it stands. Colours are named by their token. */
export function measure(page: Page, asked: readonly Asked[]): Promise<readonly Measured[]> {
  return page.evaluate((all) => {
    const root = getComputedStyle(document.documentElement);
    const ground = document.createElement("i");
    document.body.append(ground);
    const colour = (token: string) => {
      ground.style.color = `var(${token})`;
      return getComputedStyle(ground).color;
    };
    const valueOf = (element: Element, name: string) => {
      const style = getComputedStyle(element);
      if (name === "width" || name === "height")
        return `${Math.round(element.getBoundingClientRect()[name] * 10) / 10}px`;
      if (name === "type") return `${style.fontSize} / ${style.lineHeight} ${style.fontWeight}`;
      return (name.startsWith("--") ? root : style).getPropertyValue(name).trim();
    };
    const measured = all.map((one) => {
      const element = document.querySelector(one.of);
      const value = element === null ? "not there" : valueOf(element, one.in);
      return { ...one, is: one.wanted.startsWith("--") && colour(one.wanted) === value ? one.wanted : value };
    });
    ground.remove();
    return measured;
  }, asked);
}

/** Every colour of the tokens, as the browser has it in this theme. */
export function colours(page: Page): Promise<readonly (readonly [name: string, value: string])[]> {
  return page.evaluate(() => {
    const names = [...document.styleSheets]
      .flatMap((sheet) => [...sheet.cssRules])
      .flatMap((rule) =>
        rule instanceof CSSStyleRule && rule.selectorText === ":root" ? [...rule.style] : [],
      )
      .filter((name) => name.startsWith("--"));
    const root = getComputedStyle(document.documentElement);
    return [...new Set(names)]
      .map((name) => [name, root.getPropertyValue(name).trim()] as const)
      .filter(([, value]) => value.startsWith("#"));
  });
}
