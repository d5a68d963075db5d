package dialog

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

// maxKinds bounds how many kinds of lines are told apart: they come from
// outside.
const maxKinds = 50

const (
	// maxOddLine and maxOdd bound what is kept of the lines of unknown kinds.
	maxOddLine = 16 << 10
	maxOdd     = 256 << 10
)

// oddities counts and keeps what of a program's output is not understood.
type oddities struct {
	program string
	kinds   map[string]int
	raw     []byte // lines of unknown kinds as they came
	garbage int    // lines that are no object, or half of one
	told    bool   // that there was garbage
}

// add counts a line. The first that is garbage is told to the person.
func (o *oddities) add(b []byte) []wire.Event {
	if b[0] == '{' && b[len(b)-1] == '}' {
		kind := "unreadable" // whole, and yet no JSON: nested deeper than anything reads, or wrong inside
		if json.Valid(b) {
			kind = kindOf(b)
		}
		if _, known := o.kinds[kind]; !known && len(o.kinds) >= maxKinds {
			kind = "others"
		}
		o.kinds[kind]++
		if line := b[:min(len(b), maxOddLine)]; len(o.raw)+len(line) < maxOdd {
			o.raw = append(append(o.raw, line...), '\n')
		}
		return nil
	}
	o.garbage++
	// Half a line of the protocol, where a process broke off, is no news: the
	// end of the run tells it.
	if b[0] == '{' || o.told {
		return nil
	}
	o.told = true
	return []wire.Event{wire.System{
		Level: wire.LevelWarn, Code: "garbage",
		Text: o.program + " printed something that is not part of its protocol. It was left out.",
	}}
}

// kindOf names a line by what tells its kind in the protocols of the CLIs.
func kindOf(b []byte) string {
	var name []string
	for _, path := range []string{"type", "subtype", "method", "params.update.sessionUpdate"} {
		if s := gjson.GetBytes(b, path).Str; s != "" {
			name = append(name, s)
		}
	}
	const limit = 80
	kind := strings.Join(name, "/")
	if kind == "" {
		kind = "unnamed"
	}
	if len(kind) > limit {
		kind = strings.ToValidUTF8(kind[:limit], "")
	}
	return kind
}

// remains is what a run leaves to be told at its end: lines that nobody
// understood, and that a turn that went well said nothing.
func (l *loop) remains(res agent.Result) []wire.Event {
	var events []wire.Event
	if n := l.odd.unknown(); n > 0 {
		notice := wire.System{
			Level: wire.LevelInfo, Code: "not_understood",
			Text: fmt.Sprintf("Signalbox does not know some of what %s printed, as can be after an update of it (lines: %d, kinds: %s). It was left out, and is kept with the chat.",
				l.program.Name, n, strings.Join(l.odd.names(), ", ")),
		}
		if ref, err := l.host.Keep(l.odd.raw); err != nil {
			l.log.Warn("lines not kept", "err", err)
		} else {
			notice.Ref = &ref
		}
		events = append(events, notice)
	}
	if res.Status == wire.StatusOK && !l.heard {
		events = append(events, wire.System{
			Level: wire.LevelInfo, Code: "no_words",
			Text: l.program.Name + " ended its turn without saying or doing anything.",
		})
	}
	return events
}

// answers reports whether an event shows that an agent said or did something.
func answers(ev wire.Event) bool {
	switch ev.(type) {
	case wire.AssistantText, wire.ToolUseStart, wire.Todo:
		return true
	default:
		return false
	}
}

// unknown counts the lines of unknown kinds.
func (o *oddities) unknown() int {
	n := 0
	for _, of := range o.kinds {
		n += of
	}
	return n
}

// report logs what was not understood, once at the end of a run.
func (o *oddities) report(log *slog.Logger) {
	if o.garbage == 0 && len(o.kinds) == 0 {
		return
	}
	log.Warn("lines not understood", "garbage", o.garbage, "unknown", strings.Join(o.names(), " "))
}

// names lists the kinds, most frequent first.
func (o *oddities) names() []string {
	names := make([]string, 0, len(o.kinds))
	for name := range o.kinds {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := o.kinds[b] - o.kinds[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return names
}

// show logs a line that is not understood.
func (o *oddities) show(log *slog.Logger, b []byte) {
	const limit = 4096
	if log.Enabled(context.Background(), slog.LevelDebug) {
		log.Debug("line not understood", "bytes", len(b), "line", string(b[:min(len(b), limit)]))
	}
}
