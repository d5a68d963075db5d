package scripted

import (
	"encoding/json"
	"net/http"
	"strings"
)

// openAI is what the two doors of OpenAI's kind have in common.
type openAI struct{}

// counts folds what was written to the cache into the input: these APIs do not
// tell it apart.
func (openAI) counts(u Usage) Usage {
	u.Input, u.CacheWrite = u.Input+u.CacheWrite, 0
	return u
}

func (openAI) failure(f Refuse, _ string) any {
	return map[string]any{"error": openAIError(f.Status, f.Kind, f.Message)}
}

// openAIError spells an error as these APIs do.
func openAIError(status int, kind, message string) map[string]any {
	code := kind
	switch {
	case strings.HasPrefix(message, "prompt is too long"):
		code = "context_length_exceeded"
		message = "Your input exceeds the context window of this model. Request exceeded model token limit: 262144 (requested: 300000)."
	case kind == "insufficient_quota":
	case status == http.StatusUnauthorized:
		code = "invalid_api_key"
	case status == http.StatusNotFound:
		code = "model_not_found"
	case status == http.StatusTooManyRequests:
		code = "rate_limit_exceeded"
	case status == http.StatusServiceUnavailable:
		code = "server_is_overloaded"
	}
	return map[string]any{"type": kind, "code": code, "message": message, "param": nil}
}

func (openAI) models() any {
	return map[string]any{"object": "list", "data": []any{map[string]any{
		"id": "scripted-model", "object": "model", "owned_by": "scripted", "context_length": 200_000,
	}}}
}

func (openAI) counted(n int64) any { return map[string]any{"input_tokens": n} }

// texts joins the texts of content, which is text or parts.
func texts(content json.RawMessage) string {
	var list []string
	for _, p := range parts(content) {
		list = append(list, p.Text)
	}
	return strings.Join(list, "\n")
}

// thinkingTokens is the part of an answer that is reasoning.
func thinkingTokens(blocks []Block) int64 {
	var n int64
	for _, b := range blocks {
		if t, ok := b.(Thinking); ok {
			n += tokens(string(t))
		}
	}
	return n
}
