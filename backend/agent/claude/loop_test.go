package claude_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/claude"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// puppet is a child process that a test plays.
type puppet struct {
	lines   chan string   // stdout; closed is its end
	written chan string   // stdin, line by line
	deaf    bool          // stdin is not read
	end     chan struct{} // closed when it is gone
	stopped chan struct{} // closed by Stop
	dies    bool          // Stop ends it
	closed  chan struct{} // closed when stdin is

	stop, gone, close sync.Once
}

func newPuppet() *puppet {
	return &puppet{
		lines: make(chan string), written: make(chan string, 1000),
		end: make(chan struct{}), stopped: make(chan struct{}), closed: make(chan struct{}), dies: true,
	}
}

func (p *puppet) Stdin() io.WriteCloser { return puppetStdin{p} }

func (p *puppet) Line() ([]byte, error) {
	select {
	case s, ok := <-p.lines:
		if ok {
			return []byte(s), nil
		}
	case <-p.end:
	}
	return nil, io.EOF
}

func (p *puppet) Stop() {
	p.stop.Do(func() { close(p.stopped) })
	if p.dies {
		p.exit()
	}
}

func (p *puppet) exit() { p.gone.Do(func() { close(p.end) }) }

func (p *puppet) Done() <-chan struct{} { return p.end }

func (p *puppet) Wait() proc.Exit {
	<-p.end
	select {
	case <-p.stopped:
		return proc.Exit{Code: -1, Signal: "interrupt"}
	default:
		return proc.Exit{}
	}
}

type puppetStdin struct{ p *puppet }

func (s puppetStdin) Write(b []byte) (int, error) {
	if s.p.deaf {
		<-s.p.end
		return 0, io.ErrClosedPipe
	}
	s.p.written <- string(b)
	return len(b), nil
}

func (s puppetStdin) Close() error {
	s.p.close.Do(func() { close(s.p.closed) })
	return nil
}

// diary is a host that keeps what it is told.
type diary struct {
	mu     sync.Mutex
	events []wire.Event
	ask    func(context.Context, agent.Ask) (agent.Answer, error)
}

func (d *diary) Emit(ev wire.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, ev)
	return nil
}

func (d *diary) Remark(wire.Frame) {}

func (d *diary) Ask(ctx context.Context, a agent.Ask) (agent.Answer, error) {
	if d.ask != nil {
		return d.ask(ctx, a)
	}
	return agent.Answer{Allow: true}, nil
}

// outcome is how a run ended and how long it took.
type outcome struct {
	res  agent.Result
	err  error
	took time.Duration
}

// follow runs the loop over p in a bubble.
func follow(ctx context.Context, t *testing.T, p *puppet, d *diary) <-chan outcome {
	t.Helper()
	done := make(chan outcome, 1)
	loop := claude.New(claude.Options{Log: agenttest.Logger(t), Environ: []string{}}).Loop(agent.Request{Text: "go", Cwd: "/w"}, d, p)
	began := time.Now()
	go func() {
		res, _, err := claude.RunLoop(loop, ctx)
		done <- outcome{res, err, time.Since(began)}
	}()
	return done
}

const (
	initLine   = `{"type":"system","subtype":"init","session_id":"s","model":"m"}`
	resultLine = `{"type":"result","subtype":"success","is_error":false,"result":"ok","session_id":"s"}`
)

func TestLoop_limits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		play   func(p *puppet, cancel context.CancelFunc)
		stop   bool // does not end when it is stopped at once
		status wire.Status
		code   string
		took   time.Duration
	}{
		{
			name:   "no answer at the start",
			play:   func(*puppet, context.CancelFunc) {},
			status: wire.StatusFailed, code: "no_answer", took: 60 * time.Second,
		},
		{
			name: "a turn may take as long as it takes",
			play: func(p *puppet, _ context.CancelFunc) {
				p.lines <- initLine
				time.Sleep(100 * time.Hour)
				p.lines <- resultLine
				<-p.closed
				p.exit()
			},
			status: wire.StatusOK, took: 100 * time.Hour,
		},
		{
			name: "a process that does not exit is ended, and its answer counts",
			play: func(p *puppet, _ context.CancelFunc) {
				p.lines <- initLine
				p.lines <- resultLine
			},
			status: wire.StatusOK, took: 15 * time.Second,
		},
		{
			name: "a process that closes stdout and stays",
			play: func(p *puppet, _ context.CancelFunc) {
				p.lines <- initLine
				close(p.lines)
			},
			status: wire.StatusFailed, code: "killed", took: 15 * time.Second,
		},
		{
			name: "the turn after a subagent may not come",
			play: func(p *puppet, _ context.CancelFunc) {
				p.lines <- initLine
				p.lines <- `{"type":"system","subtype":"task_started","task_id":"t","task_type":"local_agent","is_backgrounded":true}`
				p.lines <- resultLine
				time.Sleep(time.Hour) // it works
				p.lines <- `{"type":"system","subtype":"background_tasks_changed","tasks":[]}`
				<-p.closed
				p.exit()
			},
			status: wire.StatusOK, took: time.Hour + 10*time.Second,
		},
		{
			name: "a shell in the background is not waited for",
			play: func(p *puppet, _ context.CancelFunc) {
				p.lines <- initLine
				p.lines <- `{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"b","task_type":"local_bash"}]}`
				p.lines <- resultLine
				<-p.closed
				p.exit()
			},
			status: wire.StatusOK, took: 0,
		},
		{
			name: "a queued turn is waited for",
			play: func(p *puppet, _ context.CancelFunc) {
				p.lines <- initLine
				p.lines <- strings.Replace(resultLine, "{", `{"queued_turn_count":1,`, 1)
				time.Sleep(5 * time.Second)
				p.lines <- initLine
				time.Sleep(time.Hour)
				p.lines <- resultLine
				<-p.closed
				p.exit()
			},
			status: wire.StatusOK, took: time.Hour + 5*time.Second,
		},
		{
			name: "an interrupt that is not heard",
			play: func(p *puppet, cancel context.CancelFunc) {
				p.lines <- initLine
				cancel()
			},
			status: wire.StatusCancelled, took: 5 * time.Second,
		},
		{
			name: "an interrupt before the first answer",
			play: func(_ *puppet, cancel context.CancelFunc) {
				cancel()
			},
			status: wire.StatusCancelled, took: 5 * time.Second,
		},
		{
			name: "an interrupt that is heard",
			play: func(p *puppet, cancel context.CancelFunc) {
				p.lines <- initLine
				cancel()
				for line := range p.written {
					if strings.Contains(line, `"subtype":"interrupt"`) {
						break
					}
				}
				p.lines <- `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"}`
				<-p.closed
				p.exit()
			},
			status: wire.StatusCancelled, took: 0,
		},
		{
			name: "stopped while only a subagent works",
			play: func(p *puppet, cancel context.CancelFunc) {
				p.lines <- initLine
				p.lines <- `{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"t","task_type":"local_agent"}]}`
				p.lines <- resultLine
				cancel()
			},
			status: wire.StatusCancelled, took: 0,
		},
		{
			name: "stopped after the answer: the answer stands",
			play: func(p *puppet, cancel context.CancelFunc) {
				p.lines <- initLine
				p.lines <- resultLine
				<-p.closed
				cancel()
			},
			status: wire.StatusOK, took: 5 * time.Second,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p, d := newPuppet(), &diary{}
				done := follow(ctx, t, p, d)
				tt.play(p, cancel)
				got := <-done
				if got.err != nil || got.res.Status != tt.status || got.res.Code != tt.code {
					t.Errorf("ended %+v, %v; want %s %q", got.res, got.err, tt.status, tt.code)
				}
				if got.took != tt.took {
					t.Errorf("took %v, want %v", got.took, tt.took)
				}
				agenttest.Check(t, d.events, got.res)
			})
		})
	}
}

// A CLI that asks and asks but does not read the answers is stopped; nothing
// grows meanwhile.
func TestLoop_stopsWhatDoesNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, d := newPuppet(), &diary{}
		p.deaf = true
		done := follow(t.Context(), t, p, d)
		p.lines <- initLine
		for i := range 1000 {
			line := fmt.Sprintf(`{"type":"control_request","request_id":"%d","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{}}}`, i)
			select {
			case p.lines <- line:
			case <-p.end:
			}
		}
		if got := <-done; got.res.Code != "not_reading" {
			t.Errorf("ended %+v, %v", got.res, got.err)
		}
	})
}

// A request of a kind that is not known is answered, so that the CLI goes on.
func TestLoop_refusesUnknownRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, d := newPuppet(), &diary{}
		done := follow(t.Context(), t, p, d)
		p.lines <- `{"type":"control_request","request_id":"h1","request":{"subtype":"hook_callback"}}`
		for line := range p.written {
			if strings.Contains(line, `"h1"`) {
				if !strings.Contains(line, `"subtype":"error"`) {
					t.Errorf("answered %s", line)
				}
				break
			}
		}
		p.lines <- resultLine
		<-p.closed
		p.exit()
		if got := <-done; got.res.Status != wire.StatusOK {
			t.Errorf("ended %+v, %v", got.res, got.err)
		}
	})
}

// A fault in the translator fails its run and nothing else.
func TestLoop_survivesAPanic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, d := newPuppet(), &diary{}
		done := make(chan outcome, 1)
		loop := claude.New(claude.Options{Environ: []string{}}).Loop(agent.Request{}, d, p)
		claude.Break(loop)
		go func() {
			res, _, err := claude.RunLoop(loop, t.Context())
			done <- outcome{res: res, err: err}
		}()
		p.lines <- initLine
		p.lines <- `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}`
		got := <-done
		if got.err != nil || got.res.Status != wire.StatusFailed || got.res.Code != "adapter_fault" {
			t.Errorf("ended %+v, %v", got.res, got.err)
		}
		agenttest.Check(t, d.events, got.res)
	})
}

// The time in which a person makes up their mind is not the tool's.
func TestLoop_waitingForLeaveIsNotTheToolsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet()
		d := &diary{ask: func(context.Context, agent.Ask) (agent.Answer, error) {
			time.Sleep(time.Hour)
			return agent.Answer{Allow: true}, nil
		}}
		done := follow(t.Context(), t, p, d)
		p.lines <- initLine
		p.lines <- `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}`
		p.lines <- `{"type":"control_request","request_id":"a","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{"command":"make"}}}`
		for line := range p.written {
			if strings.Contains(line, `"allow"`) {
				break
			}
		}
		time.Sleep(3 * time.Second)
		p.lines <- `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"done"}]}}`
		p.lines <- resultLine
		<-p.closed
		p.exit()
		<-done
		ends := agenttest.Of[wire.ToolUseEnd](d.events)
		if len(ends) != 1 || ends[0].MS != 3000 {
			t.Errorf("ends %+v, want one of 3 s", ends)
		}
	})
}

var errGone = errors.New("the disk is full")

type fullDisk struct{ diary }

func (*fullDisk) Emit(wire.Event) error { return errGone }

func TestLoop_readsToTheEndAfterARefusedEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet()
		p.dies = false
		loop := claude.New(claude.Options{Environ: []string{}}).Loop(agent.Request{}, &fullDisk{}, p)
		done := make(chan error, 1)
		go func() {
			_, _, err := claude.RunLoop(loop, t.Context())
			done <- err
		}()
		p.lines <- initLine
		<-p.stopped
		for range 100 {
			p.lines <- initLine // late lines are taken, or the process would hang on its pipe
		}
		p.exit()
		if err := <-done; !errors.Is(err, errGone) {
			t.Errorf("returned %v", err)
		}
	})
}
