import type {
  ApprovalAnsweredEvent,
  ApprovalEvent,
  Attachment,
  ErrorEvent,
  QuestionAnsweredEvent,
  QuestionEvent,
  Selection,
  SystemEvent,
  ToolUseEndEvent,
  ToolUseStartEvent,
  UserEvent,
} from "../wire/types";
import type { ApprovalState, ErrorRow, NoticeRow, Prompt, QuestionState, Refs, ToolStep } from "./rows";

// What single events say, as parts of rows.

const noRefs: Refs = {};
const noFiles: readonly Attachment[] = [];

export function selectionOf(s: Selection): Selection {
  return {
    ...(s.agent === undefined ? {} : { agent: s.agent }),
    ...(s.model === undefined ? {} : { model: s.model }),
    ...(s.effort === undefined ? {} : { effort: s.effort }),
    ...(s.tier === undefined ? {} : { tier: s.tier }),
    ...(s.mode === undefined ? {} : { mode: s.mode }),
  };
}

export function promptOf(event: UserEvent): Prompt {
  return {
    seq: event.seq,
    clientId: event.clientId,
    text: event.text,
    by: event.by,
    at: event.t,
    selection: selectionOf(event),
    attachments: event.attachments ?? noFiles,
    ...(event.skills === undefined ? {} : { skills: event.skills }),
    ...(event.skills === undefined ? {} : { skills: event.skills }),
    continues: event.continues ?? "",
    refs: event.refs ?? noRefs,
  };
}

export function callOf(event: ToolUseStartEvent) {
  return {
    name: event.name,
    ...(event.server === undefined ? {} : { server: event.server }),
    input: event.input,
    refs: event.refs ?? noRefs,
    from: event.t,
  };
}

export function resultOf(event: ToolUseEndEvent) {
  return {
    ok: event.ok,
    output: event.output,
    ...(event.detail === undefined ? {} : { detail: event.detail }),
    ...(event.exitCode === undefined ? {} : { exitCode: event.exitCode }),
    ms: event.ms,
    refs: event.refs ?? noRefs,
  };
}

export function noticeOf(event: SystemEvent): NoticeRow {
  return {
    kind: "notice",
    key: `n:${event.seq}`,
    level: event.level,
    code: event.code,
    text: event.text,
    at: event.t,
    ...(event.ref === undefined ? {} : { ref: event.ref }),
  };
}

/** A tool of which nothing is known yet but that there is one. */
export function toolOf(key: string, at: string): ToolStep {
  return {
    kind: "tool",
    key,
    name: "",
    input: undefined,
    refs: noRefs,
    from: at,
    live: "",
    approvals: [],
    children: [],
  };
}

export function errorOf(event: ErrorEvent): ErrorRow {
  return {
    kind: "error",
    key: `e:${event.seq}`,
    code: event.code,
    message: event.message,
    ...(event.hint === undefined ? {} : { hint: event.hint }),
    retryable: event.retryable ?? false,
    at: event.t,
  };
}

export function approvalOf(event: ApprovalEvent): ApprovalState {
  return {
    id: event.approvalId,
    kind: event.kind,
    ...(event.tool === undefined ? {} : { tool: event.tool }),
    title: event.title,
    ...(event.detail === undefined ? {} : { detail: event.detail }),
    ...(event.cwd === undefined ? {} : { cwd: event.cwd }),
    paths: event.paths ?? [],
    ...(event.outside === undefined ? {} : { outside: event.outside }),
    options: event.options,
    ...(event.scope === undefined ? {} : { scope: event.scope }),
    refs: event.refs ?? noRefs,
    at: event.t,
  };
}

export function approvalAnswerOf(event: ApprovalAnsweredEvent): NonNullable<ApprovalState["answer"]> {
  return {
    option: event.option,
    ...(event.by === undefined ? {} : { by: event.by }),
    ...(event.reason === undefined ? {} : { reason: event.reason }),
    ...(event.text === undefined ? {} : { text: event.text }),
    at: event.t,
  };
}

export function questionOf(event: QuestionEvent): QuestionState {
  return {
    id: event.questionId,
    toolId: event.toolId ?? "",
    questions: event.questions,
    at: event.t,
  };
}

export function questionAnswerOf(event: QuestionAnsweredEvent): NonNullable<QuestionState["answer"]> {
  return {
    answers: event.answers ?? {},
    declined: event.declined ?? false,
    ...(event.by === undefined ? {} : { by: event.by }),
    ...(event.reason === undefined ? {} : { reason: event.reason }),
    at: event.t,
  };
}
