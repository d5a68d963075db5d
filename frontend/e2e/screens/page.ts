import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Measured } from "./measures";
import { type Picture, pictures } from "./pictures";

/** Places, with what was measured there. */
export type Measures = (readonly [place: string, measured: readonly Measured[]])[];
/** The colours of each theme. */
export type Colours = Record<"light" | "dark", readonly (readonly [name: string, value: string])[]>;

const style = `
  :root { color-scheme: light dark; font: 14px/22px system-ui, sans-serif; }
  body { margin: 24px; max-width: 1800px; }
  section { margin-block: 32px; }
  .pair { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); align-items: start; }
  figure { margin: 0; }
  table { border-collapse: collapse; }
  th, td { padding: 2px 12px 2px 0; text-align: start; font-weight: normal; }
  td { font-family: ui-monospace, monospace; }
  td i { display: inline-block; width: 1.5em; height: 1em; margin-inline-end: 8px; border: 1px solid #8888; vertical-align: -2px; }
  img { max-width: 100%; max-height: 900px; border: 1px solid #8888; }
`;

function figure(file: string, words: string): string {
  return `<figure><figcaption>${words}</figcaption><a href="${file}"><img loading="lazy" src="${file}" alt="${words}"></a></figure>`;
}

function section(out: string, { title, note, design, shots }: Picture): string {
  const drawn = design.map((file) => figure(`design/${file}`, `Design: ${file.replace(".png", "")}`));
  const shown = shots.flatMap((shot) =>
    ["light", "dark"]
      .map((theme) => `shots/${shot}-${theme}.webp`)
      .filter((file) => existsSync(join(out, file)))
      .map((file) => figure(file, `Signalbox: ${file.slice("shots/".length, -".webp".length)}`)),
  );
  return `<section><h2>${title}</h2>${note === "" ? "" : `<p>${note}</p>`}<div class="pair">${[...drawn, ...shown].join("\n")}</div></section>`;
}

function measuresTable([place, measured]: Measures[number]): string {
  const rows = measured.map(
    (m) =>
      `<tr><th scope="row">${m.what}</th><td>${m.wanted}</td><td>${m.is === m.wanted ? m.is : `<strong>${m.is}</strong>`}</td></tr>`,
  );
  return `<h3>${place}</h3><table><thead><tr><th>Part</th><th>Design</th><th>Computed</th></tr></thead><tbody>${rows.join("\n")}</tbody></table>`;
}

function colourTable({ light, dark }: Colours): string {
  const other = new Map(dark);
  const cell = (value: string) => `<td><i style="background:${value}"></i>${value}</td>`;
  const rows = light.map(
    ([name, value]) => `<tr><th scope="row">${name}</th>${cell(value)}${cell(other.get(name) ?? value)}</tr>`,
  );
  return `<h3>Colours</h3><table><thead><tr><th>Token</th><th>Light</th><th>Dark</th></tr></thead><tbody>${rows.join("\n")}</tbody></table>`;
}

function measures(measured: Measures, tokens: Colours): string {
  const words =
    "What the browser computes in the running product, beside what the design asks for. <code>line-3</code>, <code>caution-dot</code> and three voices of code are darker in light than the pictures: a test computes the contrast of every pair, and these fell short.";
  return `<section><h2>Sizes, type and tokens</h2><p>${words}</p><div class="pair">${[...measured.map(measuresTable), colourTable(tokens)].map((table) => `<div>${table}</div>`).join("\n")}</div></section>`;
}

/** Writes the page that sets each picture beside the product, and what was measured in it. */
export function writeIndex(out: string, measured: Measures, tokens: Colours): void {
  const head = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Signalbox: pictures and product</title><style>${style}</style>`;
  const intro =
    "<h1>Pictures and product</h1><p>Each picture of the design, and Signalbox in the same state, made by <code>npm run screens</code> from a real daemon with the demo agent and, for states that it does not have, an agent that plays what Claude Code printed. Names, chats and numbers in the pictures are examples.</p>";
  writeFileSync(
    join(out, "index.html"),
    `${head}<body>${intro}\n${pictures.map((picture) => section(out, picture)).join("\n")}\n${measures(measured, tokens)}</body></html>\n`,
  );
}
