import type { Attachment, Fault, PromptResult, SavedDraft } from "../wire/types";
import { ApiError, call } from "./http";

/** Goes on with the last run of a chat: at once, or when the vendor's limit is over. */
export const continueRun = (id: string, when?: "reset"): Promise<PromptResult | Fault> =>
  orFault(() => call<PromptResult>("POST", `/api/chats/${id}/continue`, when === undefined ? {} : { when }));

/** What the person has written in a chat and not sent, in whichever browser. */
export const draft = (id: string): Promise<SavedDraft | Fault> =>
  orFault(() => call<SavedDraft>("GET", `/api/chats/${id}/draft`));

type DraftBody = Pick<SavedDraft, "text" | "rev"> & { readonly attachments: readonly Attachment[] };

/** A page that goes away may still send so much. */
const lastWords = 60_000;

/** Keeps a draft, also while the page goes away. */
export const saveDraft = (id: string, body: DraftBody): Promise<SavedDraft | Fault> =>
  orFault(() => call<SavedDraft>("PUT", `/api/chats/${id}/draft`, body, body.text.length < lastWords / 4));

/** The answer, or why there is none, where the server said why. */
async function orFault<T>(ask: () => Promise<T>): Promise<T | Fault> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ApiError && error.status !== 0) return error.fault;
    throw error;
  }
}
