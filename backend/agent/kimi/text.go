package kimi

import (
	"strconv"
	"strings"

	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// text is a run of pieces of one kind, with nothing in between. The protocol
// gives it no id.
type text struct {
	thought bool
	item    string
	shown   strings.Builder
	closed  bool // something else came
}

// piece adds to the text that is being written, or begins one.
func (t *translator) piece(thought bool, words string, s *dialog.Step) {
	if words == "" {
		return
	}
	var x *text
	if n := len(t.texts); n > 0 {
		x = t.texts[n-1]
	}
	if x == nil || x.closed || x.thought != thought {
		t.items++
		x = &text{thought: thought, item: string(t.req.Run) + "/" + strconv.Itoa(t.items)}
		if len(t.texts) < maxOpen {
			t.texts = append(t.texts, x)
		}
	}
	x.shown.WriteString(words)
	s.Emit(x.event(words, ""))
}

// closeText ends the text that is being written.
func (t *translator) closeText() {
	if n := len(t.texts); n > 0 {
		t.texts[n-1].closed = true
	}
}

// correct puts what the CLI's own record says in the place of what was shown,
// where they differ: pieces may hold halves of characters, and when a connection
// breaks the text comes again with nothing in between.
//
// Only where both have the same texts in the same order is it known which is
// which.
func (t *translator) correct(s *dialog.Step) {
	if t.record == nil || len(t.record.parts) != len(t.texts) {
		return
	}
	for i, p := range t.record.parts {
		if p.thought != t.texts[i].thought {
			return
		}
	}
	for i, p := range t.record.parts {
		x := t.texts[i]
		if p.text != "" && p.text != x.shown.String() {
			x.shown.Reset()
			x.shown.WriteString(p.text)
			s.Emit(x.event("", p.text))
		}
	}
}

func (x *text) event(delta, final string) wire.Event {
	if x.thought {
		return wire.Thinking{Item: x.item, Delta: delta, Final: final}
	}
	return wire.AssistantText{Item: x.item, Delta: delta, Final: final}
}
