package claude

import (
	"hash/maphash"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// tailBytes is how much of a tool's input is shown while it is written.
const tailBytes = 512

// lane is the message that one agent is writing: the main one or a subagent.
//
// A message comes twice, as pieces and then whole, a block at a time. The whole
// one is right: pieces may hold halves of characters, and when a connection
// breaks the CLI asks again without streaming, so that a message of another id
// arrives whole. A block that never became whole, or that the CLI says it has
// abandoned, is given up; the next block of its kind takes its item over and
// replaces its text, so that nothing is lost and nothing stands there twice.
type lane struct {
	message string
	used    tokenUsage // by the message so far
	streams []*stream  // the blocks that came in pieces, in their order
	whole   int        // how many blocks came without pieces
	givenUp []*stream
}

// stream is a block that comes in pieces.
type stream struct {
	index int
	kind  string // text, thinking, tool_use
	item  string
	shown *told // the item's text as clients have it
	// replaces is set until the first piece, where the item has the text of the
	// block before.
	replaces bool
	done     bool

	tool  wire.ToolUseInput // of a tool_use
	bytes []byte            // its tail
}

// told is a text that clients have, as its length and its hash: a long one is not
// kept to be compared with the whole that comes at its end.
type told struct {
	bytes int
	hash  maphash.Hash
}

func (t *told) add(piece string) {
	t.bytes += len(piece)
	_, _ = t.hash.WriteString(piece) // a hash does not fail
}

func (t *told) is(text string) bool {
	return len(text) == t.bytes && maphash.String(t.hash.Seed(), text) == t.hash.Sum64()
}

func (t *translator) lane(parent string) *lane {
	l := t.lanes[parent]
	if l == nil {
		l = &lane{}
		t.lanes[parent] = l
	}
	return l
}

// begin makes id the lane's message.
func (l *lane) begin(id string) {
	if id == l.message {
		return
	}
	for _, s := range l.streams {
		if !s.done {
			l.giveUp(s)
		}
	}
	l.message, l.streams, l.whole = id, nil, 0
}

// abandon gives the blocks from index on up, also those that became whole.
func (l *lane) abandon(index int) {
	for _, s := range l.streams {
		if s.index >= index {
			l.giveUp(s)
		}
	}
}

// giveUp sets s aside for the block that takes its place.
func (l *lane) giveUp(s *stream) {
	s.done = true
	if s.shown.bytes > 0 && !slices.Contains(l.givenUp, s) {
		l.givenUp = append(l.givenUp, s)
	}
}

// heir returns the block whose item one of kind takes over; nil if there is
// none.
func (l *lane) heir(kind string) *stream {
	for i, s := range l.givenUp {
		if s.kind == kind {
			l.givenUp = slices.Delete(l.givenUp, i, i+1)
			return s
		}
	}
	return nil
}

// unfinished returns the first block of kind that is not whole yet.
func (l *lane) unfinished(kind string) *stream {
	for _, s := range l.streams {
		if !s.done && s.kind == kind {
			return s
		}
	}
	return nil
}

func (l *lane) at(index int) *stream {
	for _, s := range l.streams {
		if s.index == index && !s.done {
			return s
		}
	}
	return nil
}

func (t *translator) stream(l *streamLine, o *dialog.Step) {
	if l.Parent == "" {
		t.up, t.open = true, true
	}
	ln := t.lane(l.Parent)
	ev := &l.Event
	switch ev.Type {
	case "message_start":
		ln.begin(ev.Message.ID)
		if l.Parent == "" {
			t.usage.request(ev.Message.Usage)
		}
		ln.used = tokenUsage{}
		t.usage.progress(&ln.used, ev.Message.Usage)
	case "message_delta":
		t.usage.progress(&ln.used, ev.Usage)
		o.Frames = append(o.Frames, wire.RunUsage{Usage: t.usage.soFar(t.model)})
	case "content_block_start":
		s := &stream{index: ev.Index, kind: ev.Block.Type, shown: &told{}, item: ln.message + "/" + strconv.Itoa(ev.Index)}
		switch s.kind {
		case "text", "thinking":
			if old := ln.heir(s.kind); old != nil {
				s.item, s.replaces = old.item, true
				s.shown = old.shown
			}
		case "tool_use":
			s.tool = wire.ToolUseInput{ToolID: ev.Block.ID, ParentToolID: l.Parent}
			_, s.tool.Name = dialog.ToolName(ev.Block.Name)
			o.Frames = append(o.Frames, s.tool)
		}
		ln.streams = append(ln.streams, s)
	case "content_block_delta":
		if s := ln.at(ev.Index); s != nil {
			s.piece(ev, l.Parent, o)
		}
	case "message_stop":
		if l.Abandoned != nil {
			ln.abandon(l.Abandoned.FromBlock)
		}
	}
}

func (s *stream) piece(ev *streamEvent, parent string, o *dialog.Step) {
	switch ev.Delta.Type {
	case "text_delta":
		s.say(ev.Delta.Text, parent, o)
	case "thinking_delta":
		s.say(ev.Delta.Thinking, parent, o)
	case "input_json_delta":
		if s.kind != "tool_use" || ev.Delta.PartialJSON == "" {
			return
		}
		s.tool.Bytes += int64(len(ev.Delta.PartialJSON))
		s.bytes = append(s.bytes, ev.Delta.PartialJSON...)
		if cut := len(s.bytes) - tailBytes; cut > 0 {
			for cut < len(s.bytes) && !utf8.RuneStart(s.bytes[cut]) {
				cut++
			}
			s.bytes = append(s.bytes[:0], s.bytes[cut:]...)
		}
		s.tool.Tail = string(s.bytes)
		o.Frames = append(o.Frames, s.tool)
	}
}

func (s *stream) say(text, parent string, o *dialog.Step) {
	switch {
	case text == "":
	case s.replaces:
		s.replace(text, parent, o)
	default:
		s.shown.add(text)
		o.Emit(textEvent(s.kind, s.item, text, "", parent))
	}
}

// replace makes text the item's whole text.
func (s *stream) replace(text, parent string, o *dialog.Step) {
	s.replaces = false
	s.shown = &told{}
	s.shown.add(text)
	o.Emit(textEvent(s.kind, s.item, "", text, parent))
}

// textEvent is a piece of an answer or of reasoning.
func textEvent(kind, item, delta, final, parent string) wire.Event {
	if kind == "thinking" {
		return wire.Thinking{Item: item, Delta: delta, Final: final, ParentToolID: parent}
	}
	return wire.AssistantText{Item: item, Delta: delta, Final: final, ParentToolID: parent}
}

// assistant is one or more whole blocks of a message.
func (t *translator) assistant(l *assistantLine, now time.Time, o *dialog.Step) {
	list := l.Message.Content
	main := l.Parent == ""
	if main {
		t.up, t.open = true, true
		t.sessionIs(l.SessionID, l.Message.Model, o)
	}
	if l.APIError || l.Error != "" {
		// The CLI's own words about a failure: the end of the run tells them.
		if main {
			t.failed.code, t.failed.kind = l.Error, l.ErrorType
			for _, b := range list {
				t.failed.text = b.Text
			}
		}
		return
	}
	if main && l.Message.Model != synthetic {
		t.turn, t.model = l.UUID, l.Message.Model
		t.usage.request(l.Message.Usage)
	}
	ln := t.lane(l.Parent)
	ln.begin(l.Message.ID)
	for i := range list {
		switch b := &list[i]; b.Type {
		case "text":
			ln.complete("text", b.Text, l.Parent, o)
		case "thinking":
			ln.complete("thinking", b.Thinking, l.Parent, o)
		case "tool_use", "server_tool_use":
			if s := ln.unfinished("tool_use"); s != nil {
				s.done = true
			}
			t.toolStart(b, l.Parent, now, o)
		}
	}
}

// complete is a whole block of text.
func (l *lane) complete(kind, text, parent string, o *dialog.Step) {
	s := l.unfinished(kind)
	if s == nil {
		s = l.heir(kind)
	}
	if s == nil {
		l.whole++
		s = &stream{kind: kind, shown: &told{}, item: l.message + "/w" + strconv.Itoa(l.whole)}
	}
	s.done = true
	switch {
	case text == "" || s.shown.is(text):
	case s.shown.bytes == 0:
		s.say(text, parent, o)
	default:
		s.replace(text, parent, o)
	}
}
