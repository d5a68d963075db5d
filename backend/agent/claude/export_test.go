package claude

import (
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// Translation is a translator as tests drive it.
type Translation struct{ t *translator }

// Translate returns a translator for req.
func Translate(req agent.Request) Translation { return Translation{newTranslator(req)} }

// Step is what a line meant.
type Step struct {
	Events    []wire.Event
	Frames    []wire.Frame
	Asks      []agent.Ask
	AskIDs    []string
	Withdrawn []string
	Replies   [][]byte
	Odd       bool
}

func (t Translation) Line(b []byte, now time.Time) Step {
	o := t.t.line(b, now)
	s := Step{Events: o.events, Frames: o.frames, Withdrawn: o.withdrawn, Replies: o.replies, Odd: o.odd}
	for _, r := range o.asks {
		s.Asks = append(s.Asks, r.ask)
		s.AskIDs = append(s.AskIDs, r.id)
	}
	return s
}

func (t Translation) Granted(toolID string, now time.Time) { t.t.granted(toolID, now) }

func (t Translation) Finish(exit proc.Exit, cancelled bool, now time.Time) ([]wire.Event, agent.Result) {
	return t.t.finish(ending{exit: exit, cancelled: cancelled}, now)
}

func (t Translation) SessionLost() bool { return t.t.sessionLost() }

func (t Translation) Unknown() map[string]int { return t.t.unknown }

func (t Translation) Garbage() int { return t.t.garbage }

// Done reports whether stdin would be closed now.
func (t Translation) Done() bool { return t.t.stage() == stageDone }

var (
	Arguments   = arguments
	Environment = environment
	FirstLines  = firstLines
	AllowLine   = allowLine
	DenyLine    = denyLine
)

// Process is what the loop needs of a child.
type Process = process

// Loop runs the loop over a child of the test.
func (p *Provider) Loop(req agent.Request, host agent.Host, child Process) *loop {
	return newLoop(req, host, child, p.log)
}

var RunLoop = (*loop).run

// Break makes the translator of l panic at the next tool call.
func Break(l *loop) { l.t.tools = nil }
