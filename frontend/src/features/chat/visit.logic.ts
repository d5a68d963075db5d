import type { Row, Step } from "../../live/rows";
import type { LoggedEvent } from "../../wire/types";
import type { Group, Item } from "./list.logic";

/** The row that shows an event, and the fold that it is put away in. */
export type Shown = { readonly row: string; readonly fold: (Item & { readonly kind: "fold" }) | null };

/** Where an event is shown; null when its run is not held. */
export function shownOf(groups: readonly Group[], event: LoggedEvent): Shown | null {
  const group = groups.find(({ run }) =>
    event.run === undefined || event.run === "" ? run.first === event.seq : run.key === event.run,
  );
  if (group === undefined) return null;
  for (const item of group.items) {
    if (item.kind === "fold") {
      if (!item.open && item.piece.rows.some((row) => isOf(row, event))) return { row: item.key, fold: item };
    } else if (shows(item, event)) return { row: item.key, fold: null };
  }
  // What has no row of its own belongs to the prompt, or to the end of its run.
  const last = event.type === "complete" ? group.items.at(-1) : undefined;
  const row = last ?? group.items.find((item) => item.kind !== "day");
  return row === undefined ? null : { row: row.key, fold: null };
}

function shows(item: Exclude<Item, { readonly kind: "fold" }>, event: LoggedEvent): boolean {
  switch (item.kind) {
    case "prompt":
      return event.type === "user";
    case "row":
      return isOf(item.row, event);
    case "steps":
      return item.rows.some((row) =>
        row.kind === "one" ? isStep(row.step, event) : row.steps.some((step) => isStep(step, event)),
      );
    case "day":
    case "cut":
    case "working":
    case "end":
      return false;
  }
}

function isOf(row: Row, event: LoggedEvent): boolean {
  switch (row.kind) {
    case "answer":
      return event.type === "assistant_text" && row.key === event.item;
    case "reasoning":
      return event.type === "thinking" && row.key === event.item;
    case "notice":
      return row.key === `n:${event.seq}`;
    case "error":
      return row.key === `e:${event.seq}`;
    case "steps":
      return row.steps.some((step) => isStep(step, event));
  }
}

function isStep(step: Step, event: LoggedEvent): boolean {
  if (step.kind === "todo") return event.type === "todo";
  if ("toolId" in event && event.toolId !== undefined && step.key === event.toolId) return true;
  if ("approvalId" in event && step.key === event.approvalId) return true;
  if ("questionId" in event && step.key === event.questionId) return true;
  if (step.kind !== "tool") return false;
  if ("approvalId" in event && step.approvals.some((a) => a.id === event.approvalId)) return true;
  // What a subagent did is shown inside of its step.
  return step.children.some((row) => isOf(row, event));
}
