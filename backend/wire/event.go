package wire

import "encoding/json"

// Type is the name of an event's or a frame's kind, as it goes on the wire.
type Type string

// The types of events.
const (
	TypeUser             Type = "user"
	TypeRunStarted       Type = "run_started"
	TypeSession          Type = "session"
	TypeAssistantText    Type = "assistant_text"
	TypeThinking         Type = "thinking"
	TypeToolUseStart     Type = "tool_use_start"
	TypeToolOutput       Type = "tool_output"
	TypeToolUseEnd       Type = "tool_use_end"
	TypeTodo             Type = "todo"
	TypeRateLimit        Type = "rate_limit"
	TypeApproval         Type = "approval"
	TypeApprovalAnswered Type = "approval_answered"
	TypeQuestion         Type = "question"
	TypeQuestionAnswered Type = "question_answered"
	TypeSystem           Type = "system"
	TypeError            Type = "error"
	TypeComplete         Type = "complete"
	TypeEpoch            Type = "epoch"
)

// Event is a fact of a chat, without its envelope. The set of types that
// implement it is closed: [Events] lists one of each.
type Event interface {
	// Type returns the name under which the event is logged.
	Type() Type

	isEvent()
}

// Events returns a zero value of every type of event, for tests and generators.
func Events() []Event {
	return []Event{
		User{},
		RunStarted{},
		Session{},
		AssistantText{},
		Thinking{},
		ToolUseStart{},
		ToolOutput{},
		ToolUseEnd{},
		Todo{},
		RateLimit{},
		Approval{},
		ApprovalAnswered{},
		Question{},
		QuestionAnswered{},
		System{},
		Error{},
		Complete{},
		Epoch{},
	}
}

// Mode is what a person lets an agent do in a run.
type Mode string

// The modes.
const (
	ModeChat     Mode = "chat"
	ModePlan     Mode = "plan"
	ModeCode     Mode = "code"
	ModeReview   Mode = "review"
	ModeDebug    Mode = "debug"
	ModeFullAuto Mode = "full_auto"
)

// Modes returns every mode in the order in which they are offered.
func Modes() []Mode {
	return []Mode{ModeChat, ModePlan, ModeCode, ModeReview, ModeDebug, ModeFullAuto}
}

// Selection is what a person chose for a prompt: empty fields mean the agent's
// own default.
type Selection struct {
	Agent  AgentID `json:"agent,omitempty"`
	Model  string  `json:"model,omitempty"`
	Effort string  `json:"effort,omitempty"`
	Tier   string  `json:"tier,omitempty"`
	Mode   Mode    `json:"mode,omitempty"`
}

// User is a prompt as a person sent it. It starts a run.
type User struct {
	Text     string `json:"text"`
	ClientID string `json:"clientId"`
	By       Person `json:"by"`
	Selection
	Skills      []string     `json:"skills,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	// Continues is the run that this one goes on with, in the agent's session of
	// it: the text was made by the daemon then.
	Continues RunID `json:"continues,omitempty"`
}

// RunStarted says that an agent was launched.
type RunStarted struct {
	Selection
	Cwd string `json:"cwd"`
}

// Session names the agent's own session, so that a later run can resume it.
type Session struct {
	Agent     AgentID `json:"agent"`
	SessionID string  `json:"sessionId"`
	Model     string  `json:"model,omitempty"`
	Resumed   bool    `json:"resumed,omitempty"`
	Forked    bool    `json:"forked,omitempty"`
}

// AssistantText is a piece of the agent's answer. The pieces of one Item join.
type AssistantText struct {
	Item  string `json:"item"`
	Delta string `json:"delta,omitempty"`
	// Final, if set, is the whole text of the item and replaces the deltas so
	// far. It is sent only where the two differ.
	Final        string `json:"final,omitempty"`
	ParentToolID string `json:"parentToolId,omitempty"`
}

// Thinking is a piece of the agent's reasoning, joined as in [AssistantText].
type Thinking struct {
	Item         string `json:"item"`
	Delta        string `json:"delta,omitempty"`
	Final        string `json:"final,omitempty"`
	ParentToolID string `json:"parentToolId,omitempty"`
}

// ToolUseStart says that a tool was called, with its complete input.
type ToolUseStart struct {
	ToolID string `json:"toolId"`
	Name   string `json:"name"`
	// Server is the MCP server that offers the tool; empty for the agent's own.
	Server       string          `json:"server,omitempty"`
	Input        json.RawMessage `json:"input"`
	ParentToolID string          `json:"parentToolId,omitempty"`
}

// ToolOutput is output of a tool as it streams.
type ToolOutput struct {
	ToolID string `json:"toolId"`
	Delta  string `json:"delta"`
}

// ToolUseEnd is a tool's result.
type ToolUseEnd struct {
	ToolID string `json:"toolId"`
	Name   string `json:"name,omitempty"`
	OK     bool   `json:"ok"`
	// Output is the text that the model was given.
	Output string `json:"output"`
	// Detail is the agent's own structured form of the result, where it has
	// one: a patch, the two streams of a command. A stream that is the output may
	// be left out.
	Detail       json.RawMessage `json:"detail,omitempty"`
	ExitCode     *int            `json:"exitCode,omitempty"`
	MS           int64           `json:"ms"`
	ParentToolID string          `json:"parentToolId,omitempty"`
}

// TodoStatus is how far an item of a to-do list is.
type TodoStatus string

// The states of a to-do item.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoCompleted  TodoStatus = "completed"
)

// TodoItem is one line of a to-do list.
type TodoItem struct {
	Text   string     `json:"text"`
	Status TodoStatus `json:"status"`
}

// Todo is the agent's whole to-do list as it now stands.
type Todo struct {
	Items        []TodoItem `json:"items"`
	ParentToolID string     `json:"parentToolId,omitempty"`
}

// RateLimit is how much of a vendor's limit is used.
type RateLimit struct {
	Scope string `json:"scope"`
	// UsedShare is between 0 and 1; absent where the vendor does not say.
	UsedShare *float64 `json:"usedShare,omitempty"`
	ResetsAt  *Time    `json:"resetsAt,omitempty"`
}

// Level is how much a notice matters.
type Level string

// The levels of a notice.
const (
	LevelInfo Level = "info"
	LevelWarn Level = "warn"
)

// System is a notice of the daemon or the agent.
type System struct {
	Level Level  `json:"level"`
	Code  string `json:"code"`
	Text  string `json:"text"`
	// Ref names a body beside the log that the notice is about.
	Ref          *BlobRef `json:"ref,omitempty"`
	ParentToolID string   `json:"parentToolId,omitempty"`
}

// Error says what went wrong in a run. A [Complete] follows.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Hint is one next step, in words.
	Hint      string `json:"hint,omitempty"`
	Retryable bool   `json:"retryable,omitempty"`
}

// Status is the verdict on a run.
type Status string

// The verdicts.
const (
	StatusOK            Status = "ok"
	StatusCancelled     Status = "cancelled"
	StatusFailed        Status = "failed"
	StatusMaxIterations Status = "max_iterations"
	StatusInterrupted   Status = "interrupted"
)

// CostKind says how a cost is known.
type CostKind string

// The kinds of cost. An absent kind means that the cost is unknown.
const (
	CostExact     CostKind = "exact"
	CostEstimated CostKind = "estimated"
)

// Usage counts what one run used: tokens of this run alone, never a session's
// running total. Input leaves out what was read from or written to a cache.
type Usage struct {
	Input      int64    `json:"input"`
	Output     int64    `json:"output"`
	CacheRead  int64    `json:"cacheRead,omitempty"`
	CacheWrite int64    `json:"cacheWrite,omitempty"`
	Reasoning  int64    `json:"reasoning,omitempty"`
	CostUSD    *float64 `json:"costUsd,omitempty"`
	CostKind   CostKind `json:"costKind,omitempty"`
	Model      string   `json:"model,omitempty"`
	// Context is the size of the last request and ContextMax the model's
	// limit, both in tokens; 0 where unknown.
	Context    int64 `json:"context,omitempty"`
	ContextMax int64 `json:"contextMax,omitempty"`
}

// Complete is the one end of a run.
type Complete struct {
	Status Status `json:"status"`
	// Code says more where the status alone does not: "processes_left",
	// "budget_time".
	Code   string `json:"code,omitempty"`
	Notice string `json:"notice,omitempty"`
	Usage  *Usage `json:"usage,omitempty"`
	MS     int64  `json:"ms"`
	// Turn is the agent's own id for the end of this turn, to rewind to.
	Turn string `json:"turn,omitempty"`
}

// EpochCause says why an epoch began.
type EpochCause string

// The causes of a new epoch.
const (
	CauseRewind  EpochCause = "rewind"
	CauseRestore EpochCause = "restore"
	CauseClear   EpochCause = "clear"
	CauseRepair  EpochCause = "repair"
)

// Epoch says that the log was changed before this event: what follows Keep and
// was seen in an earlier epoch is no longer part of the chat.
type Epoch struct {
	Epoch uint64     `json:"epoch"`
	Keep  uint64     `json:"keep"`
	Cause EpochCause `json:"cause"`
}

// BlobRef points to a body that lies beside the log.
type BlobRef struct {
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

func (User) Type() Type             { return TypeUser }
func (RunStarted) Type() Type       { return TypeRunStarted }
func (Session) Type() Type          { return TypeSession }
func (AssistantText) Type() Type    { return TypeAssistantText }
func (Thinking) Type() Type         { return TypeThinking }
func (ToolUseStart) Type() Type     { return TypeToolUseStart }
func (ToolOutput) Type() Type       { return TypeToolOutput }
func (ToolUseEnd) Type() Type       { return TypeToolUseEnd }
func (Todo) Type() Type             { return TypeTodo }
func (RateLimit) Type() Type        { return TypeRateLimit }
func (Approval) Type() Type         { return TypeApproval }
func (ApprovalAnswered) Type() Type { return TypeApprovalAnswered }
func (Question) Type() Type         { return TypeQuestion }
func (QuestionAnswered) Type() Type { return TypeQuestionAnswered }
func (System) Type() Type           { return TypeSystem }
func (Error) Type() Type            { return TypeError }
func (Complete) Type() Type         { return TypeComplete }
func (Epoch) Type() Type            { return TypeEpoch }

func (User) isEvent()             {}
func (RunStarted) isEvent()       {}
func (Session) isEvent()          {}
func (AssistantText) isEvent()    {}
func (Thinking) isEvent()         {}
func (ToolUseStart) isEvent()     {}
func (ToolOutput) isEvent()       {}
func (ToolUseEnd) isEvent()       {}
func (Todo) isEvent()             {}
func (RateLimit) isEvent()        {}
func (Approval) isEvent()         {}
func (ApprovalAnswered) isEvent() {}
func (Question) isEvent()         {}
func (QuestionAnswered) isEvent() {}
func (System) isEvent()           {}
func (Error) isEvent()            {}
func (Complete) isEvent()         {}
func (Epoch) isEvent()            {}
