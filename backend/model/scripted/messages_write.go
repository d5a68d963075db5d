package scripted

import "encoding/json"

// signature stands for the vendor's proof that reasoning is its own.
const signature = "c2NyaXB0ZWQ="

// stopReasons spells why the model stopped.
var stopReasons = map[Stop]string{
	StopEnd: "end_turn", StopTool: "tool_use", StopLength: "max_tokens", StopRefusal: "refusal",
}

// messageUsage is the usage of the Messages API.
type messageUsage struct {
	Input      int64 `json:"input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	Output     int64 `json:"output_tokens"`
}

func usageOf(u Usage) messageUsage {
	return messageUsage{Input: u.Input, CacheWrite: u.CacheWrite, CacheRead: u.CacheRead, Output: u.Output}
}

// messageBody is the envelope of an answer, whole or at its start.
type messageBody struct {
	ID           string       `json:"id"`
	Type         string       `json:"type"`
	Role         string       `json:"role"`
	Model        string       `json:"model"`
	Content      []any        `json:"content"`
	StopReason   *string      `json:"stop_reason"`
	StopSequence *string      `json:"stop_sequence"`
	Usage        messageUsage `json:"usage"`
}

func bodyOf(m message) messageBody {
	return messageBody{ID: m.ID, Type: "message", Role: "assistant", Model: m.Model, Content: []any{}, Usage: usageOf(m.Usage)}
}

func (messages) whole(m message) any {
	body := bodyOf(m)
	for i, b := range m.Step.Blocks {
		switch b := b.(type) {
		case Text:
			body.Content = append(body.Content, map[string]any{"type": "text", "text": string(b)})
		case Thinking:
			body.Content = append(body.Content, map[string]any{"type": "thinking", "thinking": string(b), "signature": signature})
		case Call:
			body.Content = append(body.Content, map[string]any{"type": "tool_use", "id": m.CallIDs[i], "name": b.Name, "input": b.Input})
		}
	}
	reason := stopReasons[m.Step.stop()]
	body.StopReason = &reason
	return body
}

func (messages) stream(out *sse, m message) encoder { return &messageStream{out: out, m: m} }

// messageStream writes an answer as the Messages API streams it.
type messageStream struct {
	out *sse
	m   message
}

func (s *messageStream) open() {
	body := bodyOf(s.m)
	body.Usage.Output = 1 // as the vendor opens: the true number comes at the end
	s.out.event("message_start", map[string]any{"type": "message_start", "message": body})
	s.out.event("ping", map[string]any{"type": "ping"})
}

func (s *messageStream) start(i int, b Block) {
	var block map[string]any
	switch b := b.(type) {
	case Text:
		block = map[string]any{"type": "text", "text": ""}
	case Thinking:
		block = map[string]any{"type": "thinking", "thinking": "", "signature": ""}
	case Call:
		block = map[string]any{"type": "tool_use", "id": s.m.CallIDs[i], "name": b.Name, "input": map[string]any{}}
	}
	s.out.event("content_block_start", map[string]any{"type": "content_block_start", "index": i, "content_block": block})
}

func (s *messageStream) delta(i int, b Block, piece json.RawMessage) {
	switch b.(type) {
	case Text:
		s.blockDelta(i, map[string]any{"type": "text_delta", "text": piece})
	case Thinking:
		s.blockDelta(i, map[string]any{"type": "thinking_delta", "thinking": piece})
	case Call:
		s.blockDelta(i, map[string]any{"type": "input_json_delta", "partial_json": piece})
	}
}

func (s *messageStream) blockDelta(i int, delta map[string]any) {
	s.out.event("content_block_delta", map[string]any{"type": "content_block_delta", "index": i, "delta": delta})
}

func (s *messageStream) stop(i int, b Block) {
	if _, ok := b.(Thinking); ok {
		s.blockDelta(i, map[string]any{"type": "signature_delta", "signature": signature})
	}
	s.out.event("content_block_stop", map[string]any{"type": "content_block_stop", "index": i})
}

func (s *messageStream) broken(f Break) {
	s.out.event("error", map[string]any{"type": "error", "error": map[string]any{"type": f.Kind, "message": f.Message}})
}

func (s *messageStream) close() {
	s.out.event("message_delta", map[string]any{
		"type":  "message_delta",
		"delta": map[string]any{"stop_reason": stopReasons[s.m.Step.stop()], "stop_sequence": nil},
		"usage": usageOf(s.m.Usage),
	})
	s.out.event("message_stop", map[string]any{"type": "message_stop"})
}
