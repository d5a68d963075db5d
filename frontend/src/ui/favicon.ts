import type { Signal } from "./Glyph";

// A tab has no theme of ours: these stand out on a light and on a dark strip.
const green = "#23915a";
const amber = "#c07a00";
const red = "#cc372b";

const shapes: Readonly<Record<Exclude<Signal, "rest">, string>> = {
  ready: `<circle cx="15" cy="15" r="4" fill="${green}"/>`,
  running: `<circle cx="15" cy="15" r="3.5" fill="none" stroke="${amber}" stroke-width="1.8"/><circle cx="15" cy="15" r="1.3" fill="${amber}"/>`,
  waiting: `<circle cx="15" cy="15" r="3.5" fill="none" stroke="${amber}" stroke-width="1.8" stroke-dasharray="2 1.6"/>`,
  held: `<circle cx="15" cy="15" r="4.5" fill="${amber}"/><path d="M13.9 13.2v3.6M16.1 13.2v3.6" stroke="#fff"/>`,
  needs: `<circle cx="15" cy="15" r="4.5" fill="${red}"/><path d="M12.8 15h4.4" stroke="#fff" stroke-width="1.4"/>`,
  failed: `<circle cx="15" cy="15" r="4.5" fill="${red}"/><path d="m13.4 13.4 3.2 3.2m0-3.2-3.2 3.2" stroke="#fff" stroke-width="1.3"/>`,
};

const plain = "/mark.svg";

/** Puts a signal on the mark in the browser's tab; the mark alone for one at rest and for null. */
export function setFavicon(signal: Signal | null): void {
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (link === null) return;
  link.href = signal === null || signal === "rest" ? plain : addressOf(shapes[signal]);
}

function addressOf(shape: string): string {
  const mark =
    '<rect width="20" height="20" rx="5" fill="#1a1c1e"/><path d="M7 16.5V3.5M7 13c0-3.4 6-2.4 6-6.2" fill="none" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/><circle cx="13" cy="5.6" r="2.1" fill="#fff"/>';
  const field = '<circle cx="15" cy="15" r="6" fill="#fff"/>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">${mark}${field}${shape}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
