package claude

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/tidwall/gjson"
)

// The lines that come by the thousand are read in place: a decoder would look at
// a tool's result, which makes most of the bytes, once for each level that it
// lies in. The line is valid JSON and is held as a string, of which large texts
// are parts; what outlives the line is cloned.

var errShape = errors.New("a field of a line has another shape")

// reader reads fields of one object. The first that has another shape than is
// asked for is its error; null is as good as none.
type reader struct {
	object gjson.Result
	err    error
}

func read(object gjson.Result) *reader {
	r := &reader{object: object}
	if !object.IsObject() {
		r.err = errShape
	}
	return r
}

func (r *reader) get(path string, t gjson.Type) gjson.Result {
	v := r.object.Get(path)
	if v.Type != t && v.Type != gjson.Null {
		r.err = errShape
	}
	return v
}

// text returns a string that is a part of the line.
func (r *reader) text(path string) string { return r.get(path, gjson.String).Str }

// name returns a string that may be kept.
func (r *reader) name(path string) string { return strings.Clone(r.text(path)) }

func (r *reader) number(path string) int64 { return r.get(path, gjson.Number).Int() }

func (r *reader) flag(path string) bool {
	v := r.object.Get(path)
	if v.Type != gjson.Null && !v.IsBool() {
		r.err = errShape
	}
	return v.Bool()
}

// in returns the reader of an object inside; it is empty where there is none.
func (r *reader) in(path string) *reader {
	inner := &reader{object: r.object.Get(path)}
	if inner.object.Type != gjson.Null && !inner.object.IsObject() {
		r.err = errShape
	}
	return inner
}

func readStream(line gjson.Result) (l streamLine, err error) {
	r := read(line)
	l.Parent = r.name("parent_tool_use_id")
	if from := r.in("abandoned_blocks"); from.object.Exists() && from.object.Type != gjson.Null {
		l.Abandoned = &abandoned{FromBlock: int(from.number("from_block_index"))}
		r.err = errors.Join(r.err, from.err)
	}
	ev := r.in("event")
	l.Event.Type, l.Event.Index = ev.text("type"), int(ev.number("index"))
	switch l.Event.Type {
	case "message_start":
		message := ev.in("message")
		l.Event.Message.ID = message.name("id")
		l.Event.Message.Usage = message.usage()
		ev.err = errors.Join(ev.err, message.err)
	case "content_block_start":
		block := ev.in("content_block")
		l.Event.Block.Type, l.Event.Block.ID, l.Event.Block.Name = block.name("type"), block.name("id"), block.name("name")
		ev.err = errors.Join(ev.err, block.err)
	case "content_block_delta":
		delta := ev.in("delta")
		switch l.Event.Delta.Type = delta.text("type"); l.Event.Delta.Type {
		case "text_delta":
			l.Event.Delta.Text = delta.text("text")
		case "thinking_delta":
			l.Event.Delta.Thinking = delta.text("thinking")
		case "input_json_delta":
			l.Event.Delta.PartialJSON = delta.text("partial_json")
		}
		ev.err = errors.Join(ev.err, delta.err)
	}
	return l, errors.Join(r.err, ev.err)
}

// usage reads the field "usage" of a message.
func (r *reader) usage() (u tokenUsage) {
	in := r.in("usage")
	u.Input, u.Output = in.number("input_tokens"), in.number("output_tokens")
	u.CacheRead, u.CacheWrite = in.number("cache_read_input_tokens"), in.number("cache_creation_input_tokens")
	r.err = errors.Join(r.err, in.err)
	return u
}

func readAssistant(line gjson.Result) (l assistantLine, err error) {
	r := read(line)
	l.SessionID, l.Parent, l.UUID = r.name("session_id"), r.name("parent_tool_use_id"), r.name("uuid")
	l.Error, l.APIError, l.ErrorType = r.name("error"), r.flag("is_api_error_message"), r.name("api_error_type")
	message := r.in("message")
	l.Message.ID, l.Message.Model = message.name("id"), message.name("model")
	l.Message.Usage = message.usage()
	l.Message.Content, err = readBlocks(message.object.Get("content"))
	return l, errors.Join(err, r.err, message.err)
}

func readUser(line gjson.Result) (l userResultLine, err error) {
	r := read(line)
	l.Parent = r.name("parent_tool_use_id")
	message := r.in("message")
	l.Message.Content, err = readBlocks(message.object.Get("content"))
	if detail := r.object.Get("tool_use_result"); detail.IsObject() || detail.IsArray() {
		l.Detail = json.RawMessage(detail.Raw) // a string repeats the output
	}
	return l, errors.Join(err, r.err, message.err)
}

// readBlocks reads a message's content: a list, or a string, which is one text.
func readBlocks(content gjson.Result) (list []block, err error) {
	switch {
	case content.Type == gjson.Null:
		return nil, nil
	case content.Type == gjson.String:
		return []block{{Type: "text", Text: content.Str}}, nil
	case !content.IsArray():
		return nil, errShape
	}
	content.ForEach(func(_, v gjson.Result) bool {
		r := read(v)
		b := block{Type: r.name("type")}
		switch b.Type {
		case "text":
			b.Text = r.text("text")
		case "thinking":
			b.Thinking = r.text("thinking")
		case "tool_use", "server_tool_use":
			b.ID, b.Name = r.name("id"), r.name("name")
			b.Input = json.RawMessage(r.object.Get("input").Raw)
		case "tool_result":
			b.ToolUseID, b.IsError = r.name("tool_use_id"), r.flag("is_error")
			b.Content = r.object.Get("content")
		}
		list, err = append(list, b), r.err
		return err == nil
	})
	return list, err
}

// joinText returns the text of a tool's result: its texts, and a mark for each
// part that is none.
func joinText(content gjson.Result) (string, error) {
	list, err := readBlocks(content)
	if err != nil {
		return "", err
	}
	if len(list) == 1 && list[0].Type == "text" {
		return list[0].Text, nil
	}
	parts := make([]string, 0, len(list))
	for _, b := range list {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		} else {
			parts = append(parts, "["+b.Type+"]")
		}
	}
	return strings.Join(parts, "\n"), nil
}
