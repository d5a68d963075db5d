/* Generated from the Go types by `go run ./cmd/gen` and `npm run gen`. Do not edit. */

export type RunID = string
export type AgentID = string
export type Mode = 'chat' | 'plan' | 'code' | 'review' | 'debug' | 'full_auto'
export type AgentSandbox = 'works' | 'fails'
export type AgentSignIn = 'found' | 'missing'
export type AgentState = 'ready' | 'not_installed' | 'not_signed_in' | 'broken' | 'unknown'
export type ApprovalOption = 'once' | 'chat' | 'deny'
export type UserID = string
export type ApprovalKind = 'command' | 'edit' | 'tool' | 'plan' | 'question'
export type ChatID = string
export type Phase = 'idle' | 'starting' | 'running' | 'stopping' | 'held'
export type Status = 'ok' | 'cancelled' | 'failed' | 'max_iterations' | 'interrupted'
export type Command =
  | PromptCommand
  | CancelCommand
  | AnswerCommand
  | QueueEditCommand
  | QueueMoveCommand
  | QueueRemoveCommand
  | QueueResumeCommand
  | TypingCommand
  | PingFrame
  | PongFrame
export type WhenBusy = 'queue' | 'reject' | 'interrupt'
export type CostKind = 'exact' | 'estimated'
export type When = 'reset'
export type EpochCause = 'rewind' | 'restore' | 'clear' | 'repair'
export type LoggedEvent =
  | UserEvent
  | RunStartedEvent
  | SessionEvent
  | AssistantTextEvent
  | ThinkingEvent
  | ToolUseStartEvent
  | ToolOutputEvent
  | ToolUseEndEvent
  | TodoEvent
  | RateLimitEvent
  | ApprovalEvent
  | ApprovalAnsweredEvent
  | QuestionEvent
  | QuestionAnsweredEvent
  | SystemEvent
  | ErrorEvent
  | CompleteEvent
  | EpochEvent
export type TodoStatus = 'pending' | 'in_progress' | 'completed'
export type Level = 'info' | 'warn'
export type FaultCode =
  | 'invalid'
  | 'not_found'
  | 'conflict'
  | 'stale_epoch'
  | 'busy'
  | 'unauthorized'
  | 'forbidden'
  | 'too_large'
  | 'rate_limited'
  | 'unavailable'
  | 'canceled'
  | 'internal'
export type Frame =
  | ConnectedFrame
  | SyncFrame
  | ResetFrame
  | AckFrame
  | PingFrame
  | PongFrame
  | PresenceFrame
  | ToolUseInputFrame
  | QueueFrame
  | TypingFrame
  | ChatChangedFrame
  | ChatRemovedFrame
  | DraftChangedFrame
  | RunUsageFrame
  | OpenFrame
export type Role = 'admin' | 'member' | 'viewer'
export type ServerMessage = LoggedEvent | Frame
export type SkillSource = 'host' | 'workspace'

export interface AckFrame {
  error?: Fault
  id: string
  ok: boolean
  result?: PromptResult
  type: 'ack'
}
export interface Fault {
  code: string
  hint?: string
  message: string
  run?: RunID
}
export interface PromptResult {
  clientId: string
  queued?: number
  run?: RunID
  seq?: number
}
export interface Agent {
  info: AgentInfo
  status: AgentStatus
}
export interface AgentInfo {
  demo?: boolean
  efforts: Choice[]
  forks?: boolean
  id: AgentID
  images?: boolean
  models: Choice[]
  modes: ModePolicy[]
  name: string
  resume?: string
  rewinds?: boolean
  tiers: Choice[]
}
export interface Choice {
  name: string
  note?: string
  value: string
}
export interface ModePolicy {
  caveat?: string
  mode: Mode
  policy: string
}
export interface AgentStatus {
  checked?: string
  hint?: string
  message?: string
  path?: string
  sandbox?: AgentSandbox
  signIn?: AgentSignIn
  state: AgentState
  tested?: string
  version?: string
}
export interface AgentList {
  agents: Agent[]
}
export interface Amounts {
  costUsd?: number
  minutes?: number
  tokens?: number
}
export interface Answer {
  answers?: {
    [k: string]: string[]
  }
  approvalId?: string
  declined?: boolean
  option?: ApprovalOption
  questionId?: string
  text?: string
}
export interface AnswerCommand {
  answers?: {
    [k: string]: string[]
  }
  approvalId?: string
  declined?: boolean
  id?: string
  option?: ApprovalOption
  questionId?: string
  text?: string
  type: 'answer'
}
export interface ApprovalAnsweredEvent {
  approvalId: string
  auto?: boolean
  by?: Person
  option: ApprovalOption
  reason?: string
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  t: string
  text?: string
  type: 'approval_answered'
}
export interface Person {
  id: UserID
  name: string
}
export interface BlobRef {
  bytes: number
  sha256: string
}
export interface ApprovalEvent {
  approvalId: string
  cwd?: string
  detail?: string
  kind: ApprovalKind
  options: ApprovalOption[]
  outside?: string
  parentToolId?: string
  paths?: string[]
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  scope?: Scope
  seq: number
  t: string
  title: string
  tool?: string
  toolId?: string
  type: 'approval'
}
export interface Scope {
  command?: string
  dir?: string
  kind: ApprovalKind
  paths?: string[]
  tool?: string
}
export interface AssistantTextEvent {
  delta?: string
  final?: string
  item: string
  parentToolId?: string
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  t: string
  type: 'assistant_text'
}
export interface Attachment {
  bytes: number
  media: string
  name: string
  sha256: string
}
export interface BrowserSession {
  created: string
  current: boolean
  device: string
  from: string
  id: string
  lastSeen: string
}
export interface BrowserSessionList {
  sessions: BrowserSession[]
}
export interface Cancel {
  run?: RunID
}
export interface CancelCommand {
  id?: string
  run?: RunID
  type: 'cancel'
}
export interface ChatChangedFrame {
  chat: ChatSummary
  type: 'chat'
}
export interface ChatSummary {
  active: string
  archived?: boolean
  created: string
  cwd: string
  forkOf?: Origin
  id: ChatID
  limits?: Limits
  needsYou?: NeedsYou
  owner: Person
  paused?: boolean
  phase: Phase
  pinned?: boolean
  queued?: number
  running: boolean
  selected: Selection
  skills?: string[]
  title: string
  trashed?: string
  unread: boolean
  verdict?: Status
}
export interface Origin {
  chat: ChatID
  seq: number
  title?: string
}
export interface Limits {
  chat?: Amounts
  costUsd?: number
  day?: Amounts
  minutes?: number
  tokens?: number
}
export interface NeedsYou {
  count: number
  kind: ApprovalKind
  since: string
  title: string
}
export interface Selection {
  agent?: AgentID
  effort?: string
  mode?: Mode
  model?: string
  tier?: string
}
export interface ChatList {
  chats: ChatSummary[]
}
export interface ChatPatch {
  archived?: boolean
  limits?: Limits
  pinned?: boolean
  selected?: Selection
  /**
   * @maxItems 50
   */
  skills?: string[]
  title?: string
}
export interface ChatRemovedFrame {
  id: ChatID
  type: 'chat_removed'
}
export interface ChatStorage {
  blobs: number
  chat: ChatID
  damaged: number
  freed: number
  log: number
  more?: boolean
  rewound: number
  shared: number
  title: string
  total: number
  trashed?: boolean
  work: number
}
export interface PromptCommand {
  agent?: AgentID
  /**
   * @maxItems 20
   */
  attachments?: Attachment[]
  clientId?: string
  effort?: string
  id?: string
  mode?: Mode
  model?: string
  /**
   * @maxItems 50
   */
  skills?: string[]
  text: string
  tier?: string
  type: 'prompt'
  whenBusy?: WhenBusy
}
export interface QueueEditCommand {
  clientId: string
  id?: string
  rev?: number
  text: string
  type: 'queue_edit'
}
export interface QueueMoveCommand {
  clientId: string
  id?: string
  rev?: number
  to: number
  type: 'queue_move'
}
export interface QueueRemoveCommand {
  clientId: string
  id?: string
  rev?: number
  type: 'queue_remove'
}
export interface QueueResumeCommand {
  id?: string
  type: 'queue_resume'
}
export interface TypingCommand {
  id?: string
  type: 'typing'
}
export interface PingFrame {
  n: number
  type: 'ping'
}
export interface PongFrame {
  n: number
  type: 'pong'
}
export interface CompleteEvent {
  code?: string
  ms: number
  notice?: string
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  status: Status
  t: string
  turn?: string
  type: 'complete'
  usage?: Usage
}
export interface Usage {
  cacheRead?: number
  cacheWrite?: number
  context?: number
  contextMax?: number
  costKind?: CostKind
  costUsd?: number
  input: number
  model?: string
  output: number
  reasoning?: number
}
export interface ConnectedFrame {
  chat: ChatID
  epoch: number
  lastSeq: number
  person: Person
  running: boolean
  type: 'connected'
  version: string
}
export interface Continue {
  when?: When
}
export interface Cut {
  at: string
  cause: EpochCause
  epoch: number
  expires: string
  keep: number
  last: number
  line: string
  prompts: number
  restorable: boolean
  sent: CutPrompt[]
}
export interface CutPrompt {
  line: string
  seq: number
  t: string
}
export interface Draft {
  /**
   * @maxItems 50
   */
  attachments?: Attachment[]
  rev: number
  /**
   * @maxItems 50
   */
  skills?: string[]
  text: string
}
export interface DraftChangedFrame {
  chat: ChatID
  draft: SavedDraft
  type: 'draft'
}
export interface SavedDraft {
  at: string
  attachments?: Attachment[]
  rev: number
  skills?: string[]
  text: string
}
export interface EpochEvent {
  cause: EpochCause
  epoch: number
  keep: number
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  t: string
  type: 'epoch'
}
export interface ErrorEvent {
  code: string
  hint?: string
  message: string
  refs?: {
    [k: string]: BlobRef
  }
  retryable?: boolean
  run?: RunID
  seq: number
  t: string
  type: 'error'
}
export interface EventPage {
  epoch: number
  events: LoggedEvent[]
  hasMore: boolean
  open: LoggedEvent[]
}
export interface UserEvent {
  agent?: AgentID
  attachments?: Attachment[]
  by: Person
  clientId: string
  continues?: RunID
  effort?: string
  mode?: Mode
  model?: string
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  skills?: string[]
  t: string
  text: string
  tier?: string
  type: 'user'
}
export interface RunStartedEvent {
  agent?: AgentID
  cwd: string
  effort?: string
  mode?: Mode
  model?: string
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  t: string
  tier?: string
  type: 'run_started'
}
export interface SessionEvent {
  agent: AgentID
  forked?: boolean
  model?: string
  refs?: {
    [k: string]: BlobRef
  }
  resumed?: boolean
  run?: RunID
  seq: number
  sessionId: string
  t: string
  type: 'session'
}
export interface ThinkingEvent {
  delta?: string
  final?: string
  item: string
  parentToolId?: string
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  t: string
  type: 'thinking'
}
export interface ToolUseStartEvent {
  input: unknown
  name: string
  parentToolId?: string
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  server?: string
  t: string
  toolId: string
  type: 'tool_use_start'
}
export interface ToolOutputEvent {
  delta: string
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  t: string
  toolId: string
  type: 'tool_output'
}
export interface ToolUseEndEvent {
  detail?: unknown
  exitCode?: number
  ms: number
  name?: string
  ok: boolean
  output: string
  parentToolId?: string
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  t: string
  toolId: string
  type: 'tool_use_end'
}
export interface TodoEvent {
  items: TodoItem[]
  parentToolId?: string
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  t: string
  type: 'todo'
}
export interface TodoItem {
  status: TodoStatus
  text: string
}
export interface RateLimitEvent {
  refs?: {
    [k: string]: BlobRef
  }
  resetsAt?: string
  run?: RunID
  scope: string
  seq: number
  t: string
  type: 'rate_limit'
  usedShare?: number
}
export interface QuestionEvent {
  parentToolId?: string
  questionId: string
  questions: QuestionItem[]
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  t: string
  toolId?: string
  type: 'question'
}
export interface QuestionItem {
  header?: string
  multiSelect?: boolean
  options: QuestionOption[]
  question: string
}
export interface QuestionOption {
  description?: string
  label: string
}
export interface QuestionAnsweredEvent {
  answers?: {
    [k: string]: string[]
  }
  by?: Person
  declined?: boolean
  questionId: string
  reason?: string
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  t: string
  type: 'question_answered'
}
export interface SystemEvent {
  code: string
  level: Level
  parentToolId?: string
  ref?: BlobRef
  refs?: {
    [k: string]: BlobRef
  }
  run?: RunID
  seq: number
  t: string
  text: string
  type: 'system'
}
export interface FindMatch {
  count: number
  seq: number
  snippet: Snippet
  t: string
  type: string
}
export interface Snippet {
  after?: boolean
  before?: boolean
  marks: Mark[]
  text: string
}
export interface Mark {
  end: number
  start: number
}
export interface FindResults {
  index: IndexState
  matches: FindMatch[]
  next?: number
}
export interface IndexState {
  behind: number
  chats: number
  fault?: Fault
}
export interface Fork {
  after?: number
  cut?: number
  title?: string
}
export interface ForkRef {
  chat: ChatID
  created: string
  title: string
}
export interface FoundFiles {
  files: WorkFile[]
  more?: boolean
}
export interface WorkFile {
  dir?: boolean
  path: string
}
export interface SyncFrame {
  by?: Person
  phase: Phase
  run?: RunID
  running: boolean
  since?: string
  type: 'sync'
}
export interface ResetFrame {
  epoch: number
  reason: string
  type: 'reset'
}
export interface PresenceFrame {
  people: Person[]
  type: 'presence'
}
export interface ToolUseInputFrame {
  bytes: number
  name: string
  parentToolId?: string
  tail: string
  toolId: string
  type: 'tool_use_input'
}
export interface QueueFrame {
  items: QueuedItem[]
  paused?: QueuePause
  rev: number
  type: 'queue'
}
export interface QueuedItem {
  agent?: AgentID
  at: string
  attachments?: Attachment[]
  by: Person
  clientId: string
  continues?: RunID
  effort?: string
  error?: Fault
  interrupts?: boolean
  mode?: Mode
  model?: string
  rev: number
  skills?: string[]
  text: string
  tier?: string
}
export interface QueuePause {
  by?: Person
  reason: string
  since: string
  until?: string
}
export interface TypingFrame {
  people: Person[]
  type: 'typing'
}
export interface RunUsageFrame {
  run: RunID
  type: 'usage'
  usage: Usage
}
export interface OpenFrame {
  events: LoggedEvent[]
  type: 'open'
}
export interface Health {
  disk?: 'full'
  status: 'ok'
  version: string
}
export interface Login {
  name: string
  password: string
}
export interface MadeToken {
  secret: string
  token: Token
}
export interface Token {
  created: string
  expires?: string
  id: string
  lastSeen?: string
  name: string
  scope: string
}
export interface Me {
  person: Person
  role: Role
  version: string
}
export interface NewChat {
  selected?: Selection
  /**
   * @maxItems 50
   */
  skills?: string[]
  title?: string
}
export interface NewToken {
  days?: number
  name: string
  scope: string
}
export interface Outline {
  cuts: Cut[]
  epoch: number
  prompts: OutlinePrompt[]
}
export interface OutlinePrompt {
  by: Person
  end?: number
  forks?: ForkRef[]
  line: string
  run: RunID
  seq: number
  status?: Status
  t: string
}
export interface OutsideSession {
  active: string
  agent: AgentID
  bytes: number
  chat?: ChatID
  cwd: string
  id: string
  more?: boolean
  prompts: number
  started: string
  title: string
}
export interface PasswordChange {
  current: string
  next: string
}
export interface PickedEvents {
  epoch: number
  events: LoggedEvent[]
  next?: number
}
export interface Problem {
  code: FaultCode
  detail: string
  hint?: string
  run?: RunID
  status: number
  title: string
}
export interface Prompt {
  agent?: AgentID
  /**
   * @maxItems 20
   */
  attachments?: Attachment[]
  clientId?: string
  effort?: string
  mode?: Mode
  model?: string
  /**
   * @maxItems 50
   */
  skills?: string[]
  text: string
  tier?: string
  whenBusy?: WhenBusy
}
export interface Queue {
  items: QueuedItem[]
  paused?: QueuePause
  rev: number
}
export interface QueuePatch {
  rev?: number
  text?: string
  to?: number
}
export interface Restore {
  epoch?: number
}
export interface Rewind {
  /**
   * The seq of the prompt's user event.
   */
  seq: number
}
export interface Rule {
  at: string
  by: Person
  id: string
  scope: Scope
}
export interface RuleList {
  rules: Rule[]
}
export interface SearchHit {
  agent?: AgentID
  archived?: boolean
  chat: ChatID
  copies?: ChatID[]
  seq: number
  snippet: Snippet
  t: string
  title: string
  type: string
}
export interface SearchResults {
  hits: SearchHit[]
  index: IndexState
  next?: string
  titles: TitleHit[]
}
export interface TitleHit {
  active: string
  archived?: boolean
  chat: ChatID
  title: Snippet
}
export interface SessionImport {
  agent: string
  id: string
}
export interface SessionList {
  sessions: OutsideSession[]
}
export interface Settings {
  continueAtReset: boolean
  enterSends: boolean
  limits: Limits
}
export interface SettingsPatch {
  continueAtReset?: boolean
  enterSends?: boolean
  limits?: Limits
}
export interface Setup {
  name: string
  password: string
  /**
   * From the set-up link that the daemon printed.
   */
  token: string
}
export interface SetupState {
  open: boolean
}
export interface Skill {
  description?: string
  name: string
  source: SkillSource
}
export interface SkillList {
  more?: boolean
  skills: Skill[]
  skipped?: SkippedSkill[]
}
export interface SkippedSkill {
  folder: string
  source: SkillSource
  why: string
}
export interface Storage {
  chats: ChatStorage[]
  free?: number
  freeable: number
  index: number
  size?: number
  total: number
}
export interface Sum {
  agents?: {
    [k: string]: number
  }
  cacheRead: number
  cacheWrite: number
  estimated: number
  exact: number
  input: number
  key: string
  ms: number
  name?: string
  output: number
  reasoning: number
  runs: number
  started: string
  unknown: number
}
export interface TokenList {
  tokens: Token[]
}
export interface UsageReport {
  by: string
  index: IndexState
  sums: UsageSum[]
  total: Sum
}
export interface UsageSum {
  agents?: {
    [k: string]: number
  }
  cacheRead: number
  cacheWrite: number
  estimated: number
  exact: number
  input: number
  key: string
  ms: number
  name?: string
  output: number
  reasoning: number
  runs: number
  started: string
  title?: string
  unknown: number
}
