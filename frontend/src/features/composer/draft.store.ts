import { create } from "zustand";
import { type Draft, emptyDraft } from "../../live/draft";
import type { Attachment } from "../../wire/types";

type Drafts = {
  /** Whose drafts these are; empty before somebody is signed in. */
  readonly owner: string;
  readonly drafts: Readonly<Record<string, Draft>>;
  /** The person wrote: the text is now this. */
  readonly write: (key: string, text: string) => void;
  readonly attach: (key: string, attachments: readonly Attachment[]) => void;
  /** Takes over a draft as it is: from the server, or as it was saved there. */
  readonly put: (key: string, draft: Draft) => void;
};

const prefix = "signalbox.draft.2";

function isDraft(value: unknown): value is Draft {
  return (
    typeof value === "object" &&
    value !== null &&
    "text" in value &&
    typeof value.text === "string" &&
    "attachments" in value &&
    Array.isArray(value.attachments) &&
    "rev" in value &&
    typeof value.rev === "number" &&
    "dirty" in value &&
    typeof value.dirty === "boolean"
  );
}

function load(owner: string): Readonly<Record<string, Draft>> {
  const found: Record<string, Draft> = {};
  const start = `${prefix}.${owner}.`;
  try {
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith(start)) continue;
      const value: unknown = JSON.parse(localStorage.getItem(name) ?? "null");
      if (isDraft(value)) found[name.slice(start.length)] = value;
    }
  } catch {
    // Without storage a draft lasts as long as the page.
  }
  return found;
}

function save(owner: string, key: string, draft: Draft | null): void {
  const name = `${prefix}.${owner}.${key}`;
  try {
    if (draft === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(draft));
  } catch {
    // A full or forbidden storage loses only what a reload would have kept.
  }
}

/** What is written and not sent, one draft a chat. It outlives the page, and the end of a session. */
export const useDrafts = create<Drafts>((set, get) => {
  const put = (key: string, draft: Draft) => {
    set({ drafts: { ...get().drafts, [key]: draft } });
    const nothing = draft.text === "" && draft.attachments.length === 0 && !draft.dirty;
    save(get().owner, key, nothing ? null : draft);
  };
  const change = (key: string, part: Partial<Draft>) =>
    put(key, { ...(get().drafts[key] ?? emptyDraft), ...part, dirty: true });
  return {
    owner: "",
    drafts: {},
    write: (key, text) => change(key, { text }),
    attach: (key, attachments) => change(key, { attachments }),
    put,
  };
});

/** Opens the drafts of whoever is signed in. */
export function openDrafts(owner: string): void {
  if (useDrafts.getState().owner !== owner) useDrafts.setState({ owner, drafts: load(owner) });
}

/** Leaves nothing behind that the server has: the next at this browser may be somebody else. */
export function closeDrafts(): void {
  const { owner, drafts } = useDrafts.getState();
  for (const [key, draft] of Object.entries(drafts)) if (!draft.dirty) save(owner, key, null);
  useDrafts.setState({ owner: "", drafts: {} });
}

export function draftOf(key: string): Draft {
  return useDrafts.getState().drafts[key] ?? emptyDraft;
}

/** What is written in a chat and not sent. */
export function useDraftText(key: string): string {
  return useDrafts((s) => s.drafts[key]?.text ?? "");
}

/** Puts back what could not be sent, before what was written since. */
export function giveBack(key: string, text: string, attachments: readonly Attachment[] = []): void {
  const now = draftOf(key);
  const { put } = useDrafts.getState();
  const had = new Set(attachments.map((file) => file.sha256));
  put(key, {
    ...now,
    text: now.text.trim() === "" || now.text === text ? text : `${text}\n\n${now.text}`,
    attachments: [...attachments, ...now.attachments.filter((file) => !had.has(file.sha256))],
    dirty: true,
  });
}

/** Takes what was said out of the draft, and leaves what was written since. */
export function takeOut(key: string, text: string): void {
  const now = draftOf(key);
  const at = now.text.indexOf(text);
  if (at < 0) return;
  useDrafts.getState().write(key, (now.text.slice(0, at) + now.text.slice(at + text.length)).trim());
}
