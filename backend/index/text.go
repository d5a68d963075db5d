package index

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

const (
	// textLimit is how much of one event's text is searched, in bytes.
	textLimit = 32 << 10
	// partLimit is how long a part of an answer gets before it is a document of
	// its own, so that a search leads to the right place in a long one.
	partLimit = 8 << 10
)

// bodies gives the whole of a string that the log keeps beside it.
type bodies struct {
	log  *eventlog.Log
	refs map[string]wire.BlobRef
}

// at returns the string at a JSON pointer, of which the event has inline: its
// first part where it is long.
func (b bodies) at(pointer, inline string) string {
	ref, ok := b.refs[pointer]
	if !ok {
		return clip(inline)
	}
	f, err := b.log.OpenBlob(ref.SHA256)
	if err != nil {
		return clip(inline)
	}
	text, err := io.ReadAll(io.LimitReader(f, textLimit))
	if err := errors.Join(err, f.Close()); err != nil {
		return clip(inline)
	}
	return clip(strings.ToValidUTF8(string(text), ""))
}

// textOf returns what of an event is searched; most kinds have nothing.
func textOf(ev wire.Event, b bodies) string {
	switch ev := ev.(type) {
	case wire.User:
		lines := []string{b.at("/text", ev.Text)}
		for _, a := range ev.Attachments {
			lines = append(lines, a.Name)
		}
		return joined(lines)
	case wire.ToolUseStart:
		return joined(append([]string{ev.Name}, stringsOf(ev.Input, b)...))
	case wire.ToolUseEnd:
		return b.at("/output", ev.Output)
	case wire.Question:
		var lines []string
		for _, q := range ev.Questions {
			lines = append(lines, q.Question)
			for _, o := range q.Options {
				lines = append(lines, o.Label)
			}
		}
		return joined(lines)
	case wire.QuestionAnswered:
		var lines []string
		for _, answers := range ev.Answers {
			lines = append(lines, answers...)
		}
		return joined(lines)
	case wire.ApprovalAnswered:
		return clip(ev.Text)
	case wire.Error:
		return clip(ev.Message)
	default:
		return ""
	}
}

// stringsOf returns the strings in a tool's input, without the names of fields.
func stringsOf(input json.RawMessage, b bodies) []string {
	var all []string
	for pointer, ref := range b.refs {
		if strings.HasPrefix(pointer, "/input/") && ref.SHA256 != "" {
			all = append(all, b.at(pointer, ""))
		}
	}
	dec := json.NewDecoder(bytes.NewReader(input))
	size := 0
	// In an object every second token at its level is a name.
	type level struct{ object, name bool }
	var in []level
	for size < textLimit {
		tok, err := dec.Token()
		if err != nil {
			break
		}
		top := len(in) - 1
		if d, ok := tok.(json.Delim); ok {
			if d == '{' || d == '[' {
				in = append(in, level{object: d == '{', name: true})
				continue
			}
			if in = in[:top]; len(in) > 0 {
				in[len(in)-1].name = true
			}
			continue
		}
		if top >= 0 && in[top].object {
			if in[top].name = !in[top].name; !in[top].name {
				continue
			}
		}
		if s, ok := tok.(string); ok {
			all = append(all, s)
			size += len(s)
		}
	}
	return all
}

func joined(lines []string) string {
	return clip(strings.Join(lines, "\n"))
}

// clip cuts a text to what is searched of it, on the border of a character.
func clip(s string) string {
	if len(s) <= textLimit {
		return s
	}
	n := textLimit
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
