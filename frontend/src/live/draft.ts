import type { Attachment, SavedDraft } from "../wire/types";

/** What a person has written in a chat and not sent, as this browser has it. */
export type Draft = {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** The server's draft that this one goes on from; 0 where there was none. */
  readonly rev: number;
  /** It was changed since. */
  readonly dirty: boolean;
};

export const emptyDraft: Draft = { text: "", attachments: [], rev: 0, dirty: false };

/** The server's draft, taken over as it is. */
export function adopted(saved: SavedDraft): Draft {
  return { text: saved.text, attachments: saved.attachments ?? [], rev: saved.rev, dirty: false };
}

/** Whether both say the same, wherever they come from. */
export function sameDraft(a: Pick<Draft, "text" | "attachments">, b: Pick<Draft, "text" | "attachments">) {
  return (
    a.text === b.text &&
    a.attachments.length === b.attachments.length &&
    a.attachments.every((file, i) => file.sha256 === b.attachments[i]?.sha256)
  );
}

/**
 * Joins what was written here with what was written elsewhere meanwhile, so that nothing is lost.
 * `both` says that there were two texts, which now stand one after the other.
 */
export function mergeDrafts(theirs: Draft, mine: Draft): { readonly draft: Draft; readonly both: boolean } {
  const other = theirs.text.trim();
  const own = mine.text.trim();
  const apart = other !== "" && own !== "" && !own.includes(other) && !other.includes(own);
  const text = apart
    ? `${theirs.text}\n\n${mine.text}`
    : own.length >= other.length
      ? mine.text
      : theirs.text;
  const had = new Set(theirs.attachments.map((file) => file.sha256));
  const attachments = [...theirs.attachments, ...mine.attachments.filter((file) => !had.has(file.sha256))];
  const draft = { text, attachments, rev: theirs.rev };
  return { draft: { ...draft, dirty: !sameDraft(draft, theirs) }, both: apart };
}
