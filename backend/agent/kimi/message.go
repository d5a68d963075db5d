package kimi

import (
	"encoding/json"
	"strings"
)

// The shapes of what the CLI sends, as far as they are used.

// initialized is what the CLI says of itself.
type initialized struct {
	Agent struct {
		Prompt struct {
			Image bool `json:"image"`
		} `json:"promptCapabilities"`
	} `json:"agentCapabilities"`
}

// session is the answer to what opens a session.
type session struct {
	ID      string   `json:"sessionId"`
	Options []option `json:"configOptions"`
}

// option is a setting of a session.
type option struct {
	ID      string   `json:"id"`
	Current string   `json:"currentValue"`
	Choices []choice `json:"options"`
}

type choice struct {
	Value string `json:"value"`
	Name  string `json:"name"`
}

func (s *session) option(id string) *option {
	for i := range s.Options {
		if s.Options[i].ID == id {
			return &s.Options[i]
		}
	}
	return nil
}

// has reports whether value is among the choices.
func (o *option) has(value string) bool {
	if o == nil {
		return false
	}
	for _, c := range o.Choices {
		if c.Value == value {
			return true
		}
	}
	return false
}

// name is what the current value is called.
func (o *option) name() string {
	if o == nil {
		return ""
	}
	for _, c := range o.Choices {
		if c.Value == o.Current && c.Name != "" {
			return c.Name
		}
	}
	return o.Current
}

// params holds the members that the CLI's notifications and requests share.
type params struct {
	SessionID string   `json:"sessionId"`
	Update    update   `json:"update"`
	ToolCall  update   `json:"toolCall"` // of a request for leave
	Options   []answer `json:"options"`  // of a request for leave
	// ToolCallID is the call that a form belongs to.
	ToolCallID string `json:"toolCallId"`
}

// update is news of a session.
type update struct {
	Kind       string          `json:"sessionUpdate"`
	ToolCallID string          `json:"toolCallId"`
	Title      string          `json:"title"`
	ToolKind   string          `json:"kind"`
	Status     string          `json:"status"`
	Input      json.RawMessage `json:"rawInput"`
	Output     json.RawMessage `json:"rawOutput"`
	Content    json.RawMessage `json:"content"` // one part, or several
	Entries    []entry         `json:"entries"`
	Used       int64           `json:"used"`
	Size       int64           `json:"size"`
}

type entry struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

// part is a piece of content: text, text wrapped once more, or a change of a
// file.
type part struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Content *part  `json:"content"`
	Path    string `json:"path"`
	Old     string `json:"oldText"`
	New     string `json:"newText"`
}

// parts reads the content, which may be one part or a list.
func (u *update) parts() []part {
	var list []part
	if json.Unmarshal(u.Content, &list) == nil {
		return list
	}
	var one part
	if json.Unmarshal(u.Content, &one) == nil {
		return []part{one}
	}
	return nil
}

// text joins the texts of the content.
func (u *update) text() string {
	var b strings.Builder
	for _, p := range u.parts() {
		if p.Content != nil {
			b.WriteString(p.Content.Text)
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// answer is an option of a request for leave.
type answer struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// promptEnd is the answer to a prompt.
type promptEnd struct {
	Reason string `json:"stopReason"`
}

// The reasons for which a turn ends.
const (
	endTurn        = "end_turn"
	endCancelled   = "cancelled"
	endMaxTokens   = "max_tokens"
	endMaxRequests = "max_turn_requests"
	endRefusal     = "refusal"
)
