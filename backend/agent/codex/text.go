package codex

import (
	"strings"
	"time"

	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// The kinds of text.
const (
	kindText     = "text"
	kindThinking = "thinking"
)

// partBreak parts the pieces of a reasoning summary.
const partBreak = "\n\n"

// text is a message or a piece of reasoning that is being written.
//
// It comes in pieces and then whole, and the whole one is right: halves of a
// character that came in two pieces are dropped by the server. When a
// connection breaks the item stays open for ever and another one begins with
// the same text; that one takes its place, so that nothing stands there twice.
type text struct {
	kind   string
	thread string
	item   string // under which clients know it
	shown  strings.Builder
	// replaces is set until the first piece, where clients have the text of the
	// item before.
	replaces bool
}

func (t *translator) text(kind, id, thread string) *text {
	if x := t.texts[id]; x != nil {
		return x
	}
	x := &text{kind: kind, thread: thread, item: id}
	for i, old := range t.givenUp {
		if old.kind == kind && old.thread == thread {
			x.item, x.replaces = old.item, true
			x.shown.WriteString(old.shown.String())
			t.givenUp = append(t.givenUp[:i], t.givenUp[i+1:]...)
			break
		}
	}
	if len(t.texts) < maxOpen {
		t.texts[id] = x
	}
	return x
}

// delta is a piece.
func (t *translator) delta(kind string, p params, s *dialog.Step) {
	t.retries.since = time.Time{}
	if p.Delta == "" || p.ItemID == "" {
		return
	}
	x := t.text(kind, p.ItemID, p.ThreadID)
	if x.replaces {
		t.whole(x, p.Delta, s)
		return
	}
	x.shown.WriteString(p.Delta)
	s.Emit(textEvent(x, p.Delta, "", t.parents[p.ThreadID]))
}

// complete ends a text with its whole.
func (t *translator) complete(kind, id, thread, whole string, s *dialog.Step) {
	x := t.text(kind, id, thread)
	delete(t.texts, id)
	if whole == "" {
		return
	}
	if kind == kindText && t.parents[thread] != "" {
		t.said[thread] = whole
	}
	switch {
	case x.shown.String() == whole:
	case x.shown.Len() == 0:
		s.Emit(textEvent(x, whole, "", t.parents[thread]))
	default:
		t.whole(x, whole, s)
	}
}

// whole makes words the item's whole text.
func (t *translator) whole(x *text, words string, s *dialog.Step) {
	x.replaces = false
	x.shown.Reset()
	x.shown.WriteString(words)
	s.Emit(textEvent(x, "", words, t.parents[x.thread]))
}

// giveUp sets the texts that are being written aside: the stream broke.
func (t *translator) giveUp(thread string) {
	for id, x := range t.texts {
		if x.thread != thread {
			continue
		}
		delete(t.texts, id)
		if x.shown.Len() > 0 {
			t.givenUp = append(t.givenUp, x)
		}
	}
}

// abandon forgets the texts of a turn that ended.
func (t *translator) abandon() {
	t.givenUp = nil
	for id, x := range t.texts {
		if x.thread == t.opened.Thread.ID {
			delete(t.texts, id)
		}
	}
}

func textEvent(x *text, delta, final, parent string) wire.Event {
	if x.kind == kindThinking {
		return wire.Thinking{Item: x.item, Delta: delta, Final: final, ParentToolID: parent}
	}
	return wire.AssistantText{Item: x.item, Delta: delta, Final: final, ParentToolID: parent}
}
