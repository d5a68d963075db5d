import type { ApprovalKind } from "../wire/types";
import type { ApprovalState, QuestionState, Row } from "./rows";

/** Something that a run waits for people to answer. */
export type Request =
  | { readonly kind: "approval"; readonly id: string; readonly at: string; readonly approval: ApprovalState }
  | { readonly kind: "question"; readonly id: string; readonly at: string; readonly question: QuestionState };

/** What waits in these rows, at any depth, the longest wait first. */
export function requestsOf(rows: readonly Row[]): readonly Request[] {
  const found: Request[] = [];
  collect(rows, found);
  return found.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function collect(rows: readonly Row[], found: Request[]): void {
  const add = (approval: ApprovalState) => {
    if (approval.answer === undefined)
      found.push({ kind: "approval", id: approval.id, at: approval.at, approval });
  };
  for (const row of rows) {
    if (row.kind !== "steps") continue;
    for (const step of row.steps) {
      switch (step.kind) {
        case "approval":
          add(step.approval);
          break;
        case "question": {
          const { question } = step;
          if (question.answer === undefined)
            found.push({ kind: "question", id: question.id, at: question.at, question });
          break;
        }
        case "tool":
          step.approvals.forEach(add);
          collect(step.children, found);
          break;
        case "todo":
          break;
      }
    }
  }
}

export function kindOf(request: Request): ApprovalKind {
  return request.kind === "question" ? "question" : request.approval.kind;
}
