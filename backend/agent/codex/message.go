package codex

import (
	"encoding/json"
	"strings"
	"time"
)

// The shapes of what the app server sends, as far as they are used. Fields that
// are missing or of another kind stay empty: the server changes every few days.

// params holds the members that notifications and requests share.
type params struct {
	ThreadID string `json:"threadId"`
	TurnID   string `json:"turnId"`
	ItemID   string `json:"itemId"`
	Delta    string `json:"delta"`
	Item     *item  `json:"item"`
	Turn     *turn  `json:"turn"`

	Error     *turnError      `json:"error"`
	WillRetry bool            `json:"willRetry"`
	Status    json.RawMessage `json:"status"` // of another shape in each method
	Name      string          `json:"name"`
	RequestID json.RawMessage `json:"requestId"`

	SummaryIndex int        `json:"summaryIndex"`
	Usage        *usage     `json:"tokenUsage"`
	RateLimits   *limits    `json:"rateLimits"`
	Plan         []planStep `json:"plan"`

	Message string `json:"message"` // of a warning or an elicitation
	Summary string `json:"summary"` // of a configWarning

	// Of requests.
	Command    string          `json:"command"`
	Cwd        string          `json:"cwd"`
	Reason     string          `json:"reason"`
	Questions  []question      `json:"questions"`
	Changes    []change        `json:"changes"`
	GrantRoot  string          `json:"grantRoot"`
	ServerName string          `json:"serverName"`
	Meta       elicitationMeta `json:"_meta"`

	Permissions json.RawMessage `json:"permissions"`
}

// status returns the status, where it is one word.
func (p *params) status() string {
	var s string
	if json.Unmarshal(p.Status, &s) != nil {
		return ""
	}
	return s
}

// item is a piece of a turn: a message, a command, a change of files.
type item struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Status string `json:"status"`
	Text   string `json:"text"`

	Summary []string `json:"summary"` // of reasoning

	Command  string  `json:"command"`
	Cwd      string  `json:"cwd"`
	Output   *string `json:"aggregatedOutput"`
	ExitCode *int    `json:"exitCode"`

	Changes []change `json:"changes"`

	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Result    *mcpResult      `json:"result"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error"`

	AgentThreadID string `json:"agentThreadId"`
	AgentPath     string `json:"agentPath"`
	Kind          string `json:"kind"`
	Model         string `json:"model"`

	raw json.RawMessage
}

// UnmarshalJSON keeps the bytes too, for items of a type that is not known. A
// member of an unexpected kind leaves the rest as it is.
func (it *item) UnmarshalJSON(b []byte) error {
	type plain item
	err := json.Unmarshal(b, (*plain)(it))
	if err != nil {
		var head struct {
			Type string `json:"type"`
			ID   string `json:"id"`
		}
		if err := json.Unmarshal(b, &head); err != nil {
			return err
		}
		it.Type, it.ID = head.Type, head.ID
	}
	it.raw = append(json.RawMessage(nil), b...)
	return nil
}

type change struct {
	Path string `json:"path"`
	Kind struct {
		Type     string `json:"type"`
		MovePath string `json:"move_path,omitempty"`
	} `json:"kind"`
	Diff string `json:"diff"`
}

type mcpResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
}

// text joins the text parts of a result.
func (r *mcpResult) text() string {
	if r == nil {
		return ""
	}
	var parts []string
	for _, c := range r.Content {
		if c.Type == "text" {
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, "\n")
}

type turn struct {
	ID     string     `json:"id"`
	Status string     `json:"status"`
	Error  *turnError `json:"error"`
}

// How a turn can end.
const (
	turnCompleted   = "completed"
	turnInterrupted = "interrupted"
	turnFailed      = "failed"
)

// turnError is why a turn failed or is tried again. Info is a string or an
// object with one key.
type turnError struct {
	Message string          `json:"message"`
	Info    json.RawMessage `json:"codexErrorInfo"`
	Details string          `json:"additionalDetails"`
}

// UnmarshalJSON takes an error that is only words, too.
func (e *turnError) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &e.Message) == nil {
		return nil
	}
	type plain turnError
	return json.Unmarshal(b, (*plain)(e))
}

// words returns the message; where it is a provider's answer in JSON, what that
// says.
func (e *turnError) words() string {
	var answer struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(e.Message), &answer) == nil && answer.Error.Message != "" {
		return answer.Error.Message
	}
	return e.Message
}

// kind returns the name of the error and the status of HTTP in it, if any.
func (e *turnError) kind() (name string, status int) {
	if json.Unmarshal(e.Info, &name) == nil {
		return name, 0
	}
	var object map[string]struct {
		Status int `json:"httpStatusCode"`
	}
	if json.Unmarshal(e.Info, &object) != nil {
		return "", 0
	}
	for name, v := range object {
		return name, v.Status
	}
	return "", 0
}

type usage struct {
	Total  tokens `json:"total"`
	Last   tokens `json:"last"`
	Window int64  `json:"modelContextWindow"`
}

type tokens struct {
	Total      int64 `json:"totalTokens"`
	Input      int64 `json:"inputTokens"`
	Cached     int64 `json:"cachedInputTokens"`
	CacheWrite int64 `json:"cacheWriteInputTokens"`
	Output     int64 `json:"outputTokens"`
	Reasoning  int64 `json:"reasoningOutputTokens"`
}

func (t tokens) plus(o tokens) tokens {
	return tokens{
		Total: t.Total + o.Total, Input: t.Input + o.Input, Cached: t.Cached + o.Cached,
		CacheWrite: t.CacheWrite + o.CacheWrite, Output: t.Output + o.Output, Reasoning: t.Reasoning + o.Reasoning,
	}
}

func (t tokens) minus(o tokens) tokens {
	return tokens{
		Total: t.Total - o.Total, Input: t.Input - o.Input, Cached: t.Cached - o.Cached,
		CacheWrite: t.CacheWrite - o.CacheWrite, Output: t.Output - o.Output, Reasoning: t.Reasoning - o.Reasoning,
	}
}

type limits struct {
	Primary   *window `json:"primary"`
	Secondary *window `json:"secondary"`
}

type window struct {
	UsedPercent float64 `json:"usedPercent"`
	Minutes     int64   `json:"windowDurationMins"`
	ResetsAt    int64   `json:"resetsAt"` // seconds since 1970
}

// name is what the limit is called: after its length where that is known.
func (w *window) name() string {
	switch w.Minutes {
	case 300:
		return "five_hour"
	case 7 * 24 * 60:
		return "seven_day"
	default:
		return (time.Duration(w.Minutes) * time.Minute).String()
	}
}

type planStep struct {
	Step   string `json:"step"`
	Status string `json:"status"`
}

type question struct {
	ID       string `json:"id"`
	Header   string `json:"header"`
	Question string `json:"question"`
	Secret   bool   `json:"isSecret"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
}

type elicitationMeta struct {
	Kind string `json:"codex_approval_kind"`
	Tool string `json:"tool_name"`
}

// opened is the result of starting or resuming a thread.
type opened struct {
	Thread struct {
		ID string `json:"id"`
	} `json:"thread"`
	Model  string `json:"model"`
	Effort string `json:"reasoningEffort"`
}
