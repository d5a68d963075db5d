import { create } from "zustand";
import { firstWidth } from "./panel.logic";

const storageKey = "signalbox.panel.1";

function load(): number {
  try {
    const stored = Number(localStorage.getItem(storageKey) ?? firstWidth);
    return Number.isFinite(stored) && stored > 0 ? stored : firstWidth;
  } catch {
    return firstWidth;
  }
}

type State = { readonly width: number; readonly set: (width: number) => void };

/** How wide the panel was dragged, in this browser. */
export const usePanelWidth = create<State>((set) => ({
  width: load(),
  set: (width) => {
    set({ width });
    try {
      localStorage.setItem(storageKey, String(width));
    } catch {
      // Without storage it lasts as long as the page.
    }
  },
}));
