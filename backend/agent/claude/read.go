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

// value is a value in a line. One that has another shape than is asked for sets
// err; null is as good as none.
type value struct {
	gjson.Result

	err *error
}

func (v value) wrong() { *v.err = errShape }

// text returns a string that is a part of the line.
func (v value) text() string {
	if v.Type != gjson.String && v.Type != gjson.Null {
		v.wrong()
	}
	return v.Str
}

// name returns a string that may be kept.
func (v value) name() string { return strings.Clone(v.text()) }

func (v value) number() int64 {
	if v.Type != gjson.Number && v.Type != gjson.Null {
		v.wrong()
	}
	return v.Int()
}

func (v value) flag() bool {
	if !v.IsBool() && v.Type != gjson.Null {
		v.wrong()
	}
	return v.Bool()
}

// each calls f with the fields of an object.
func (v value) each(f func(name string, v value)) {
	if v.Type == gjson.Null {
		return
	}
	if !v.IsObject() {
		v.wrong()
		return
	}
	v.ForEach(func(key, field gjson.Result) bool {
		f(key.Str, value{field, v.err})
		return *v.err == nil
	})
}

func readStream(line gjson.Result) (l streamLine, err error) {
	value{line, &err}.each(func(name string, v value) {
		switch name {
		case "parent_tool_use_id":
			l.Parent = v.name()
		case "event":
			l.Event.read(v)
		case "abandoned_blocks":
			v.each(func(name string, v value) {
				if name == "from_block_index" {
					l.Abandoned = &abandoned{FromBlock: int(v.number())}
				}
			})
		}
	})
	return l, err
}

func (e *streamEvent) read(v value) {
	v.each(func(name string, v value) {
		switch name {
		case "type":
			e.Type = v.text()
		case "index":
			e.Index = int(v.number())
		case "message":
			e.Message.read(v)
		case "usage":
			e.Usage.read(v)
		case "content_block":
			v.each(func(name string, v value) {
				switch name {
				case "type":
					e.Block.Type = v.name()
				case "id":
					e.Block.ID = v.name()
				case "name":
					e.Block.Name = v.name()
				}
			})
		case "delta":
			v.each(func(name string, v value) {
				switch name {
				case "type":
					e.Delta.Type = v.text()
				case "text":
					e.Delta.Text = v.text()
				case "thinking":
					e.Delta.Thinking = v.text()
				case "partial_json":
					e.Delta.PartialJSON = v.text()
				}
			})
		}
	})
}

func (m *message) read(v value) {
	v.each(func(name string, v value) {
		switch name {
		case "id":
			m.ID = v.name()
		case "model":
			m.Model = v.name()
		case "usage":
			m.Usage.read(v)
		case "content":
			m.Content = readBlocks(v)
		}
	})
}

func (u *tokenUsage) read(v value) {
	v.each(func(name string, v value) {
		switch name {
		case "input_tokens":
			u.Input = v.number()
		case "output_tokens":
			u.Output = v.number()
		case "cache_read_input_tokens":
			u.CacheRead = v.number()
		case "cache_creation_input_tokens":
			u.CacheWrite = v.number()
		}
	})
}

func readAssistant(line gjson.Result) (l assistantLine, err error) {
	value{line, &err}.each(func(name string, v value) {
		switch name {
		case "session_id":
			l.SessionID = v.name()
		case "parent_tool_use_id":
			l.Parent = v.name()
		case "uuid":
			l.UUID = v.name()
		case "error":
			l.Error = v.name()
		case "is_api_error_message":
			l.APIError = v.flag()
		case "api_error_type":
			l.ErrorType = v.name()
		case "message":
			l.Message.read(v)
		}
	})
	return l, err
}

func readUser(line gjson.Result) (l userResultLine, err error) {
	value{line, &err}.each(func(name string, v value) {
		switch name {
		case "parent_tool_use_id":
			l.Parent = v.name()
		case "message":
			l.Message.read(v)
		case "tool_use_result":
			if v.Type == gjson.JSON {
				l.Detail = v.Raw // a string repeats the output
			}
		}
	})
	return l, err
}

// readBlocks reads a message's content: a list, or a string, which is one text.
func readBlocks(content value) (list []block) {
	if content.Type == gjson.String {
		return []block{{Type: "text", Text: content.Str}}
	}
	if !content.IsArray() {
		if content.Type != gjson.Null {
			content.wrong()
		}
		return nil
	}
	content.ForEach(func(_, element gjson.Result) bool {
		var b block
		value{element, content.err}.each(func(name string, v value) {
			switch name {
			case "type":
				b.Type = v.name()
			case "text":
				b.Text = v.text()
			case "thinking":
				b.Thinking = v.text()
			case "id":
				b.ID = v.name()
			case "name":
				b.Name = v.name()
			case "input":
				b.Input = json.RawMessage(v.Raw)
			case "tool_use_id":
				b.ToolUseID = v.name()
			case "is_error":
				b.IsError = v.flag()
			case "content":
				b.Content = v.Result
			}
		})
		list = append(list, b)
		return *content.err == nil
	})
	return list
}

// joinText returns the text of a tool's result: its texts, and a mark for each
// part that is none.
func joinText(content gjson.Result) (text string, err error) {
	list := readBlocks(value{content, &err})
	if err != nil || len(list) == 0 {
		return "", err
	}
	parts := make([]string, len(list))
	for i, b := range list {
		parts[i] = b.Text
		if b.Type != "text" {
			parts[i] = "[" + b.Type + "]"
		}
	}
	return strings.Join(parts, "\n"), nil
}
