package claude

import (
	"encoding/json"
	"strings"
)

// The lines that the CLI prints. Each type holds the fields that are used. A
// field of a line that has another shape than here makes the line unreadable:
// it is then counted and passed over, so what may vary is a RawMessage.

type initLine struct {
	SessionID  string `json:"session_id"`
	Model      string `json:"model"`
	MCPServers []struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"mcp_servers"`
}

type streamLine struct {
	SessionID string      `json:"session_id"`
	Parent    string      `json:"parent_tool_use_id"`
	Event     streamEvent `json:"event"`
	Abandoned *struct {
		FromBlock int `json:"from_block_index"`
	} `json:"abandoned_blocks"`
}

type streamEvent struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		ID    string     `json:"id"`
		Model string     `json:"model"`
		Usage tokenUsage `json:"usage"`
	} `json:"message"`
	Block struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"content_block"`
	Delta struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		PartialJSON string `json:"partial_json"`
	} `json:"delta"`
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
	SessionID string `json:"session_id"`
	Parent    string `json:"parent_tool_use_id"`
	UUID      string `json:"uuid"`
	// Error and APIError mark a line that the CLI wrote itself about a failure.
	Error     string `json:"error"`
	APIError  bool   `json:"is_api_error_message"`
	ErrorType string `json:"api_error_type"`
	Message   struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Usage   tokenUsage      `json:"usage"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// synthetic is the model of the lines that the CLI writes itself.
const synthetic = "<synthetic>"

type userResultLine struct {
	Parent  string `json:"parent_tool_use_id"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	ToolUseResult json.RawMessage `json:"tool_use_result"`
}

// block is one part of a message, of any kind.
type block struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`

	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// blocks reads a message's content: a list, or a string, which is one text.
func blocks(raw json.RawMessage) ([]block, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] == '"' {
		var s string
		err := json.Unmarshal(raw, &s)
		return []block{{Type: "text", Text: s}}, err
	}
	var list []block
	err := json.Unmarshal(raw, &list)
	return list, err
}

// joinText returns the text of a tool's result: its texts, and a mark for each
// part that is none.
func joinText(raw json.RawMessage) (string, error) {
	list, err := blocks(raw)
	if err != nil {
		return "", err
	}
	parts := make([]string, 0, len(list))
	for _, b := range list {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		} else {
			parts = append(parts, "["+b.Type+"]")
		}
	}
	return strings.Join(parts, "\n"), nil
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
