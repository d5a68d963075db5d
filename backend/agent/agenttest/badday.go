package agenttest

import (
	"strings"
	"testing"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/wire"
)

// Whole runs one prompt and returns the run after its end.
func Whole(t *testing.T, p agent.Provider, opts Options) *Running {
	t.Helper()
	const soon = 30 * time.Second
	r := Start(t, Part{Provider: p, Prompt: "go"}, opts)
	r.Wait(soon)
	return r
}

// BadDay is a program that misbehaves, and what is to become of the run.
type BadDay struct {
	Script fake.Script
	Status wire.Status
	Code   string // of the result and of its errors
	Words  string // in the error's message
	Notice string // the code of a notice that is told once
}

// BadDays lives through each of the list.
func BadDays(t *testing.T, provider func(testing.TB, fake.Script) agent.Provider, list map[string]BadDay) {
	for name, day := range list {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Whole(t, provider(t, day.Script), Options{})
			r.Check(day.Status)
			if r.Result.Code != day.Code {
				t.Errorf("code = %q, want %q", r.Result.Code, day.Code)
			}
			for _, e := range Of[wire.Error](r.Events()) {
				if e.Code != day.Code || !strings.Contains(e.Message, day.Words) {
					t.Errorf("error %+v, want one with %q", e, day.Words)
				}
			}
			notices := 0
			for _, s := range Of[wire.System](r.Events()) {
				if s.Code == day.Notice {
					notices++
				}
			}
			if day.Notice != "" && notices != 1 {
				t.Errorf("%d notices %s, want 1", notices, day.Notice)
			}
		})
	}
}
