import { borderAfter, ending } from "../text/characters";
import type { ApprovalEvent, AssistantTextEvent, LoggedEvent, ThinkingEvent } from "../wire/types";
import {
  approvalAnswerOf,
  approvalOf,
  callOf,
  errorOf,
  noticeOf,
  promptOf,
  questionAnswerOf,
  questionOf,
  resultOf,
  selectionOf,
  toolOf,
} from "./facts";
import type { Lane } from "./lane";
import { RunLanes } from "./lanes";
import type { Run, Step, TextRow, ToolStep } from "./rows";

/** Streamed output beyond this is not kept: its end says where the whole lies. */
const liveOutput = 128 * 1024;

export function emptyRun(key: string, event: LoggedEvent): Run {
  return { key, first: event.seq, last: event.seq, count: 0, rows: [] };
}

/**
 * Folds more events into their run, in time that grows with them and not with their place in it. In
 * which batches they come makes no difference; rows that they do not touch keep their identity.
 * `open` are starts of items whose rest follows: they belong to the run but are not counted as held.
 */
export function foldRun(run: Run, events: readonly LoggedEvent[], open: readonly LoggedEvent[] = []): Run {
  const lanes = new RunLanes(run.rows);
  let facts: Facts = run;
  for (const event of open) facts = foldEvent(facts, lanes, event);
  let { first, last } = run;
  for (const event of events) {
    facts = foldEvent(facts, lanes, event);
    first = Math.min(first, event.seq);
    last = Math.max(last, event.seq);
  }
  return { ...facts, key: run.key, first, last, count: run.count + events.length, rows: lanes.rows };
}

/** What is known of a run beside its rows. */
type Facts = Omit<Run, "key" | "first" | "last" | "count" | "rows">;

function foldEvent(facts: Facts, lanes: RunLanes, event: LoggedEvent): Facts {
  switch (event.type) {
    case "user":
      return { ...facts, prompt: promptOf(event) };
    case "run_started":
      return { ...facts, started: { at: event.t, cwd: event.cwd, selection: selectionOf(event) } };
    case "session":
      return { ...facts, session: event };
    case "rate_limit":
      return { ...facts, rateLimit: event };
    case "complete":
      lanes.settle(event.t);
      return { ...facts, complete: event };
    default:
      foldRow(lanes, event);
      return facts;
  }
}

function foldRow(lanes: RunLanes, event: LoggedEvent): void {
  switch (event.type) {
    case "assistant_text":
      addText(lanes.of(event), "answer", event);
      break;
    case "thinking":
      addText(lanes.of(event), "reasoning", event);
      break;
    case "tool_use_start":
      editTool(lanes, event, (tool) => ({ ...tool, ...callOf(event) }));
      break;
    case "tool_output":
      editTool(lanes, event, (tool) => ({ ...tool, live: bounded(tool.live + event.delta) }));
      break;
    case "tool_use_end":
      editTool(lanes, event, (tool) => ({
        ...tool,
        name: tool.name === "" ? (event.name ?? "") : tool.name,
        result: resultOf(event),
      }));
      break;
    case "approval":
      addApproval(lanes, event);
      break;
    case "approval_answered":
      lanes.answerApproval(event.approvalId, approvalAnswerOf(event));
      break;
    case "question":
      addStep(lanes, event, { kind: "question", key: event.questionId, question: questionOf(event) });
      break;
    case "question_answered":
      lanes.answerQuestion(event.questionId, questionAnswerOf(event));
      break;
    case "todo":
      addStep(lanes, event, { kind: "todo", key: "todo", items: event.items }, `s:todo:${event.seq}`);
      break;
    case "system":
      settled(lanes.of(event), event).add(noticeOf(event));
      break;
    case "error":
      settled(lanes.root, event).add(errorOf(event));
      break;
    default:
      // An event of a type that this version does not draw is kept in the log.
      break;
  }
}

/** Keeps both ends of a long output: the beginning says what it is, the end how it stands. */
function bounded(text: string): string {
  if (text.length <= liveOutput) return text;
  return text.slice(0, borderAfter(text, liveOutput / 2)) + ending(text, liveOutput / 2);
}

function settled(lane: Lane, event: { readonly t: string }): Lane {
  lane.settle(event.t);
  return lane;
}

type Within = { readonly parentToolId?: string; readonly t: string };

function addStep(lanes: RunLanes, event: Within, step: Step, group = `s:${step.key}`): void {
  lanes.put(settled(lanes.of(event), event), step, group);
}

/** Edits a tool, which is made first when its events come before its call. */
function editTool(
  lanes: RunLanes,
  event: Within & { readonly toolId: string },
  change: (tool: ToolStep) => ToolStep,
): void {
  if (!lanes.editTool(event.toolId, change)) addStep(lanes, event, change(toolOf(event.toolId, event.t)));
}

function addText(lane: Lane, kind: TextRow["kind"], event: AssistantTextEvent | ThinkingEvent): void {
  const ref = event.refs?.["/delta"] ?? event.refs?.["/final"];
  const cut = ref === undefined ? {} : { cut: ref };
  const delta = event.delta ?? "";
  lane.text(
    kind,
    event.item,
    () => ({ kind, key: event.item, text: event.final ?? delta, from: event.t, ...cut }),
    (row) => ({ ...row, text: event.final ?? row.text + delta, ...cut }),
    event.t,
  );
}

function addApproval(lanes: RunLanes, event: ApprovalEvent): void {
  const approval = approvalOf(event);
  const { toolId } = event;
  if (toolId === undefined || toolId === "") {
    addStep(lanes, event, { kind: "approval", key: event.approvalId, approval });
    return;
  }
  editTool(lanes, { ...event, toolId }, (tool) => ({
    ...tool,
    approvals: [...tool.approvals.filter((a) => a.id !== approval.id), approval],
  }));
  lanes.asks(approval.id, toolId);
}
