import { create } from "zustand";

/** The keys that act without a modifier, by what they do, as they are until somebody changes them. */
export const firstKeys = {
  new: "c",
  composer: "/",
  next: "j",
  previous: "k",
  help: "?",
  go: "g",
  stationBefore: "[",
  stationAfter: "]",
  panelBefore: "{",
  panelAfter: "}",
  allow: "y",
  allowChat: "a",
  deny: "n",
} as const;

export type Shortcut = keyof typeof firstKeys;

type Keys = Readonly<Record<Shortcut, string>>;

type State = {
  /** Off, they act only where the focus is on what they belong to. */
  readonly on: boolean;
  readonly keys: Keys;
  readonly turn: (on: boolean) => void;
  readonly assign: (what: Shortcut, key: string) => void;
  /** What has the key gets the key that `what` had. */
  readonly swap: (what: Shortcut, key: string) => void;
  readonly reset: () => void;
};

const storageKey = "signalbox.keys.1";

function isShortcut(name: string): name is Shortcut {
  return name in firstKeys;
}

export const shortcutNames: readonly Shortcut[] = Object.keys(firstKeys).filter(isShortcut);

/** Whether a key can be one of these: a single sign, which no keyboard needs to move about. */
export function assignable(key: string): boolean {
  return Array.from(key).length === 1 && key.trim() !== "" && !/\d/.test(key);
}

/** Keys that were stored; what is no key, or is there twice, is left as it first was. */
export function readKeys(stored: unknown): { readonly on: boolean; readonly keys: Keys } {
  const keys: Record<Shortcut, string> = { ...firstKeys };
  if (typeof stored !== "object" || stored === null) return { on: true, keys };
  if ("keys" in stored && typeof stored.keys === "object" && stored.keys !== null) {
    for (const [name, key] of Object.entries(stored.keys)) {
      if (isShortcut(name) && typeof key === "string" && assignable(key)) keys[name] = key;
    }
  }
  const twice = new Set(Object.values(keys)).size < shortcutNames.length;
  return { on: !("on" in stored && stored.on === false), keys: twice ? firstKeys : keys };
}

function load(): { readonly on: boolean; readonly keys: Keys } {
  try {
    return readKeys(JSON.parse(localStorage.getItem(storageKey) ?? "null"));
  } catch {
    return readKeys(null);
  }
}

function save({ on, keys }: { readonly on: boolean; readonly keys: Keys }): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify({ on, keys }));
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

/** The keys of this browser: each keyboard has its own. */
export const useShortcuts = create<State>((set, get) => {
  const put = (part: Partial<Pick<State, "on" | "keys">>) => {
    set(part);
    save(get());
  };
  return {
    ...load(),
    turn: (on) => put({ on }),
    assign: (what, key) => put({ keys: { ...get().keys, [what]: key } }),
    swap: (what, key) => {
      const { keys } = get();
      const other = ownerOf(key, keys);
      put({
        keys: { ...keys, ...(other === null ? {} : { [other]: keys[what] }), [what]: key },
      });
    },
    reset: () => put({ on: true, keys: firstKeys }),
  };
});

/** What a key does; null if nothing. */
export function ownerOf(key: string, keys: Keys): Shortcut | null {
  return shortcutNames.find((name) => keys[name] === key) ?? null;
}

/**
 * What a key that was pressed means here: the key that first did the same, "" where it was given to
 * something else or such keys are off, and else itself. `inside` says that the focus is on what the key
 * belongs to: there it acts also where such keys are off.
 */
export function meant(key: string, inside = false): string {
  const { on, keys } = useShortcuts.getState();
  const owner = ownerOf(key, keys);
  if (!on && !inside && Array.from(key).length === 1) return "";
  if (owner !== null) return firstKeys[owner];
  return Object.values<string>(firstKeys).includes(key) ? "" : key;
}
