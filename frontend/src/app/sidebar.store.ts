import { create } from "zustand";

const storageKey = "signalbox.sidebar.1";

function load(): boolean {
  try {
    return localStorage.getItem(storageKey) === "rail";
  } catch {
    return false;
  }
}

type State = { readonly rail: boolean; readonly toggle: () => void };

/** Whether the sidebar was folded to a rail, in this browser. */
export const useSidebar = create<State>((set, get) => ({
  rail: load(),
  toggle: () => {
    const rail = !get().rail;
    set({ rail });
    try {
      localStorage.setItem(storageKey, rail ? "rail" : "full");
    } catch {
      // Without storage it lasts as long as the page.
    }
  },
}));
