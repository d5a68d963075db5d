package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// responses is the door of the Responses API.
type responses struct{ openAI }

type responsesRequest struct {
	Model        string          `json:"model"`
	Stream       bool            `json:"stream"`
	Instructions string          `json:"instructions"`
	Input        json.RawMessage `json:"input"`
	Tools        json.RawMessage `json:"tools"`
}

// responseItem is one item of the input.
type responseItem struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Output  json.RawMessage `json:"output"` // of a tool: text, parts or an object with content
	Tools   json.RawMessage `json:"tools"`  // of additional_tools
}

func (responses) read(body []byte) (Conversation, error) {
	var req responsesRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return Conversation{}, fmt.Errorf("the request is not JSON of the Responses API: %w", err)
	}
	if req.Model == "" {
		return Conversation{}, errors.New("missing required parameter: model")
	}
	items, err := responseItems(req.Input)
	if err != nil {
		return Conversation{}, err
	}
	conv := Conversation{Model: req.Model, Stream: req.Stream, Cwd: findCwd(req.Instructions)}
	if conv.Tools, err = responseTools(req.Tools); err != nil {
		return Conversation{}, err
	}
	prefix := req.Instructions + string(req.Tools)
	for _, it := range items {
		switch {
		case it.Type == "additional_tools":
			// The newer models get their tools as an item.
			more, err := responseTools(it.Tools)
			if err != nil {
				return Conversation{}, err
			}
			conv.Tools = append(conv.Tools, more...)
			prefix += string(it.Tools)
		case strings.HasSuffix(it.Type, "_output"):
			conv.Items = append(conv.Items, Item{Who: Result, Text: outputText(it.Output)})
		case it.Role == "user":
			text := texts(it.Content)
			conv.Cwd = firstOf(conv.Cwd, findCwd(text))
			conv.Items = append(conv.Items, Item{Who: Person, Text: text})
		case it.Role == "assistant" || strings.HasSuffix(it.Type, "call") || it.Type == "reasoning":
			conv.Items = append(conv.Items, Item{Who: Model, Text: texts(it.Content)})
		default: // the harness's own
			conv.Cwd = firstOf(conv.Cwd, findCwd(texts(it.Content)))
		}
	}
	conv.Cwd = firstOf(conv.Cwd, "/")
	conv.Count = newCount(prefix, string(req.Input))
	return conv, nil
}

// responseItems reads the input, which is text or items.
func responseItems(input json.RawMessage) ([]responseItem, error) {
	var text string
	if json.Unmarshal(input, &text) == nil {
		return []responseItem{{Role: "user", Content: input}}, nil
	}
	var items []responseItem
	if err := json.Unmarshal(input, &items); err != nil {
		return nil, fmt.Errorf("input: neither text nor items: %w", err)
	}
	if len(items) == 0 {
		return nil, errors.New("input: at least one item is required")
	}
	return items, nil
}

// outputText is the text of a tool's output.
func outputText(output json.RawMessage) string {
	var object struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(output, &object) == nil && len(object.Content) > 0 {
		output = object.Content
	}
	return texts(output)
}

// responseTools reads the names of tools; one of a namespace is "space/name".
func responseTools(raw json.RawMessage) ([]string, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var tools []struct {
		Type  string `json:"type"`
		Name  string `json:"name"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &tools); err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	var names []string
	for _, t := range tools {
		if t.Type != "namespace" {
			names = append(names, firstOf(t.Name, t.Type))
			continue
		}
		for _, inner := range t.Tools {
			names = append(names, t.Name+"/"+inner.Name)
		}
	}
	return names, nil
}

func (responses) tools(c Conversation) Tools { return newCodexTools(c.Tools) }
