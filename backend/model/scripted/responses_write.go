package scripted

import (
	"encoding/json"
	"strconv"
)

// responseUsage spells the usage; the input has the cached part in it.
func responseUsage(m message) map[string]any {
	input := m.Usage.Input + m.Usage.CacheRead
	return map[string]any{
		"input_tokens": input, "input_tokens_details": map[string]any{"cached_tokens": m.Usage.CacheRead},
		"output_tokens": m.Usage.Output, "output_tokens_details": map[string]any{"reasoning_tokens": thinkingTokens(m.Step.Blocks)},
		"total_tokens": input + m.Usage.Output,
	}
}

// responseBody is the envelope of an answer.
func responseBody(m message, status string, output []any) map[string]any {
	return map[string]any{"id": m.ID, "object": "response", "status": status, "model": m.Model, "output": output}
}

// finished is the envelope of a whole answer, and the name of its event.
func finished(m message, output []any) (event string, body map[string]any) {
	event, status, reason := "response.completed", "completed", ""
	switch m.Step.stop() {
	case StopLength:
		event, status, reason = "response.incomplete", "incomplete", "max_output_tokens"
	case StopRefusal:
		event, status, reason = "response.incomplete", "incomplete", "content_filter"
	}
	body = responseBody(m, status, output)
	body["usage"] = responseUsage(m)
	if reason != "" {
		body["incomplete_details"] = map[string]any{"reason": reason}
	}
	return event, body
}

// responseOutput is a block as an item of the output; text is what it says so
// far, a JSON string.
func responseOutput(m message, i int, b Block, done bool) map[string]any {
	id := m.ID + "-" + strconv.Itoa(i)
	status := "in_progress"
	if done {
		status = "completed"
	}
	switch b := b.(type) {
	case Text:
		content := []any{}
		if done {
			content = append(content, map[string]any{"type": "output_text", "text": string(b), "annotations": []any{}})
		}
		return map[string]any{"type": "message", "role": "assistant", "id": id, "status": status, "content": content}
	case Thinking:
		summary := []any{}
		if done {
			summary = append(summary, map[string]any{"type": "summary_text", "text": string(b)})
		}
		item := map[string]any{"type": "reasoning", "id": id, "summary": summary}
		if done {
			item["encrypted_content"] = signature
		}
		return item
	case Call:
		item := map[string]any{"type": "function_call", "id": id, "call_id": m.CallIDs[i], "name": b.Name, "status": status, "arguments": string(b.Input)}
		if b.Namespace != "" {
			item["namespace"] = b.Namespace
		}
		if b.Custom {
			item["type"], item["input"] = "custom_tool_call", b.Input
			delete(item, "arguments")
			delete(item, "namespace")
		}
		return item
	default:
		return nil
	}
}

func (responses) whole(m message) any {
	output := []any{}
	for i, b := range m.Step.Blocks {
		output = append(output, responseOutput(m, i, b, true))
	}
	_, body := finished(m, output)
	return body
}

func (responses) stream(out *sse, m message) encoder { return &responseStream{out: out, m: m} }

// responseStream writes an answer as the Responses API streams it.
type responseStream struct {
	out *sse
	m   message
}

func (s *responseStream) event(name string, fields map[string]any) {
	fields["type"] = name
	s.out.event(name, fields)
}

func (s *responseStream) open() {
	s.event("response.created", map[string]any{"response": responseBody(s.m, "in_progress", []any{})})
}

func (s *responseStream) start(i int, b Block) {
	item := responseOutput(s.m, i, b, false)
	s.event("response.output_item.added", map[string]any{"output_index": i, "item": item})
	if _, ok := b.(Thinking); ok {
		s.event("response.reasoning_summary_part.added", map[string]any{
			"item_id": item["id"], "output_index": i, "summary_index": 0, "part": map[string]any{"type": "summary_text", "text": ""},
		})
	}
}

func (s *responseStream) delta(i int, b Block, piece json.RawMessage) {
	id := s.m.ID + "-" + strconv.Itoa(i)
	switch b.(type) {
	case Text:
		s.event("response.output_text.delta", map[string]any{"item_id": id, "output_index": i, "content_index": 0, "delta": piece})
	case Thinking:
		s.event("response.reasoning_summary_text.delta", map[string]any{"item_id": id, "output_index": i, "summary_index": 0, "delta": piece})
	}
}

func (s *responseStream) stop(i int, b Block) {
	item := responseOutput(s.m, i, b, true)
	if t, ok := b.(Thinking); ok {
		s.event("response.reasoning_summary_text.done", map[string]any{
			"item_id": item["id"], "output_index": i, "summary_index": 0, "text": string(t),
		})
	}
	s.event("response.output_item.done", map[string]any{"output_index": i, "item": item})
}

func (s *responseStream) broken(f Break) {
	body := responseBody(s.m, "failed", []any{})
	body["error"] = map[string]any{"code": f.Kind, "message": f.Message}
	s.event("response.failed", map[string]any{"response": body})
}

func (s *responseStream) close() {
	name, body := finished(s.m, []any{})
	s.event(name, map[string]any{"response": body})
}
