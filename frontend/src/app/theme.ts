import { create } from "zustand";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "signalbox.theme.1";
const system = matchMedia("(prefers-color-scheme: dark)");

function load(): Theme {
  try {
    const stored = localStorage.getItem(storageKey);
    return themes.find((t) => t === stored) ?? "system";
  } catch {
    return "system";
  }
}

function apply(theme: Theme): void {
  const dark = theme === "dark" || (theme === "system" && system.matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}

/** Light, dark, or as the system has it. public/theme.js sets it before the first paint. */
export const useTheme = create<{ readonly theme: Theme; readonly choose: (theme: Theme) => void }>((set) => ({
  theme: load(),
  choose: (theme) => {
    set({ theme });
    apply(theme);
    try {
      localStorage.setItem(storageKey, theme);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  },
}));

// After public/theme.js, which does not know a choice that could not be stored.
system.addEventListener("change", () => apply(useTheme.getState().theme));
