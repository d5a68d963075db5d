import { createContext, useContext } from "react";
import type { Item } from "./list.logic";

/** What a row may do with the list that it is in. */
type ThreadPlaces = {
  /** Brings a row to the top, and the focus to its station if wanted. False when it is not held. */
  readonly show: (key: string, focus?: boolean) => boolean;
  /** Opens or closes the fold of a past run. */
  readonly toggleFold: (fold: Item & { readonly kind: "fold" }) => void;
  /** What the reader opened and closed in a run, which is not drawn all the time. */
  readonly kept: (run: string) => Map<string, boolean>;
};

export const ThreadPlace = createContext<ThreadPlaces>({
  show: () => false,
  toggleFold: () => undefined,
  kept: () => new Map(),
});

export function useThreadPlace(): ThreadPlaces {
  return useContext(ThreadPlace);
}
