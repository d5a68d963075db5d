package scripted

import (
	"encoding/json"
	"strings"
)

// finishReasons spells why the model stopped.
var finishReasons = map[Stop]string{
	StopEnd: "stop", StopTool: "tool_calls", StopLength: "length", StopRefusal: "content_filter",
}

// completionUsage spells the usage; the prompt has the cached part in it.
func completionUsage(u Usage) map[string]any {
	prompt := u.Input + u.CacheRead
	return map[string]any{
		"prompt_tokens": prompt, "completion_tokens": u.Output, "total_tokens": prompt + u.Output,
		"cached_tokens": u.CacheRead, "prompt_tokens_details": map[string]any{"cached_tokens": u.CacheRead},
	}
}

func completionBody(m message, object string, choices ...any) map[string]any {
	if choices == nil {
		choices = []any{}
	}
	return map[string]any{"id": m.ID, "object": object, "created": 1_760_000_000, "model": m.Model, "choices": choices}
}

func completionCall(m message, i int, arguments any) map[string]any {
	b, _ := m.Step.Blocks[i].(Call)
	return map[string]any{"id": m.CallIDs[i], "type": "function", "function": map[string]any{"name": b.Name, "arguments": arguments}}
}

func (completions) whole(m message) any {
	var text, thought strings.Builder
	calls := []any{}
	for i, b := range m.Step.Blocks {
		switch b := b.(type) {
		case Text:
			text.WriteString(string(b))
		case Thinking:
			thought.WriteString(string(b))
		case Call:
			calls = append(calls, completionCall(m, i, string(b.Input)))
		}
	}
	said := map[string]any{"role": "assistant", "content": text.String()}
	if thought.Len() > 0 {
		said["reasoning_content"] = thought.String()
	}
	if len(calls) > 0 {
		said["tool_calls"] = calls
	}
	body := completionBody(m, "chat.completion", map[string]any{
		"index": 0, "finish_reason": finishReasons[m.Step.stop()], "message": said,
	})
	body["usage"] = completionUsage(m.Usage)
	return body
}

func (completions) stream(out *sse, m message) encoder { return &completionStream{out: out, m: m} }

// completionStream writes an answer as the chat completions API streams it.
type completionStream struct {
	out   *sse
	m     message
	calls int // how many have begun
}

func (s *completionStream) chunk(delta map[string]any, finish any) {
	s.out.data(completionBody(s.m, "chat.completion.chunk", map[string]any{"index": 0, "delta": delta, "finish_reason": finish}))
}

func (s *completionStream) open() { s.chunk(map[string]any{"role": "assistant", "content": ""}, nil) }

func (s *completionStream) start(i int, b Block) {
	if _, ok := b.(Call); !ok {
		return
	}
	call := completionCall(s.m, i, "")
	call["index"] = s.calls
	s.calls++
	s.chunk(map[string]any{"tool_calls": []any{call}}, nil)
}

func (s *completionStream) delta(_ int, b Block, piece json.RawMessage) {
	switch b.(type) {
	case Text:
		s.chunk(map[string]any{"content": piece}, nil)
	case Thinking:
		s.chunk(map[string]any{"reasoning_content": piece}, nil)
	case Call:
		s.chunk(map[string]any{"tool_calls": []any{map[string]any{
			"index": s.calls - 1, "function": map[string]any{"arguments": piece},
		}}}, nil)
	}
}

func (s *completionStream) stop(int, Block) {}

func (s *completionStream) broken(f Break) {
	s.out.data(map[string]any{"error": openAIError(0, f.Kind, f.Message)})
}

func (s *completionStream) close() {
	s.chunk(map[string]any{}, finishReasons[s.m.Step.stop()])
	body := completionBody(s.m, "chat.completion.chunk")
	body["usage"] = completionUsage(s.m.Usage)
	s.out.data(body)
	s.out.write([]byte("data: [DONE]\n\n"))
}
