import { createContext, type ReactNode } from "react";
import type { Row } from "../../live/rows";

/** What a step needs to know of where it stands. */
export type StepPlace = {
  readonly chatId: string;
  /** Its run has ended: what has no result will not get one. */
  readonly over: boolean;
  /** The directory of the run: paths under it are shown without it. */
  readonly cwd: string;
  /** It is among what a subagent did: its table has no edges of its own. */
  readonly siding?: boolean;
  /** Draws what a subagent did. */
  readonly drawRows: (rows: readonly Row[]) => ReactNode;
};

export const StepContext = createContext<StepPlace>({
  chatId: "",
  over: false,
  cwd: "",
  drawRows: () => null,
});
