import { useEffect } from "react";
import type { Run } from "../../../live/rows";
import { useChoices } from "../../composer";
import { useChat, useChatState } from "../context";

/** The plans that have changed the mode here: each does so once. */
const seen = new Set<string>();

/** The plan of the last run that somebody accepted; empty if there is none. */
function acceptedIn(run: Run | undefined): string {
  for (const row of run?.rows ?? []) {
    if (row.kind !== "steps") continue;
    for (const step of row.steps) {
      const approvals =
        step.kind === "approval" ? [step.approval] : step.kind === "tool" ? step.approvals : [];
      const plan = approvals.find(
        (a) => a.kind === "plan" && a.answer?.by !== undefined && a.answer.option !== "deny",
      );
      if (plan !== undefined) return plan.id;
    }
  }
  return "";
}

/** A plan that is accepted puts the chat into Code mode, also over what was chosen here for the next prompt. */
export function useAcceptedPlan(): void {
  const { id } = useChat();
  const choose = useChoices((s) => s.choose);
  const plan = useChatState((s) => acceptedIn(s.thread.at(-1)));
  useEffect(() => {
    if (plan === "" || seen.has(plan)) return;
    seen.add(plan);
    if (useChoices.getState().chosen[id]?.mode !== undefined) choose(id, { mode: "code" });
  }, [id, plan, choose]);
}
