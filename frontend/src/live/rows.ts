import type {
  ApprovalKind,
  ApprovalOption,
  Attachment,
  BlobRef,
  CompleteEvent,
  Level,
  Person,
  QuestionItem,
  RateLimitEvent,
  Scope,
  Selection,
  SessionEvent,
  TodoItem,
} from "../wire/types";

/** Strings of which only the beginning is at hand, by JSON pointer. */
export type Refs = Readonly<Record<string, BlobRef>>;

export type Prompt = {
  readonly seq: number;
  readonly clientId: string;
  readonly text: string;
  readonly by: Person;
  readonly at: string;
  readonly selection: Selection;
  readonly attachments: readonly Attachment[];
  readonly skills?: readonly string[];
  /** The run that it goes on with; empty if it begins something. */
  readonly continues: string;
  readonly refs: Refs;
};

/** A block of text that streams: reasoning or a piece of the answer. */
export type TextRow = {
  readonly kind: "reasoning" | "answer";
  readonly key: string;
  readonly text: string;
  readonly from: string;
  /** When it ended; absent while it may still grow. */
  readonly to?: string;
  readonly cut?: BlobRef;
};

export type ApprovalState = {
  readonly id: string;
  readonly kind: ApprovalKind;
  /** The agent's name for the tool. */
  readonly tool?: string;
  readonly title: string;
  readonly detail?: string;
  readonly cwd?: string;
  readonly paths: readonly string[];
  /** The first of the paths that lies outside the working directory. */
  readonly outside?: string;
  readonly options: readonly ApprovalOption[];
  /** What "for this chat" would allow; only where that is offered. */
  readonly scope?: Scope;
  readonly refs: Refs;
  readonly at: string;
  readonly answer?: {
    readonly option: ApprovalOption;
    readonly by?: Person;
    readonly reason?: string;
    /** What the person wants instead. */
    readonly text?: string;
    readonly at: string;
  };
};

/** What an agent asks people, and their answers by the text of each question. */
export type QuestionState = {
  readonly id: string;
  /** The tool call by which it asks; that is not drawn beside it. */
  readonly toolId: string;
  readonly questions: readonly QuestionItem[];
  readonly at: string;
  readonly answer?: {
    readonly answers: Readonly<Record<string, readonly string[]>>;
    readonly declined: boolean;
    readonly by?: Person;
    readonly reason?: string;
    readonly at: string;
  };
};

type ToolResult = {
  readonly ok: boolean;
  readonly output: string;
  readonly detail?: unknown;
  readonly exitCode?: number;
  readonly ms: number;
  readonly refs: Refs;
};

export type ToolStep = {
  readonly kind: "tool";
  readonly key: string;
  /** Empty until the call itself is known: an approval may come before it. */
  readonly name: string;
  readonly server?: string;
  readonly input: unknown;
  readonly refs: Refs;
  readonly from: string;
  /** Output as it streams; the result has the whole. */
  readonly live: string;
  readonly result?: ToolResult;
  readonly approvals: readonly ApprovalState[];
  /** What a subagent did. */
  readonly children: readonly Row[];
};

export type TodoStep = { readonly kind: "todo"; readonly key: string; readonly items: readonly TodoItem[] };

export type ApprovalStep = {
  readonly kind: "approval";
  readonly key: string;
  readonly approval: ApprovalState;
};

export type QuestionStep = {
  readonly kind: "question";
  readonly key: string;
  readonly question: QuestionState;
};

export type Step = ToolStep | TodoStep | ApprovalStep | QuestionStep;

export type StepsRow = { readonly kind: "steps"; readonly key: string; readonly steps: readonly Step[] };

export type NoticeRow = {
  readonly kind: "notice";
  readonly key: string;
  readonly level: Level;
  readonly code: string;
  readonly text: string;
  readonly at: string;
  readonly ref?: BlobRef;
};

export type ErrorRow = {
  readonly kind: "error";
  readonly key: string;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly retryable: boolean;
  readonly at: string;
};

export type Row = TextRow | StepsRow | NoticeRow | ErrorRow;

/** What one prompt started, as far as it is held. `first`, `last` and `count` say of which events it is made. */
export type Run = {
  /** The run's id; "n:" and a seq for what belongs to no run. */
  readonly key: string;
  readonly first: number;
  readonly last: number;
  readonly count: number;
  /** Absent when the events held begin inside the run. */
  readonly prompt?: Prompt;
  readonly rows: readonly Row[];
  readonly started?: { readonly at: string; readonly cwd: string; readonly selection: Selection };
  readonly session?: SessionEvent;
  readonly rateLimit?: RateLimitEvent;
  readonly complete?: CompleteEvent;
};
