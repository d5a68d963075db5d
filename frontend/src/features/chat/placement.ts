import { createContext, useContext } from "react";

/** What a row may do with the list that it is in. */
type ThreadPlaces = {
  /** Brings a row to the top, and the focus to its station if wanted. False when it is not held. */
  readonly show: (key: string, focus?: boolean) => boolean;
  /** Opens or closes the fold of a past run. */
  readonly toggleFold: (key: string) => void;
};

export const ThreadPlace = createContext<ThreadPlaces>({ show: () => false, toggleFold: () => undefined });

export function useThreadPlace(): ThreadPlaces {
  return useContext(ThreadPlace);
}
