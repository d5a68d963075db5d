import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const css = readFileSync("src/styles/tokens.css", "utf8");

function block(selector: string): Map<string, string> {
  // At the beginning of a line: a comment may name it, too.
  const start = css.indexOf(`\n${selector} {`);
  expect(start).toBeGreaterThan(0);
  const body = css.slice(css.indexOf("{", start) + 1, css.indexOf("}", start));
  return new Map([...body.matchAll(/--([\w-]+):\s*(#[0-9A-Fa-f]{6})/g)].map((m) => [m[1] ?? "", m[2] ?? ""]));
}

const light = new Map([["white", "#ffffff"], ...block(":root")]);
const dark = new Map([...light, ...block('[data-theme="dark"]')]);

it("the two themes have colours of their own", () => {
  for (const name of ["canvas", "ink", "line-3"]) expect(dark.get(name)).not.toBe(light.get(name));
});

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((i) => {
    const v = parseInt(hex.slice(i, i + 2), 16) / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function ratio(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const surfaces = ["rail", "canvas", "raised", "sunken", "hover", "selected"];
const text = ["ink", "ink-2", "ink-3", "accent"];
const signals = ["clear", "caution", "stop"];
const code = ["sy-key", "sy-str", "sy-fn", "sy-num", "sy-com"];
const codeGrounds = ["raised", "sunken", "canvas", "add-bg", "del-bg", "add-word", "del-word"];

const pairs: [fore: string, ground: string, least: number][] = [
  ...text.flatMap((t) => surfaces.map((s): [string, string, number] => [t, s, 4.5])),
  ...signals.flatMap((t) =>
    ["rail", "canvas", "raised", "sunken", "hover", "selected", `${t}-bg`].map(
      (s): [string, string, number] => [t, s, 4.5],
    ),
  ),
  ...signals.flatMap((t) =>
    ["rail", "canvas", "raised", "sunken", "hover", "selected", `${t}-bg`].map(
      (s): [string, string, number] => [`${t}-dot`, s, 3],
    ),
  ),
  ...code.flatMap((t) => codeGrounds.map((s): [string, string, number] => [t, s, 4.5])),
  ...["add-bg", "del-bg", "add-word", "del-word", "accent-bg", "stop-bg", "caution-bg"].flatMap(
    (s): [string, string, number][] => [
      ["ink", s, 4.5],
      ["ink-2", s, 4.5],
    ],
  ),
  ...surfaces.map((s): [string, string, number] => ["line-3", s, 3]),
  ["accent", "accent-bg", 4.5],
  ["add-ink", "add-bg", 4.5],
  ["del-ink", "del-bg", 4.5],
  ["on-ink", "ink", 4.5],
  ["on-stop", "stop-fill", 4.5],
  // The letter of a person is white in both themes.
  ...[1, 2, 3, 4, 5, 6].map((n): [string, string, number] => ["white", `av${n}`, 4.5]),
  ...[1, 2, 3, 4].flatMap((n) => ["raised", "canvas"].map((s): [string, string, number] => [`ch${n}`, s, 3])),
];

it.each([
  ["light", light],
  ["dark", dark],
])("every pair of colours that meets in the %s theme has enough contrast", (_name, tokens) => {
  const short = pairs.flatMap(([fore, ground, least]) => {
    const r = ratio(tokens.get(fore) ?? "", tokens.get(ground) ?? "");
    return r >= least ? [] : [`${fore} on ${ground}: ${r.toFixed(2)} of ${least}`];
  });
  expect(short).toEqual([]);
});
