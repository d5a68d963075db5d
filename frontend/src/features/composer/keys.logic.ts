/** What a key in the composer's field does. */
export type FieldAct = "none" | "send" | "now" | "recall";

export type FieldKey = {
  readonly key: string;
  readonly shift: boolean;
  readonly alt: boolean;
  /** Cmd on a Mac, Ctrl elsewhere. */
  readonly command: boolean;
  /** An input method is composing: its keys are its own. */
  readonly composing: boolean;
  readonly repeat: boolean;
};

export type FieldState = {
  /** The person's setting; off, Enter makes a line and Cmd+Enter sends. */
  readonly enterSends: boolean;
  /** On a touch keyboard Enter is the only way to a new line. */
  readonly touch: boolean;
  readonly empty: boolean;
};

/** Decides what a key does; everything else is the field's own. */
export function fieldAct(key: FieldKey, state: FieldState): FieldAct {
  if (key.composing) return "none";
  if (key.key === "ArrowUp") {
    const plain = !key.shift && !key.alt && !key.command;
    return plain && state.empty ? "recall" : "none";
  }
  if (key.key !== "Enter" || key.alt || key.repeat) return "none";
  const plainSends = state.enterSends && !state.touch;
  if (key.command) return plainSends || key.shift ? "now" : "send";
  return plainSends && !key.shift ? "send" : "none";
}
