import { create } from "zustand";

type Find = {
  readonly shown: boolean;
  /** Rises whenever the bar is wanted, also when it is there: its field takes the focus then. */
  readonly times: number;
  readonly open: () => void;
  readonly close: () => void;
};

/** Whether the find bar is open. */
export const useFind = create<Find>((set, get) => ({
  shown: false,
  times: 0,
  open: () => set({ shown: true, times: get().times + 1 }),
  close: () => set({ shown: false }),
}));
