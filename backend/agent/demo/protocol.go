package demo

import (
	"encoding/json"

	"signalbox/backend/wire"
)

// The types of an [order].
const (
	orderStart     = "start"
	orderAnswer    = "answer"
	orderInterrupt = "interrupt"
)

// order is a line from the daemon to the agent. Type says which fields count.
type order struct {
	Type    string `json:"type"`
	Text    string `json:"text,omitempty"`
	Session string `json:"session,omitempty"`
	ID      string `json:"id,omitempty"`
	Allow   bool   `json:"allow,omitempty"`
	Reason  string `json:"reason,omitempty"`

	Answers map[string][]string `json:"answers,omitempty"`
}

// The types of a [report].
const (
	reportSession    = "session"
	reportText       = "text"
	reportThinking   = "thinking"
	reportToolStart  = "tool_start"
	reportToolOutput = "tool_output"
	reportToolEnd    = "tool_end"
	reportTodo       = "todo"
	reportAsk        = "ask"
	reportError      = "error"
	reportEnd        = "end"
)

// report is a line from the agent to the daemon. Type says which fields count.
type report struct {
	Type string `json:"type"`

	Session string `json:"session,omitempty"`
	Resumed bool   `json:"resumed,omitempty"`

	Item  string `json:"item,omitempty"`
	Delta string `json:"delta,omitempty"`

	Tool     string          `json:"tool,omitempty"`
	Name     string          `json:"name,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	OK       bool            `json:"ok,omitempty"`
	Output   string          `json:"output,omitempty"`
	Detail   json.RawMessage `json:"detail,omitempty"`
	ExitCode *int            `json:"exitCode,omitempty"`
	MS       int64           `json:"ms,omitempty"`

	Items []wire.TodoItem `json:"items,omitempty"`

	ID       string            `json:"id,omitempty"`
	Kind     wire.ApprovalKind `json:"kind,omitempty"`
	Title    string            `json:"title,omitempty"`
	About    string            `json:"about,omitempty"`
	Cwd      string            `json:"cwd,omitempty"`
	Paths    []string          `json:"paths,omitempty"`
	ReadOnly bool              `json:"readOnly,omitempty"`

	Questions []wire.QuestionItem `json:"questions,omitempty"`

	Code      string `json:"code,omitempty"`
	Message   string `json:"message,omitempty"`
	Hint      string `json:"hint,omitempty"`
	Retryable bool   `json:"retryable,omitempty"`

	Status wire.Status `json:"status,omitempty"`
	Usage  *counted    `json:"usage,omitempty"`
}

// counted is how many characters the agent read and wrote.
type counted struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
}
