package claude

import (
	"encoding/json"

	"github.com/tidwall/gjson"
)

// The lines that the CLI prints. Each type holds the fields that are used. A
// field of a line that has another shape than here makes the line unreadable:
// it is then counted and passed over, so what may vary is a RawMessage. Those
// without names of JSON are read by read.go.

type initLine struct {
	SessionID  string `json:"session_id"`
	Model      string `json:"model"`
	MCPServers []struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"mcp_servers"`
}

type streamLine struct {
	Parent    string
	Event     streamEvent
	Abandoned *abandoned
}

type abandoned struct{ FromBlock int }

type streamEvent struct {
	Type    string
	Index   int
	Message message
	Block   struct{ Type, ID, Name string }
	Delta   struct{ Type, Text, Thinking, PartialJSON string }
	Usage   tokenUsage // of the message so far
}

// tokenUsage is what one request to the model used.
type tokenUsage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	Details    *struct {
		Thinking int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// context is the size of the request.
func (u tokenUsage) context() int64 { return u.Input + u.CacheRead + u.CacheWrite }

type assistantLine struct {
	SessionID, Parent, UUID string
	// Error and APIError mark a line that the CLI wrote itself about a failure.
	Error     string
	APIError  bool
	ErrorType string
	Message   message
}

type message struct {
	ID, Model string
	Usage     tokenUsage
	Content   []block
}

// synthetic is the model of the lines that the CLI writes itself.
const synthetic = "<synthetic>"

type userResultLine struct {
	Parent  string
	Message message
	Detail  string // of the tool's result, JSON, where it is more than text
}

// block is one part of a message, of any kind. Its texts are parts of the line.
type block struct {
	Type, Text, Thinking string
	ID, Name             string
	Input                json.RawMessage

	ToolUseID string
	Content   gjson.Result
	IsError   bool
}

type resultLine struct {
	Subtype        string       `json:"subtype"`
	IsError        bool         `json:"is_error"`
	TerminalReason string       `json:"terminal_reason"`
	APIErrorStatus int          `json:"api_error_status"`
	APIErrorType   string       `json:"api_error_type"`
	APIError       string       `json:"api_error"`
	Result         string       `json:"result"`
	Errors         []string     `json:"errors"`
	StopReason     string       `json:"stop_reason"`
	QueuedTurns    int          `json:"queued_turn_count"`
	Usage          tokenUsage   `json:"usage"`
	TotalCost      float64      `json:"total_cost_usd"`
	ModelUsage     modelUsages  `json:"modelUsage"`
	SinceLast      *modelUsages `json:"model_usage_since_last_result"`
}

// modelUsages is what each model used.
type modelUsages map[string]modelUsage

type modelUsage struct {
	Input         int64   `json:"inputTokens"`
	Output        int64   `json:"outputTokens"`
	CacheRead     int64   `json:"cacheReadInputTokens"`
	CacheWrite    int64   `json:"cacheCreationInputTokens"`
	Thinking      int64   `json:"thinkingTokens"`
	Cost          float64 `json:"costUSD"`
	CostBasis     string  `json:"costBasis"`
	ContextWindow int64   `json:"contextWindow"`
}

type controlRequestLine struct {
	RequestID string `json:"request_id"`
	Request   struct {
		Subtype     string          `json:"subtype"`
		ToolName    string          `json:"tool_name"`
		ToolUseID   string          `json:"tool_use_id"`
		Input       json.RawMessage `json:"input"`
		Description string          `json:"description"`
		BlockedPath string          `json:"blocked_path"`
	} `json:"request"`
}

type controlCancelLine struct {
	RequestID string `json:"request_id"`
}

type rateLimitLine struct {
	Info struct {
		Status      string   `json:"status"`
		ResetsAt    int64    `json:"resetsAt"`
		Type        string   `json:"rateLimitType"`
		Utilization *float64 `json:"utilization"`
	} `json:"rate_limit_info"`
}

type retryLine struct {
	Attempt     int     `json:"attempt"`
	MaxRetries  int     `json:"max_retries"`
	DelayMS     float64 `json:"retry_delay_ms"`
	ErrorStatus *int    `json:"error_status"`
}

// taskLine is any of the lines about work beside the turn.
type taskLine struct {
	TaskID       string `json:"task_id"`
	ToolUseID    string `json:"tool_use_id"`
	TaskType     string `json:"task_type"`
	Description  string `json:"description"`
	Backgrounded bool   `json:"is_backgrounded"`
	Status       string `json:"status"`
	Tasks        []struct {
		TaskID   string `json:"task_id"`
		TaskType string `json:"task_type"`
	} `json:"tasks"`
}

type noticeLine struct {
	Content json.RawMessage `json:"content"`
	Message json.RawMessage `json:"message"`
	Level   string          `json:"level"`
	Status  json.RawMessage `json:"status"`
}
