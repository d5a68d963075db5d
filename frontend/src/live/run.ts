import type {
  ApprovalAnsweredEvent,
  ApprovalEvent,
  AssistantTextEvent,
  Attachment,
  LoggedEvent,
  QuestionAnsweredEvent,
  QuestionEvent,
  Selection,
  ThinkingEvent,
  ToolUseEndEvent,
  ToolUseStartEvent,
  UserEvent,
} from "../wire/types";
import type {
  ApprovalState,
  NoticeRow,
  Prompt,
  Refs,
  Row,
  Run,
  Step,
  StepsRow,
  TextRow,
  ToolStep,
} from "./rows";

const noRefs: Refs = {};
const noFiles: readonly Attachment[] = [];
/** Streamed output beyond this is not kept: its end says where the whole lies. */
const liveOutput = 128 * 1024;

export function emptyRun(key: string, event: LoggedEvent): Run {
  return { key, first: event.seq, last: event.seq, count: 0, rows: [] };
}

/** Folds one more event into its run. Rows that it does not touch keep their identity. */
export function foldEvent(run: Run, event: LoggedEvent): Run {
  const next = foldBody(run, event);
  return {
    ...next,
    first: Math.min(run.first, event.seq),
    last: Math.max(run.last, event.seq),
    count: run.count + 1,
  };
}

/** Folds the start of an item whose rest follows: it belongs to the run but is not counted as held. */
export function foldOpen(run: Run, event: LoggedEvent): Run {
  return foldBody(run, event);
}

function foldBody(run: Run, event: LoggedEvent): Run {
  switch (event.type) {
    case "user":
      return { ...run, prompt: promptOf(event) };
    case "run_started":
      return { ...run, started: { at: event.t, cwd: event.cwd, selection: selectionOf(event) } };
    case "session":
      return { ...run, session: event };
    case "rate_limit":
      return { ...run, rateLimit: event };
    case "assistant_text":
      return inLane(run, event, (rows) => addText(rows, "answer", event));
    case "thinking":
      return inLane(run, event, (rows) => addText(rows, "reasoning", event));
    case "tool_use_start":
      return editTool(run, event, event.t, (tool) => ({ ...tool, ...callOf(event) }));
    case "tool_output":
      return editTool(run, event, event.t, (tool) => ({ ...tool, live: bounded(tool.live + event.delta) }));
    case "tool_use_end":
      return editTool(run, event, event.t, (tool) => ({
        ...tool,
        name: tool.name === "" ? (event.name ?? "") : tool.name,
        result: resultOf(event),
      }));
    case "approval":
      return addApproval(run, event);
    case "approval_answered":
      return { ...run, rows: answerApproval(run.rows, event) };
    case "question":
      return addQuestion(run, event);
    case "question_answered":
      return { ...run, rows: answerQuestion(run.rows, event) };
    case "todo":
      return inLane(run, event, (rows) =>
        setStep(settle(rows, event.t), { kind: "todo", key: "todo", items: event.items }, event.seq),
      );
    case "system":
      return inLane(run, event, (rows) => [...settle(rows, event.t), noticeOf(event)]);
    case "error":
      return {
        ...run,
        rows: [
          ...settle(run.rows, event.t),
          {
            kind: "error",
            key: `e:${event.seq}`,
            code: event.code,
            message: event.message,
            ...(event.hint === undefined ? {} : { hint: event.hint }),
            retryable: event.retryable ?? false,
            at: event.t,
          },
        ],
      };
    case "complete":
      return { ...run, complete: event, rows: settleAll(run.rows, event.t) };
    case "epoch":
      return run;
    default:
      // An event of a type that this version does not draw is kept in the log.
      return run;
  }
}

function selectionOf(s: Selection): Selection {
  return {
    ...(s.agent === undefined ? {} : { agent: s.agent }),
    ...(s.model === undefined ? {} : { model: s.model }),
    ...(s.effort === undefined ? {} : { effort: s.effort }),
    ...(s.tier === undefined ? {} : { tier: s.tier }),
    ...(s.mode === undefined ? {} : { mode: s.mode }),
  };
}

function promptOf(event: UserEvent): Prompt {
  return {
    seq: event.seq,
    clientId: event.clientId,
    text: event.text,
    by: event.by,
    at: event.t,
    selection: selectionOf(event),
    attachments: event.attachments ?? noFiles,
    continues: event.continues ?? "",
    refs: event.refs ?? noRefs,
  };
}

function callOf(event: ToolUseStartEvent) {
  return {
    name: event.name,
    ...(event.server === undefined ? {} : { server: event.server }),
    input: event.input,
    refs: event.refs ?? noRefs,
    from: event.t,
  };
}

function resultOf(event: ToolUseEndEvent) {
  return {
    ok: event.ok,
    output: event.output,
    ...(event.detail === undefined ? {} : { detail: event.detail }),
    ...(event.exitCode === undefined ? {} : { exitCode: event.exitCode }),
    ms: event.ms,
    refs: event.refs ?? noRefs,
  };
}

function noticeOf(event: LoggedEvent & { type: "system" }): NoticeRow {
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

/** Keeps both ends of a long output: the beginning says what it is, the end how it stands. */
function bounded(text: string): string {
  if (text.length <= liveOutput) return text;
  return text.slice(0, liveOutput / 2) + text.slice(-liveOutput / 2);
}

/** Edits the rows of the run, or those of the subagent that the event belongs to. */
function inLane(
  run: Run,
  event: { readonly parentToolId?: string },
  edit: (rows: readonly Row[]) => readonly Row[],
): Run {
  const parent = event.parentToolId;
  if (parent !== undefined) {
    const rows = withTool(run.rows, parent, (tool) => ({ ...tool, children: edit(tool.children) }));
    if (rows !== null) return { ...run, rows };
  }
  return { ...run, rows: edit(run.rows) };
}

/** Edits the tool at any depth; null when there is none. Looks from the end, where things happen. */
function withTool(
  rows: readonly Row[],
  id: string,
  edit: (tool: ToolStep) => ToolStep,
): readonly Row[] | null {
  for (let r = rows.length - 1; r >= 0; r -= 1) {
    const row = rows[r];
    if (row?.kind !== "steps") continue;
    for (let s = row.steps.length - 1; s >= 0; s -= 1) {
      const step = row.steps[s];
      if (step?.kind !== "tool") continue;
      const edited = step.key === id ? edit(step) : withChildren(step, id, edit);
      if (edited !== null) return rows.with(r, { ...row, steps: row.steps.with(s, edited) });
    }
  }
  return null;
}

function withChildren(step: ToolStep, id: string, edit: (tool: ToolStep) => ToolStep): ToolStep | null {
  if (step.children.length === 0) return null;
  const children = withTool(step.children, id, edit);
  return children === null ? null : { ...step, children };
}

/** Edits a tool, which is made first when its events come before its call. */
function editTool(
  run: Run,
  event: { readonly toolId: string; readonly parentToolId?: string; readonly seq: number },
  at: string,
  edit: (tool: ToolStep) => ToolStep,
): Run {
  const known = withTool(run.rows, event.toolId, edit);
  if (known !== null) return { ...run, rows: known };
  const tool = edit({
    kind: "tool",
    key: event.toolId,
    name: "",
    input: undefined,
    refs: noRefs,
    from: at,
    live: "",
    approvals: [],
    children: [],
  });
  return inLane(run, event, (rows) => setStep(settle(rows, at), tool, event.seq));
}

/** Puts a step into the last group, or replaces the one with its key wherever it is. */
function setStep(rows: readonly Row[], step: Step, seq: number): readonly Row[] {
  for (let r = rows.length - 1; r >= 0; r -= 1) {
    const row = rows[r];
    if (row?.kind !== "steps") continue;
    const s = row.steps.findIndex((other) => other.key === step.key);
    if (s >= 0) return rows.with(r, { ...row, steps: row.steps.with(s, step) });
  }
  const last = rows.at(-1);
  if (last?.kind === "steps") return [...rows.slice(0, -1), { ...last, steps: [...last.steps, step] }];
  const group: StepsRow = {
    kind: "steps",
    key: `s:${step.key === "todo" ? `todo:${seq}` : step.key}`,
    steps: [step],
  };
  return [...rows, group];
}

function addText(rows: readonly Row[], kind: TextRow["kind"], event: AssistantTextEvent | ThinkingEvent) {
  const at = rows.findLastIndex((row) => row.kind === kind && row.key === event.item);
  const row = rows[at];
  const cut = event.refs?.["/delta"] ?? event.refs?.["/final"];
  if (row?.kind !== kind) {
    const text = event.final ?? event.delta ?? "";
    const added: TextRow = {
      kind,
      key: event.item,
      text,
      from: event.t,
      ...(cut === undefined ? {} : { cut }),
    };
    return [...settle(rows, event.t), added];
  }
  const text = event.final ?? row.text + (event.delta ?? "");
  return rows.with(at, { ...row, text, ...(cut === undefined ? {} : { cut }) });
}

/** Ends the text that was still growing: something else follows it. */
function settle(rows: readonly Row[], at: string): readonly Row[] {
  const last = rows.at(-1);
  if (last === undefined || (last.kind !== "answer" && last.kind !== "reasoning")) return rows;
  return last.to === undefined ? [...rows.slice(0, -1), { ...last, to: at }] : rows;
}

function settleAll(rows: readonly Row[], at: string): readonly Row[] {
  return settle(rows, at).map((row) => {
    if (row.kind !== "steps" || !row.steps.some((s) => s.kind === "tool" && s.children.length > 0))
      return row;
    const steps = row.steps.map((s) =>
      s.kind === "tool" ? { ...s, children: settleAll(s.children, at) } : s,
    );
    return { ...row, steps };
  });
}

function approvalOf(event: ApprovalEvent): ApprovalState {
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

function addApproval(run: Run, event: ApprovalEvent): Run {
  const approval = approvalOf(event);
  const { toolId } = event;
  if (toolId === undefined || toolId === "") {
    const step: Step = { kind: "approval", key: event.approvalId, approval };
    return inLane(run, event, (rows) => setStep(settle(rows, event.t), step, event.seq));
  }
  return editTool(run, { ...event, toolId }, event.t, (tool) => ({
    ...tool,
    approvals: [...tool.approvals.filter((a) => a.id !== approval.id), approval],
  }));
}

function answerApproval(rows: readonly Row[], event: ApprovalAnsweredEvent): readonly Row[] {
  const answered = (approval: ApprovalState): ApprovalState => ({
    ...approval,
    answer: {
      option: event.option,
      ...(event.by === undefined ? {} : { by: event.by }),
      ...(event.reason === undefined ? {} : { reason: event.reason }),
      ...(event.text === undefined ? {} : { text: event.text }),
      at: event.t,
    },
  });
  return mapSteps(rows, (step) => {
    if (step.kind === "approval") {
      return step.key === event.approvalId ? { ...step, approval: answered(step.approval) } : step;
    }
    if (step.kind !== "tool" || !step.approvals.some((a) => a.id === event.approvalId)) return step;
    return {
      ...step,
      approvals: step.approvals.map((a) => (a.id === event.approvalId ? answered(a) : a)),
    };
  });
}

function addQuestion(run: Run, event: QuestionEvent): Run {
  const question = {
    id: event.questionId,
    toolId: event.toolId ?? "",
    questions: event.questions,
    at: event.t,
  };
  const step: Step = { kind: "question", key: event.questionId, question };
  return inLane(run, event, (rows) => setStep(settle(rows, event.t), step, event.seq));
}

function answerQuestion(rows: readonly Row[], event: QuestionAnsweredEvent): readonly Row[] {
  const answer = {
    answers: event.answers ?? {},
    declined: event.declined ?? false,
    ...(event.by === undefined ? {} : { by: event.by }),
    ...(event.reason === undefined ? {} : { reason: event.reason }),
    at: event.t,
  };
  return mapSteps(rows, (step) =>
    step.kind === "question" && step.key === event.questionId
      ? { ...step, question: { ...step.question, answer } }
      : step,
  );
}

/** Edits steps at any depth. Rows in which nothing changes keep their identity. */
function mapSteps(rows: readonly Row[], edit: (step: Step) => Step): readonly Row[] {
  let touched = false;
  const mapped = rows.map((row): Row => {
    if (row.kind !== "steps") return row;
    let changed = false;
    const steps = row.steps.map((step) => {
      let next = edit(step);
      if (next.kind === "tool" && next.children.length > 0) {
        const children = mapSteps(next.children, edit);
        if (children !== next.children) next = { ...next, children };
      }
      changed ||= next !== step;
      return next;
    });
    touched ||= changed;
    return changed ? { ...row, steps } : row;
  });
  return touched ? mapped : rows;
}
