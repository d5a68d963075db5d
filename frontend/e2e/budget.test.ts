import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

type Chunk = {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
};

const dist = new URL("../dist/", import.meta.url);
const manifest: Record<string, Chunk> = JSON.parse(
  readFileSync(new URL(".vite/manifest.json", dist), "utf8"),
);

/** All scripts that a page needs before it works: those of its entries, and what they import. */
function scripts(entries: readonly string[]): ReadonlySet<string> {
  const files = new Set<string>();
  const visit = (key: string) => {
    const chunk = manifest[key];
    if (chunk === undefined) throw new Error(`the build has no ${key}: the budget names its entries`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    chunk.imports?.forEach(visit);
  };
  entries.forEach(visit);
  return files;
}

function weight(files: ReadonlySet<string>): number {
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, dist))).length, 0);
}

const shell = ["index.html", "src/app/Shell.tsx"];

describe("the scripts of a page, gzipped", () => {
  it.each([
    ["/login", ["index.html"], 180],
    ["/", [...shell, "src/features/home/index.ts"], 180],
    ["/chats/:id with Markdown", [...shell, "src/app/ChatRoute.tsx"], 260],
  ])("%s", (_page, entries, most) => {
    const kB = weight(scripts(entries)) / 1000;
    expect(kB).toBeLessThanOrEqual(most);
  });
});
