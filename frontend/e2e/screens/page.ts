import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Picture, pictures } from "./pictures";

const style = `
  :root { color-scheme: light dark; font: 14px/22px system-ui, sans-serif; }
  body { margin: 24px; max-width: 1800px; }
  section { margin-block: 32px; }
  .pair { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); align-items: start; }
  figure { margin: 0; }
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

/** Writes the page that sets each picture beside the product. */
export function writeIndex(out: string): void {
  const head = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Signalbox: pictures and product</title><style>${style}</style>`;
  const intro =
    "<h1>Pictures and product</h1><p>Each picture of the design, and Signalbox in the same state, made by <code>npm run screens</code> from a real daemon with the demo agent and, for states that it does not have, an agent that plays what Claude Code printed. Names, chats and numbers in the pictures are examples.</p>";
  writeFileSync(
    join(out, "index.html"),
    `${head}<body>${intro}\n${pictures.map((picture) => section(out, picture)).join("\n")}</body></html>\n`,
  );
}
