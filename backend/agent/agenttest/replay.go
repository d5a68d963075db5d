package agenttest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/tidwall/gjson"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// Replayed is a capture after its translation.
type Replayed struct {
	Events []wire.Event
	Frames []wire.Frame
	Asks   []agent.Ask
	Sent   [][]byte // to the CLI
	Result agent.Result
	Err    error
	Log    string // of the loop
}

// Replay plays a capture to a translator in fake time, with no process. What
// the CLI asks leave for is answered as the captured client did; where that one
// gave no answer there is none here. asks says of which of the CLI's requests a
// person is asked.
func (c Capture) Replay(t *testing.T, tr dialog.Translator, p dialog.Program, home string, asks func(request gjson.Result) bool) Replayed {
	t.Helper()
	var r Replayed
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		host := &replayHost{answers: c.answers(asks)}
		child := newReplayed(c, home, func() {
			synctest.Wait()
			cancel()
		})
		var log bytes.Buffer
		done := make(chan struct{})
		go func() {
			defer close(done)
			child.play(t)
		}()
		r.Result, r.Err = dialog.Follow(ctx, child, host, tr, p, slog.New(slog.NewTextHandler(&log, nil)))
		child.Stop()
		<-done
		r.Events, r.Frames, r.Asks, r.Sent, r.Log = host.events, host.frames, host.asks, child.sent, log.String()
	})
	return r
}

// replayHost keeps what it is told and answers as the capture did.
type replayHost struct {
	answers [][]byte

	mu     sync.Mutex
	events []wire.Event
	frames []wire.Frame
	asks   []agent.Ask
}

func (h *replayHost) Emit(evs ...wire.Event) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, evs...)
	return nil
}

func (h *replayHost) Remark(f wire.Frame) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.frames = append(h.frames, f)
}

func (h *replayHost) Keep(body []byte) (wire.BlobRef, error) { return ref(body), nil }

func (h *replayHost) Ask(ctx context.Context, ask agent.Ask) (agent.Answer, error) {
	h.mu.Lock()
	n := len(h.asks)
	h.asks = append(h.asks, ask)
	h.mu.Unlock()
	if ask.Kind == wire.ApprovalPlan && n >= len(h.answers) {
		return agent.Answer{Reason: "Not yet."}, nil // the CLI itself does not ask
	}
	if n >= len(h.answers) || h.answers[n] == nil {
		<-ctx.Done()
		return agent.Answer{}, context.Cause(ctx)
	}
	if ask.Kind == wire.ApprovalQuestion {
		return said(ask.Questions, h.answers[n]), nil
	}
	yes := bytes.Contains(h.answers[n], []byte(`"accept`)) || bytes.Contains(h.answers[n], []byte(`approve`)) ||
		bytes.Contains(h.answers[n], []byte(`plan_opt_`))
	return agent.Answer{Allow: yes, Reason: "Not today."}, nil
}

// said finds what the captured client chose of the questions.
func said(questions []wire.QuestionItem, answer []byte) agent.Answer {
	a := agent.Answer{Answers: map[string][]string{}, Reason: "Not today."}
	for _, q := range questions {
		for _, o := range q.Options {
			if bytes.Contains(answer, []byte(strconv.Quote(o.Label))) {
				a.Allow = true
				a.Answers[q.Question] = append(a.Answers[q.Question], o.Label)
			}
		}
	}
	return a
}

// replayed is a process that plays a capture.
type replayed struct {
	c      Capture
	replay *fake.Replay
	lines  chan []byte   // stdout; closed at its end
	in     chan []byte   // stdin; closed with it
	stop   chan struct{} // closed by Stop
	gone   chan struct{} // closed when it has ended
	exit   proc.Exit

	stopOnce, closeOnce sync.Once
	sent                [][]byte
}

func newReplayed(c Capture, home string, interrupted func()) *replayed {
	const enough = 1000 // a client writes a few lines
	p := &replayed{
		c: c, lines: make(chan []byte), in: make(chan []byte, enough), stop: make(chan struct{}), gone: make(chan struct{}),
		exit: c.exit,
	}
	p.replay = &fake.Replay{
		Base: c.Base, Home: home, Interrupted: interrupted,
		Next: func() ([]byte, bool) {
			select {
			case line, ok := <-p.in:
				return line, ok
			case <-p.stop:
				return nil, false
			}
		},
		Say: func(line []byte) error {
			select {
			case p.lines <- line:
				return nil
			case <-p.stop:
				return io.EOF
			}
		},
	}
	return p
}

func (p *replayed) play(t *testing.T) {
	if _, err := p.replay.Play(); err != nil && err != io.EOF {
		t.Errorf("play %s: %v", p.c.Name, err)
	}
	select {
	case <-p.stop:
		p.exit.Code, p.exit.Signal = -1, "interrupt"
	default:
	}
	close(p.lines)
	close(p.gone)
}

func (p *replayed) Batch() ([][]byte, error) {
	line, ok := <-p.lines
	if !ok {
		return nil, io.EOF
	}
	return [][]byte{line}, nil
}

func (p *replayed) Stdin() io.WriteCloser { return replayedStdin{p} }
func (p *replayed) Stop()                 { p.stopOnce.Do(func() { close(p.stop) }) }
func (p *replayed) Done() <-chan struct{} { return p.gone }

func (p *replayed) Wait() proc.Exit {
	<-p.gone
	return p.exit
}

type replayedStdin struct{ p *replayed }

func (s replayedStdin) Write(b []byte) (int, error) {
	line := bytes.TrimSpace(bytes.Clone(b))
	s.p.sent = append(s.p.sent, line)
	s.p.in <- line
	return len(b), nil
}

func (s replayedStdin) Close() error {
	s.p.closeOnce.Do(func() { close(s.p.in) })
	return nil
}
