import { createContext, useContext, useState } from "react";

/** What people opened and closed in a place whose parts come and go, by the key of the part. */
export const Kept = createContext<Map<string, boolean> | null>(null);

/**
 * A choice that outlives the part that it is made in, as long as the place around it is there; null before it
 * is made.
 */
export function useKept(key: string): readonly [boolean | null, (value: boolean) => void] {
  const kept = useContext(Kept);
  const [chosen, setChosen] = useState(() => kept?.get(key) ?? null);
  return [
    chosen,
    (value) => {
      kept?.set(key, value);
      setChosen(value);
    },
  ];
}
