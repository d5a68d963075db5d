package agenttest

import (
	"bytes"
	"context"
	"testing"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// Feed gives a translator any lines at all, answers what it asks, and checks
// that what it makes of them can be logged and ends well.
func Feed(t *testing.T, tr dialog.Translator, lines [][]byte) {
	t.Helper()
	now := time.Unix(1_800_000_000, 0)
	var events []wire.Event
	asks := map[string]dialog.Ask{}
	var take func(s dialog.Step)
	take = func(s dialog.Step) {
		events = append(events, s.Events...)
		for _, id := range s.Withdrawn {
			delete(asks, id)
		}
		for _, a := range s.Asks {
			asks[a.ID] = a
		}
		for _, line := range s.Send {
			if bytes.Count(line, []byte("\n")) != 1 || line[len(line)-1] != '\n' {
				t.Errorf("what is sent is no line: %q", line)
			}
		}
		for _, e := range s.Errands {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			take(e(ctx)(now))
		}
	}
	take(tr.Begin(now))
	for i, line := range lines {
		now = now.Add(time.Millisecond)
		line = bytes.ToValidUTF8(bytes.TrimSpace(line), []byte("\uFFFD"))
		if len(line) == 0 {
			continue
		}
		take(tr.Line(line, now))
		_ = tr.State()
		for id, a := range asks {
			delete(asks, id)
			take(a.Answer(agent.Answer{Allow: i%2 == 0, Reason: "No."}, now))
			break
		}
	}
	take(tr.Interrupt(now))
	last, res := tr.Finish(dialog.Ending{Exit: proc.Exit{}}, now)
	Check(t, append(events, last...), res)
}
