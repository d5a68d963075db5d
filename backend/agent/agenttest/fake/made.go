package fake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// sessionID is the session of what is made up.
const sessionID = "00000000-0000-4000-8000-00000000fa4e"

// encode is v as the CLI prints it: UTF-8 as it is, no escapes for HTML.
func encode(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		die(err)
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

type object map[string]any

func initLine() []byte {
	return encode(object{
		"type": "system", "subtype": "init", "session_id": sessionID, "model": "fake-1",
		"permissionMode": "default", "cwd": "/workspace", "tools": []string{"Bash"}, "mcp_servers": []string{},
	})
}

func assistantLine(message string, n int, block object) []byte {
	return encode(object{
		"type": "assistant", "session_id": sessionID, "parent_tool_use_id": nil,
		"uuid": fmt.Sprintf("00000000-0000-4000-8000-%012x", n),
		"message": object{
			"id": message, "type": "message", "role": "assistant", "model": "fake-1", "content": []object{block},
			"usage": object{"input_tokens": 400, "output_tokens": 1, "cache_read_input_tokens": 800},
		},
	})
}

func eventLine(event object) []byte {
	return encode(object{"type": "stream_event", "session_id": sessionID, "parent_tool_use_id": nil, "event": event})
}

func resultLine(text string) []byte {
	usage := object{"fake-1": object{
		"inputTokens": 400, "outputTokens": 9, "cacheReadInputTokens": 800,
		"costUSD": 0.001, "contextWindow": 200000, "costBasis": "list",
	}}
	return encode(object{
		"type": "result", "subtype": "success", "is_error": false, "terminal_reason": "completed", "result": text,
		"session_id": sessionID, "total_cost_usd": 0.001, "usage": object{"input_tokens": 400, "output_tokens": 9},
		"modelUsage": usage, "model_usage_since_last_result": usage, "queued_turn_count": 0,
	})
}

// long prints one line whose text has n bytes, then a short one and the end of
// the turn.
func (p *player) long(n int) error {
	const mark = "TEXT"
	if err := p.say(initLine()); err != nil {
		return err
	}
	b := assistantLine("msg_fake_long", 1, object{"type": "text", "text": mark})
	if err := p.out.line(bytes.Replace(b, []byte(mark), bytes.Repeat([]byte("x"), n), 1)); err != nil {
		return err
	}
	if err := p.say(assistantLine("msg_fake_after", 2, object{"type": "text", "text": "after"})); err != nil {
		return err
	}
	return p.say(resultLine("after"))
}

// answer prints one whole text and the end of the turn.
func (p *player) answer(text string) error {
	if err := p.say(initLine()); err != nil {
		return err
	}
	if err := p.out.text(assistantLine("msg_fake1", 1, object{"type": "text", "text": text}), text); err != nil {
		return err
	}
	return p.say(resultLine(text))
}

// The mix of what is made up: a message of pieces, then a call and its result.
const (
	pieces      = 13
	resultBytes = 8192
)

// stream prints n lines, a mix of pieces of text and tool calls as the CLI
// prints it, at the script's rate, and then the end of the turn.
func (p *player) stream(n int) error {
	if err := p.say(initLine()); err != nil {
		return err
	}
	start := time.Now()
	printed := 0
	// A line is made when it is due: its stamp is of that moment.
	put := func(line func() []byte) error {
		if p.s.Rate > 0 {
			due := time.Duration(float64(printed) / p.s.Rate * float64(time.Second))
			time.Sleep(time.Until(start.Add(due)))
		}
		printed++
		return p.out.line(line())
	}
	frequent := newForms()
	for message := 1; printed < n; message++ {
		if err := p.message(message, n-printed, put, frequent); err != nil {
			return err
		}
	}
	return p.say(resultLine("done"))
}

// stamp is the mark of the time of writing, where the script wants one.
func (p *player) stamp() string {
	if !p.s.Stamp {
		return ""
	}
	return fmt.Sprintf("@%d ", time.Now().UnixNano())
}

// forms are the lines that come most often or are the longest. To encode each anew
// would take the stand-in as long as the daemon takes to read them.
type forms struct{ piece, result form }

func newForms() forms {
	output := strings.Repeat("a line of output as a command prints it\n", resultBytes/40)
	return forms{
		piece: newForm(eventLine(object{
			"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": blank},
		})),
		result: newForm(encode(object{
			"type": "user", "session_id": sessionID, "parent_tool_use_id": nil,
			"message": object{"role": "user", "content": []object{{
				"type": "tool_result", "tool_use_id": blank, "content": output, "is_error": false,
			}}},
			"tool_use_result": object{"stdout": output, "stderr": "", "interrupted": false},
		})),
	}
}

// blank is where a form is filled in.
const blank = "BLANK"

// form is a line with one blank.
type form struct{ before, after []byte }

func newForm(line []byte) form {
	before, after, _ := bytes.Cut(line, []byte(blank))
	return form{before, after}
}

// with returns the line with a text that needs no escapes.
func (f form) with(text string) []byte { return slices.Concat(f.before, []byte(text), f.after) }

// message prints at most limit lines of one message and its tool call.
func (p *player) message(number, limit int, put func(func() []byte) error, frequent forms) error {
	id, call := fmt.Sprintf("msg_fake%d", number), fmt.Sprintf("toolu_fake%d", number)
	var text strings.Builder
	made := []func() []byte{
		func() []byte {
			return eventLine(object{"type": "message_start", "message": object{
				"id": id, "model": "fake-1",
				"usage": object{"input_tokens": 400, "cache_read_input_tokens": 800},
			}})
		},
		func() []byte {
			return eventLine(object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}})
		},
	}
	for i := range pieces {
		made = append(made, func() []byte {
			piece := fmt.Sprintf("%spiece %d of message %d. ", p.stamp(), i, number)
			text.WriteString(piece)
			return frequent.piece.with(piece)
		})
	}
	made = append(
		made,
		func() []byte {
			return assistantLine(id, number, object{"type": "text", "text": text.String()})
		},
		func() []byte {
			return assistantLine(id, number, object{
				"type": "tool_use", "id": call, "name": "Bash", "input": object{"command": p.stamp() + "make test"},
			})
		},
		func() []byte { return frequent.result.with(call) },
	)
	for i, f := range made {
		if i == limit {
			return nil
		}
		if err := put(f); err != nil {
			return err
		}
	}
	return nil
}
