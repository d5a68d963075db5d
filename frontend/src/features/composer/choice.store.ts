import { create } from "zustand";
import type { Selection } from "../../wire/types";

type Choices = {
  /** What was chosen for the next prompt, by chat; the rest is as the chat has it. */
  readonly chosen: Readonly<Record<string, Selection>>;
  /** The skills for a chat that is still to be made; those of others are kept with them. */
  readonly skills: Readonly<Record<string, readonly string[]>>;
  /** Chats in which Full Auto was confirmed. */
  readonly confirmed: ReadonlySet<string>;
  readonly choose: (key: string, part: Selection) => void;
  readonly chooseSkills: (key: string, skills: readonly string[]) => void;
  readonly confirm: (key: string) => void;
};

/** What the composer's controls are set to. */
export const useChoices = create<Choices>((set, get) => ({
  chosen: {},
  skills: {},
  confirmed: new Set(),
  choose: (key, part) => set({ chosen: { ...get().chosen, [key]: { ...get().chosen[key], ...part } } }),
  chooseSkills: (key, skills) => set({ skills: { ...get().skills, [key]: skills } }),
  confirm: (key) => set({ confirmed: new Set(get().confirmed).add(key) }),
}));
