import { create } from "zustand";

/** A word about what was just done, with at most one act: usually the way back. */
export type Toast = {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "stop";
  /** A later word on the same matter takes its place. */
  readonly about: string;
  readonly act?: { readonly name: string; readonly onAct: () => void };
};

type Toasts = {
  readonly toasts: readonly Toast[];
  readonly say: (toast: Omit<Toast, "id">) => void;
  readonly forget: (id: number) => void;
};

/** More than these at once nobody reads: the oldest goes. */
const most = 3;
let last = 0;

export const useToasts = create<Toasts>((set, get) => ({
  toasts: [],
  say: (toast) => {
    last += 1;
    const others = get().toasts.filter((other) => other.about === "" || other.about !== toast.about);
    set({ toasts: [...others, { ...toast, id: last }].slice(-most) });
  },
  forget: (id) => set({ toasts: get().toasts.filter((toast) => toast.id !== id) }),
}));

/** Says what was done. */
export function say(text: string, act?: Toast["act"], about = ""): void {
  useToasts.getState().say({ text, about, tone: "plain", ...(act === undefined ? {} : { act }) });
}

/** Says that something did not work. */
export function sayFailed(text: string): void {
  useToasts.getState().say({ text, about: "", tone: "stop" });
}
