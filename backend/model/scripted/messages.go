package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// messages is the door of the Messages API.
type messages struct{}

// messageRequest is what of a request matters here.
type messageRequest struct {
	Model    string          `json:"model"`
	Stream   bool            `json:"stream"`
	System   json.RawMessage `json:"system"`
	Tools    json.RawMessage `json:"tools"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
}

// contentPart is one block of a message.
type contentPart struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Content json.RawMessage `json:"content"` // of a tool_result
}

func (messages) read(body []byte) (Conversation, error) {
	var req messageRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return Conversation{}, fmt.Errorf("the request is not JSON of the Messages API: %w", err)
	}
	if req.Model == "" {
		return Conversation{}, errors.New("model: Field required")
	}
	if len(req.Messages) == 0 {
		return Conversation{}, errors.New("messages: at least one message is required")
	}
	conv := Conversation{Model: req.Model, Stream: req.Stream}
	for _, part := range parts(req.System) {
		conv.Cwd = firstOf(conv.Cwd, findCwd(part.Text))
	}
	var rest strings.Builder
	for i, m := range req.Messages {
		rest.Write(m.Content)
		ps := parts(m.Content)
		if ps == nil {
			return Conversation{}, fmt.Errorf("messages.%d.content: neither text nor blocks", i)
		}
		for _, part := range ps {
			conv.Cwd = firstOf(conv.Cwd, findCwd(part.Text))
			if it, ok := item(m.Role, part); ok {
				conv.Items = append(conv.Items, it)
			}
		}
	}
	conv.Cwd = firstOf(conv.Cwd, "/")
	var tools []struct {
		Name string `json:"name"`
	}
	if len(req.Tools) > 0 {
		if err := json.Unmarshal(req.Tools, &tools); err != nil {
			return Conversation{}, fmt.Errorf("tools: %w", err)
		}
	}
	for _, t := range tools {
		conv.Tools = append(conv.Tools, t.Name)
	}
	conv.Count = newCount(string(req.System)+string(req.Tools), rest.String())
	return conv, nil
}

// parts reads content, which is text or blocks. It returns nil for neither.
func parts(content json.RawMessage) []contentPart {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []contentPart{{Type: "text", Text: text}}
	}
	ps := []contentPart{}
	if json.Unmarshal(content, &ps) != nil {
		return nil
	}
	return ps
}

// item tells who says a part. What the harness itself says is left out.
func item(role string, part contentPart) (Item, bool) {
	switch {
	case role == "assistant":
		return Item{Who: Model, Text: part.Text}, true
	case role != "user":
		return Item{}, false
	case part.Type == "tool_result":
		var text []string
		for _, p := range parts(part.Content) {
			text = append(text, p.Text)
		}
		return Item{Who: Result, Text: strings.Join(text, "\n")}, true
	case part.Type == "text":
		return Item{Who: Person, Text: part.Text}, true
	default:
		return Item{}, false
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (messages) tools(c Conversation) Tools {
	return claudeTools{cwd: c.Cwd, offered: c.Tools}
}

func (messages) counts(u Usage) Usage { return u }

func (messages) failure(f Refuse, requestID string) any {
	return map[string]any{
		"type":       "error",
		"error":      map[string]any{"type": f.Kind, "message": f.Message},
		"request_id": requestID,
	}
}

func (messages) models() any {
	return map[string]any{
		"data": []any{map[string]any{
			"type": "model", "id": "scripted-model", "display_name": "Scripted model", "created_at": "2026-01-01T00:00:00Z",
		}},
		"has_more": false, "first_id": "scripted-model", "last_id": "scripted-model",
	}
}

func (messages) counted(n int64) any { return map[string]any{"input_tokens": n} }
