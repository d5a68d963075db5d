import { useEffect, useRef, useState } from "react";
import { draft, saveDraft } from "../../api/compose";
import { DraftSync } from "../../live/draft.sync";
import type { SavedDraft } from "../../wire/types";
import { draftOf, useDrafts } from "./draft.store";

type Synced = {
  /** Two browsers wrote at the same time, and both texts were kept. */
  readonly both: boolean;
  readonly settle: () => void;
};

/**
 * Keeps the draft of a chat the same in all browsers of its author. `heard` is the latest that the
 * server told of.
 */
export function useDraftSync(chat: string, enabled: boolean, heard: SavedDraft | undefined): Synced {
  const sync = useRef<DraftSync | null>(null);
  const [both, setBoth] = useState(false);
  useEffect(() => {
    if (!enabled) return undefined;
    const made = new DraftSync({
      load: () => draft(chat),
      save: ({ text, attachments, rev }) => saveDraft(chat, { text, attachments, rev }),
      read: () => draftOf(chat),
      write: (next) => useDrafts.getState().put(chat, next),
      onBoth: () => setBoth(true),
    });
    sync.current = made;
    const stop = useDrafts.subscribe((now, before) => {
      const next = now.drafts[chat];
      if (next?.dirty === true && next !== before.drafts[chat]) made.changed();
    });
    const leave = () => made.flush();
    window.addEventListener("pagehide", leave);
    made.open();
    return () => {
      stop();
      window.removeEventListener("pagehide", leave);
      made.close();
      sync.current = null;
    };
  }, [chat, enabled]);
  useEffect(() => {
    if (heard !== undefined) sync.current?.heard(heard);
  }, [heard]);
  return { both, settle: () => setBoth(false) };
}
