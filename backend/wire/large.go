package wire

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	// MaxString is the longest string of an event: a longer one lies beside the
	// log, as a whole.
	MaxString = 32 << 10
	// HeadBytes is how much of it the event holds.
	HeadBytes = 4 << 10
)

// Large is a string that lies beside the log.
type Large struct {
	Pointer string // where the event holds its head, a JSON pointer
	Text    string // valid UTF-8
}

// CutText returns the first n bytes of s, less what would split a rune.
func CutText(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// lift takes the texts that may be large out of the events that agents send by
// the thousand, before they are encoded: a text of tens of megabytes would be
// encoded only to be found and decoded again.
func lift(ev Event) (Event, []Large) {
	var l lifted
	switch e := ev.(type) {
	case AssistantText:
		l.cut("/delta", &e.Delta)
		l.cut("/final", &e.Final)
		ev = l.changed(ev, e)
	case Thinking:
		l.cut("/delta", &e.Delta)
		l.cut("/final", &e.Final)
		ev = l.changed(ev, e)
	case ToolUseEnd:
		l.cut("/output", &e.Output)
		ev = l.changed(ev, e)
	}
	return ev, l
}

// liftDetail takes the detail of a tool's result out: it is JSON already, and the
// encoder would look at each byte of it twice.
func liftDetail(ev Event) (Event, []byte) {
	e, ok := ev.(ToolUseEnd)
	if !ok || len(e.Detail) == 0 || bytes.ContainsAny(e.Detail, "\r\n") {
		return ev, nil
	}
	detail := e.Detail
	e.Detail = nil
	return e, detail
}

type lifted []Large

func (l *lifted) cut(pointer string, text *string) {
	if len(*text) <= MaxString {
		return
	}
	whole := strings.ToValidUTF8(*text, "\uFFFD")
	*l = append(*l, Large{pointer, whole})
	*text = CutText(whole, HeadBytes)
}

// changed returns after if something was cut.
func (l lifted) changed(before, after Event) Event {
	if len(l) == 0 {
		return before
	}
	return after
}
