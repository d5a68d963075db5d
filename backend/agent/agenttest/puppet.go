package agenttest

import (
	"bytes"
	"context"
	"io"
	"sync"

	"signalbox/backend/agent"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// Puppet is a child process that a test plays, without a process: it fits into
// fake time.
type Puppet struct {
	Lines   chan string   // stdout, one line or several that come together; closed is its end
	Written chan string   // stdin, line by line
	Closed  chan struct{} // closed when stdin is
	Stopped chan struct{} // closed by Stop
	Deaf    bool          // stdin is not read
	Stays   bool          // Stop does not end it

	gone                  chan struct{}
	stop, exit, closeOnce sync.Once
}

// NewPuppet returns a process that has printed nothing yet.
func NewPuppet() *Puppet {
	const enough = 1000 // lines that a test does not read
	return &Puppet{
		Lines: make(chan string), Written: make(chan string, enough), Closed: make(chan struct{}),
		Stopped: make(chan struct{}), gone: make(chan struct{}),
	}
}

// Stdin implements dialog.Process.
func (p *Puppet) Stdin() io.WriteCloser { return puppetStdin{p} }

// Batch implements dialog.Process.
func (p *Puppet) Batch() ([][]byte, error) {
	select {
	case s, ok := <-p.Lines:
		if ok {
			return bytes.Split([]byte(s), []byte("\n")), nil
		}
	case <-p.gone:
	}
	return nil, io.EOF
}

// Stop implements dialog.Process.
func (p *Puppet) Stop() {
	p.stop.Do(func() { close(p.Stopped) })
	if !p.Stays {
		p.Exit()
	}
}

// Exit ends it.
func (p *Puppet) Exit() { p.exit.Do(func() { close(p.gone) }) }

// Done implements dialog.Process.
func (p *Puppet) Done() <-chan struct{} { return p.gone }

// Wait implements dialog.Process.
func (p *Puppet) Wait() proc.Exit {
	<-p.gone
	select {
	case <-p.Stopped:
		return proc.Exit{Code: -1, Signal: "interrupt"}
	default:
		return proc.Exit{}
	}
}

type puppetStdin struct{ p *Puppet }

func (s puppetStdin) Write(b []byte) (int, error) {
	if s.p.Deaf {
		<-s.p.gone
		return 0, io.ErrClosedPipe
	}
	s.p.Written <- string(b)
	return len(b), nil
}

func (s puppetStdin) Close() error {
	s.p.closeOnce.Do(func() { close(s.p.Closed) })
	return nil
}

// Diary is a host that keeps what it is told.
type Diary struct {
	// Answer answers; default yes.
	Answer func(context.Context, agent.Ask) (agent.Answer, error)
	Refuse error // of every event

	mu     sync.Mutex
	events []wire.Event
	emits  int
	kept   [][]byte
}

// Kept returns what was kept beside the log.
func (d *Diary) Kept() [][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([][]byte(nil), d.kept...)
}

// Keep implements [agent.Host].
func (d *Diary) Keep(body []byte) (wire.BlobRef, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = append(d.kept, bytes.Clone(body))
	return ref(body), nil
}

// Emits returns how many calls of Emit they came by.
func (d *Diary) Emits() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.emits
}

// Events returns the events so far.
func (d *Diary) Events() []wire.Event {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]wire.Event(nil), d.events...)
}

// Emit implements [agent.Host].
func (d *Diary) Emit(evs ...wire.Event) error {
	if d.Refuse != nil {
		return d.Refuse
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, evs...)
	if len(evs) > 0 {
		d.emits++
	}
	return nil
}

// Remark implements [agent.Host].
func (d *Diary) Remark(wire.Frame) {}

// Ask implements [agent.Host].
func (d *Diary) Ask(ctx context.Context, a agent.Ask) (agent.Answer, error) {
	if d.Answer != nil {
		return d.Answer(ctx, a)
	}
	return agent.Answer{Allow: true}, nil
}
