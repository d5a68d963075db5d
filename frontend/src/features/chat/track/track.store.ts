import { create } from "zustand";

type Track = {
  /** The prompt before which a rewind is asked about, by chat and seq. */
  readonly asking: string | null;
  /** The prompt that is being edited. */
  readonly editing: string | null;
  /** The row that an address, a match or a station leads to. */
  readonly marked: string | null;
  readonly ask: (place: string | null) => void;
  readonly edit: (place: string | null) => void;
  readonly mark: (row: string | null) => void;
};

/** What is going on at the stations: it outlives the rows, which come and go with the scrolling. */
export const useTrack = create<Track>((set) => ({
  asking: null,
  editing: null,
  marked: null,
  ask: (asking) => set({ asking, editing: null }),
  edit: (editing) => set({ editing, asking: null }),
  mark: (marked) => set({ marked }),
}));

/** Names a prompt among all chats. */
export function placeName(chat: string, seq: number): string {
  return `${chat}#${seq}`;
}
