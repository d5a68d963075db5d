package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/tidwall/gjson"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// Translation is a translator as tests drive it.
type Translation struct {
	t   *translator
	odd *oddLines
}

// oddLines counts what is not understood.
type oddLines struct {
	unknown map[string]int
	garbage int
}

// Translate returns a translator for req.
func Translate(req agent.Request) Translation {
	return Translation{newTranslator(New(Options{Environ: []string{}}).program, req), &oddLines{unknown: map[string]int{}}}
}

// Line translates a line as it comes from a process.
func (t Translation) Line(b []byte, now time.Time) dialog.Step {
	b = bytes.ToValidUTF8(bytes.TrimSpace(b), []byte("\uFFFD"))
	if len(b) == 0 {
		return dialog.Step{}
	}
	s := t.t.Line(b, now)
	switch {
	case s.Odd && json.Valid(b) && b[0] == '{':
		h := gjson.GetManyBytes(b, "type", "subtype")
		t.odd.unknown[h[0].Str+"/"+h[1].Str]++
	case s.Odd:
		t.odd.garbage++
	}
	return s
}

func (t Translation) Finish(exit proc.Exit, cancelled bool, now time.Time) ([]wire.Event, agent.Result) {
	return t.t.Finish(dialog.Ending{Exit: exit, Cancelled: cancelled}, now)
}

// Turning reports whether a turn goes on.
func (t Translation) Turning() bool { return t.t.State().Stage == dialog.Turning }

// Lost reports whether the prompt is to be given again, to a new session.
func (t Translation) Lost() bool { return t.t.lost }

func (t Translation) Unknown() map[string]int { return t.odd.unknown }

func (t Translation) Garbage() int { return t.odd.garbage }

// Done reports whether stdin would be closed now.
func (t Translation) Done() bool { return t.t.stage() == dialog.Over }

var (
	Environment = environment
	FirstLines  = firstLines
	AllowLine   = allowLine
	DenyLine    = denyLine
)

// Arguments returns the whole command line of a request.
func Arguments(path string, req agent.Request) ([]string, error) {
	args, err := arguments(req, "")
	return append([]string{path}, args...), err
}

// Follow runs the loop over a child of the test.
func (p *Provider) Follow(ctx context.Context, req agent.Request, host agent.Host, child dialog.Process) (agent.Result, error) {
	return dialog.Follow(ctx, child, host, newTranslator(p.program, req), p.program, p.log)
}
