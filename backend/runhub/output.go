package runhub

import (
	"fmt"
	"unicode/utf8"

	"signalbox/backend/wire"
)

const (
	// outputKept is how much of the beginning and of the end of a tool's
	// streaming output is logged. The whole is in its tool_use_end.
	outputKept = 64 << 10
	// outputPiece is the longest piece that one event carries, well below the
	// size from which strings are kept beside the log.
	outputPiece = 16 << 10
	// maxTails is how many tools of a run may have an end kept in memory at
	// once; the ends of more are left out, with a count.
	maxTails = 64
	// maxOutputs is how many tools of a run are told apart.
	maxOutputs = 4096
)

// outputs cuts the streaming output of a run's tools down to its beginning and
// its end.
type outputs struct {
	tools map[string]*output
	tails int
}

type output struct {
	begun   int // bytes passed on
	tail    []byte
	dropped int64 // bytes between the beginning and the tail
}

// take returns how much of the beginning of delta is to be logged now, and keeps
// what may be its end.
func (o *outputs) take(tool, delta string) (now string) {
	t := o.tools[tool]
	if t == nil {
		if o.tools == nil {
			o.tools = map[string]*output{}
		}
		if len(o.tools) >= maxOutputs {
			o.forgetOne()
		}
		t = &output{}
		o.tools[tool] = t
	}
	n := 0
	if t.tail == nil && t.dropped == 0 {
		n = runeCut(delta, outputKept-t.begun)
	}
	now, rest := delta[:n], delta[n:]
	t.begun += n
	if rest != "" {
		o.keep(t, rest)
	}
	return now
}

func (o *outputs) keep(t *output, rest string) {
	if t.tail == nil {
		if o.tails >= maxTails {
			t.dropped += int64(len(rest))
			return
		}
		o.tails++
	}
	if over := len(rest) - outputKept; over > 0 {
		t.dropped += int64(len(t.tail) + over)
		t.tail, rest = t.tail[:0], rest[over:]
	}
	t.tail = append(t.tail, rest...)
	// Compacting at twice the size moves each byte once on average.
	if over := len(t.tail) - outputKept; over >= outputKept {
		t.tail = append(t.tail[:0], t.tail[over:]...)
		t.dropped += int64(over)
	}
}

// end returns what is still to be logged of the tool, in pieces, and forgets it.
func (o *outputs) end(tool string) []wire.Event {
	t := o.tools[tool]
	if t == nil {
		return nil
	}
	delete(o.tools, tool)
	if t.tail != nil {
		o.tails--
	}
	return t.rest(tool)
}

// endAll ends every tool.
func (o *outputs) endAll() []wire.Event {
	var evs []wire.Event
	for tool := range o.tools {
		evs = append(evs, o.end(tool)...)
	}
	return evs
}

func (t *output) rest(tool string) []wire.Event {
	tail := t.tail
	if over := len(tail) - outputKept; over > 0 {
		tail = tail[over:]
		t.dropped += int64(over)
	}
	if t.dropped > 0 {
		for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
			tail = tail[1:]
			t.dropped++
		}
	}
	text := string(tail)
	if t.dropped > 0 {
		text = fmt.Sprintf("\n… %d bytes are left out here …\n", t.dropped) + text
	}
	var evs []wire.Event
	for _, piece := range pieces(text) {
		evs = append(evs, wire.ToolOutput{ToolID: tool, Delta: piece})
	}
	return evs
}

func (o *outputs) forgetOne() {
	for tool, t := range o.tools {
		if t.tail == nil {
			delete(o.tools, tool)
			return
		}
	}
}

// pieces cuts text into parts of at most outputPiece bytes, between runes.
func pieces(text string) []string {
	var out []string
	for len(text) > outputPiece {
		n := runeCut(text, outputPiece)
		out, text = append(out, text[:n]), text[n:]
	}
	if text != "" {
		out = append(out, text)
	}
	return out
}

// runeCut returns the largest n up to limit at which s can be cut between runes.
func runeCut(s string, limit int) int {
	if limit >= len(s) {
		return len(s)
	}
	for n := limit; n > limit-utf8.UTFMax && n >= 0; n-- {
		if utf8.RuneStart(s[n]) {
			return n
		}
	}
	return limit // no UTF-8 at all
}
