/** What the panel can show, in the order of its tabs. */
export const panelTabs = ["forks", "changes", "usage"] as const;
export type PanelTab = (typeof panelTabs)[number];

export const firstWidth = 548;
const narrowest = 400;

/** The widest that the panel may be beside a thread, in a place so wide. */
export function widest(place: number): number {
  return Math.max(narrowest, Math.floor(place * 0.6));
}

/** A width that the panel may have. */
export function fitting(width: number, place: number): number {
  return Math.round(Math.min(Math.max(width, narrowest), widest(place)));
}

/** Where a key moves the border to; null for other keys. The panel is at the end of the line. */
export function moved(key: string, width: number, place: number, rtl: boolean): number | null {
  const step = 24;
  const wider = rtl ? "ArrowRight" : "ArrowLeft";
  const narrower = rtl ? "ArrowLeft" : "ArrowRight";
  if (key === wider) return fitting(width + step, place);
  if (key === narrower) return fitting(width - step, place);
  if (key === "Home") return fitting(0, place);
  if (key === "End") return widest(place);
  return null;
}

/** The tab that a step leads to; past an end it begins anew. */
export function tabAfter(tab: PanelTab, by: 1 | -1): PanelTab {
  const at = panelTabs.indexOf(tab);
  return panelTabs[(at + by + panelTabs.length) % panelTabs.length] ?? tab;
}
