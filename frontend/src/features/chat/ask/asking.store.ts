import { create } from "zustand";
import type { QuestionState } from "../../../live/rows";
import type { Page } from "./ask.logic";

/** The question whose card is shown, of several that wait, as far as it is filled in. */
type Asking = {
  readonly question: QuestionState;
  readonly at: number;
  readonly pages: readonly Page[];
};

type State = {
  readonly asking: Asking | null;
  readonly show: (asking: Asking) => void;
  readonly leave: (question: string) => void;
};

/** The question of the open chat: its card says what is filled in, and the composer replies to it. */
export const useAsking = create<State>((set) => ({
  asking: null,
  show: (asking) => set({ asking }),
  leave: (question) => set(({ asking }) => (asking?.question.id === question ? { asking: null } : {})),
}));
