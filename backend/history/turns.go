package history

import (
	"encoding/json"
	"strings"
	"time"

	"signalbox/backend/wire"
)

// maxTurn bounds what is kept of one turn, in bytes; what is beyond is left out
// with a note.
const maxTurn = 32 << 20

// turns gathers what a parser finds into turns.
type turns struct {
	session Session
	model   string

	now   Turn
	open  bool
	size  int
	tools map[string]string // the names of the calls of the turn, by id
}

func (t *turns) about() Session { return t.session }

// begin ends the turn and begins one with a prompt.
func (t *turns) begin(at wire.Time, text string, yield func(Turn) bool) bool {
	done, ok := t.end()
	if t.session.Title == "" {
		t.session.Title = title(text)
	}
	if t.session.Started.IsZero() {
		t.session.Started = at
	}
	t.now, t.open, t.size = Turn{At: at, Text: strings.ToValidUTF8(text, "\uFFFD"), End: at, Model: t.model}, true, len(text)
	t.tools = map[string]string{}
	return !ok || yield(done)
}

// end returns the turn that is open.
func (t *turns) end() (Turn, bool) {
	done, ok := t.now, t.open
	t.now, t.open = Turn{}, false
	return done, ok
}

// add adds what happened to the turn. What is before the first prompt is left
// out.
func (t *turns) add(at wire.Time, size int, ev wire.Event) {
	if !t.open {
		return
	}
	if at.After(t.now.End.Time) {
		t.now.End = at
	}
	switch t.size += size; {
	case t.size <= maxTurn:
		t.now.Events = append(t.now.Events, Event{at, ev})
	case t.size-size <= maxTurn:
		t.now.Events = append(t.now.Events, Event{at, wire.System{
			Level: wire.LevelWarn, Code: "history_cut", Text: "The rest of this turn is too large to be imported.",
		}})
	}
}

func (t *turns) text(at wire.Time, item, text string) {
	if strings.TrimSpace(text) != "" {
		t.add(at, len(text), wire.AssistantText{Item: item, Delta: valid(text)})
	}
}

func (t *turns) thinking(at wire.Time, item, text string) {
	if strings.TrimSpace(text) != "" {
		t.add(at, len(text), wire.Thinking{Item: item, Delta: valid(text)})
	}
}

func (t *turns) call(at wire.Time, id, name string, input json.RawMessage) {
	if !t.open || id == "" || name == "" || t.tools[id] != "" {
		return
	}
	t.tools[id] = name
	t.add(at, len(input), wire.ToolUseStart{ToolID: id, Name: valid(name), Input: object(input)})
}

func (t *turns) result(at wire.Time, id string, ok bool, output string) {
	name := t.tools[id]
	if name == "" {
		return
	}
	delete(t.tools, id)
	t.add(at, len(output), wire.ToolUseEnd{ToolID: id, Name: valid(name), OK: ok, Output: valid(output)})
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// clock reads a time as the agents write them; the zero time where it is none.
func clock(s string) wire.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.Year() < 2000 {
		return wire.Time{}
	}
	return wire.Time{Time: t.UTC().Truncate(time.Millisecond)}
}

func milli(ms int64) wire.Time {
	if ms < 946684800000 || ms > 1<<47 { // before the year 2000, or never
		return wire.Time{}
	}
	return wire.Time{Time: time.UnixMilli(ms).UTC()}
}

// content is a text, or a list of parts of which some are texts.
type content []byte

func (c *content) UnmarshalJSON(b []byte) error {
	*c = append((*c)[:0], b...)
	return nil
}

// parts are the texts of a content, and in place of each picture a word.
func (c content) text() string {
	var s string
	if json.Unmarshal(c, &s) == nil {
		return s
	}
	var list []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(c, &list) != nil {
		return ""
	}
	var texts []string
	for _, p := range list {
		switch {
		case p.Text != "":
			texts = append(texts, p.Text)
		case strings.Contains(strings.ToLower(p.Type), "image"):
			texts = append(texts, "[image]")
		}
	}
	return strings.Join(texts, "\n")
}
