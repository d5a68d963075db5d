import type { Attachment, Fault, PromptCommand, Selection, WhenBusy } from "../wire/types";

/** A prompt that this browser sent and the log has not shown yet. */
export type Outgoing = {
  readonly clientId: string;
  readonly text: string;
  readonly selection: Selection;
  readonly at: number;
  /** The command that carries it; empty while there is no line to send it by. */
  readonly command: string;
  /** What is to happen where a run goes on: it is queued unless this says otherwise. */
  readonly whenBusy?: WhenBusy;
  readonly attachments?: readonly Attachment[];
  readonly skills?: readonly string[];
  /** The server has it in its queue. */
  readonly queued?: boolean;
};

/** A prompt that the server did not take. Its text goes back to the person who wrote it. */
export type Refusal = {
  readonly clientId: string;
  readonly text: string;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly fault: Fault;
};

/** The command that sends a prompt. It waits where a run goes on, unless the person wished otherwise. */
export function promptOf(item: Outgoing): PromptCommand {
  return {
    type: "prompt",
    clientId: item.clientId,
    text: item.text,
    whenBusy: item.whenBusy ?? "queue",
    ...(item.attachments === undefined || item.attachments.length === 0
      ? {}
      : { attachments: [...item.attachments] }),
    ...(item.skills === undefined || item.skills.length === 0 ? {} : { skills: [...item.skills] }),
    ...item.selection,
  };
}

/** A new id for a prompt: sent again under it, the prompt still counts once. */
export function newClientId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

/** Where prompts wait through a reload of the page. */
export type OutboxStorage = {
  readonly load: () => readonly Outgoing[];
  readonly save: (items: readonly Outgoing[]) => void;
};

function isOutgoing(value: unknown): value is Outgoing {
  return (
    typeof value === "object" &&
    value !== null &&
    "clientId" in value &&
    typeof value.clientId === "string" &&
    "text" in value &&
    typeof value.text === "string" &&
    "at" in value &&
    typeof value.at === "number" &&
    "selection" in value &&
    typeof value.selection === "object"
  );
}

/** Keeps the prompts of one person in one chat in the storage of the browser's tab. */
export function sessionOutbox(person: string, chat: string): OutboxStorage {
  const key = `signalbox.outbox.2.${person}.${chat}`;
  return {
    load: () => {
      try {
        const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
        return Array.isArray(value) ? value.filter(isOutgoing).map((o) => ({ ...o, command: "" })) : [];
      } catch {
        return [];
      }
    },
    save: (items) => {
      try {
        if (items.length === 0) sessionStorage.removeItem(key);
        else sessionStorage.setItem(key, JSON.stringify(items));
      } catch {
        // A full or forbidden storage loses only what a reload would have kept.
      }
    },
  };
}
