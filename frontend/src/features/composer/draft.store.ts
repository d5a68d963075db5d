import { create } from "zustand";

type Drafts = {
  readonly texts: Readonly<Record<string, string>>;
  readonly write: (key: string, text: string) => void;
};

const storageKey = "signalbox.drafts.1";

function load(): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? "{}");
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(
      Object.entries(value).filter((e): e is [string, string] => typeof e[1] === "string"),
    );
  } catch {
    return {};
  }
}

function save(texts: Readonly<Record<string, string>>): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(texts));
  } catch {
    // A full or forbidden storage loses only what a reload would have kept.
  }
}

/** What is written and not sent, one text a chat; it outlives a reload of the tab. */
export const useDrafts = create<Drafts>((set, get) => ({
  texts: load(),
  write: (key, text) => {
    const { [key]: _old, ...rest } = get().texts;
    const texts = text === "" ? rest : { ...rest, [key]: text };
    set({ texts });
    save(texts);
  },
}));

/** Puts a text back that could not be sent, before what was written since. */
export function giveBack(key: string, text: string): void {
  const { texts, write } = useDrafts.getState();
  const now = texts[key] ?? "";
  if (now === text) return;
  write(key, now.trim() === "" ? text : `${text}\n\n${now}`);
}
