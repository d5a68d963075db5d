package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// completions is the door of the chat completions API.
type completions struct{ openAI }

type completionRequest struct {
	Model    string          `json:"model"`
	Stream   bool            `json:"stream"`
	Tools    json.RawMessage `json:"tools"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"` // may be null beside tool calls
	} `json:"messages"`
}

// planFile is where an agent wants its plan to be written.
var planFile = regexp.MustCompile("(?i)plan file[^\n]{0,80}?(/[^\\s\"'`<>\\\\]+\\.md)")

func (completions) read(body []byte) (Conversation, error) {
	var req completionRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return Conversation{}, fmt.Errorf("the request is not JSON of the chat completions API: %w", err)
	}
	if req.Model == "" {
		return Conversation{}, errors.New("you must provide a model parameter")
	}
	if len(req.Messages) == 0 {
		return Conversation{}, errors.New("messages: at least one message is required")
	}
	conv := Conversation{Model: req.Model, Stream: req.Stream}
	var rest strings.Builder
	prefix := string(req.Tools)
	for _, m := range req.Messages {
		text := texts(m.Content)
		conv.Cwd = firstOf(conv.Cwd, findCwd(text))
		if p := planFile.FindStringSubmatch(text); p != nil {
			conv.PlanFile = p[1]
		}
		switch m.Role {
		case "assistant":
			conv.Items = append(conv.Items, Item{Who: Model, Text: text})
		case "tool":
			conv.Items = append(conv.Items, Item{Who: Result, Text: text})
		case "user":
			conv.Items = append(conv.Items, Item{Who: Person, Text: text})
		default: // the harness's own
			prefix += text
			continue
		}
		rest.Write(m.Content)
	}
	conv.Cwd = firstOf(conv.Cwd, "/")
	var tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if len(req.Tools) > 0 {
		if err := json.Unmarshal(req.Tools, &tools); err != nil {
			return Conversation{}, fmt.Errorf("tools: %w", err)
		}
	}
	for _, t := range tools {
		conv.Tools = append(conv.Tools, t.Function.Name)
	}
	conv.Count = newCount(prefix, rest.String())
	return conv, nil
}

func (completions) tools(c Conversation) Tools { return kimiTools{plan: c.PlanFile} }
