import { create } from "zustand";

/** A prompt that is being written anew, and what was written so far. */
type Edit = { readonly place: string; readonly text: string };

type Track = {
  /** The prompt before which a rewind is asked about. */
  readonly asking: string | null;
  /** That rewind was sent and is not answered: what becomes of the prompt is this person's own doing. */
  readonly rewinding: boolean;
  readonly editing: Edit | null;
  /** The row that an address, a match or a station leads to. */
  readonly marked: string | null;
  readonly ask: (place: string | null) => void;
  readonly setRewinding: (on: boolean) => void;
  readonly edit: (edit: Edit | null) => void;
  readonly mark: (row: string | null) => void;
};

/** What is going on at the stations: it outlives the rows, which come and go with the scrolling. */
export const useTrack = create<Track>((set) => ({
  asking: null,
  rewinding: false,
  editing: null,
  marked: null,
  ask: (asking) => set({ asking, editing: null }),
  setRewinding: (rewinding) => set({ rewinding }),
  edit: (editing) => set({ editing, asking: null }),
  mark: (marked) => set({ marked }),
}));

/** Names a prompt among all chats. */
export function placeName(chat: string, seq: number): string {
  return `${chat}#${seq}`;
}

/** The seq of a prompt of this chat, by its name; null when it is of another. */
export function seqOf(place: string, chat: string): number | null {
  const [of, seq] = place.split("#");
  return of === chat ? Number(seq) : null;
}
