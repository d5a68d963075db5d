package proc

import (
	"encoding/json"
	"io"
	"sync"
	"syscall"
	"time"
)

// Child is a started program and everything that it starts. One goroutine of
// its own follows the supervisor, one reads stderr; both end before Done is
// closed.
type Child struct {
	launcher *Launcher
	mark     mark
	pipes    *pipes
	guard    <-chan ended
	stdout   *output
	lines    *LineReader

	mu sync.Mutex // of the control channel's sending half

	out      *json.Encoder
	asked    bool        // to stop
	over     bool        // nothing is awaited any more
	patience *time.Timer // until the supervisor is given up; nil while nothing is awaited

	begun      chan struct{} // closed when the fields below are known
	begin      func()
	supervisor Process
	process    Process
	failed     *failure
	unguarded  bool // the guard is lost

	done chan struct{} // closed when exit is known
	exit Exit
}

func newChild(l *Launcher, spec Spec, p *pipes, m mark, guard <-chan ended) *Child {
	stdout := &output{f: p.stdout}
	c := &Child{
		launcher: l,
		mark:     m,
		pipes:    p,
		guard:    guard,
		stdout:   stdout,
		lines:    NewLineReader(stdout, LineOptions{Spill: spec.Spill, OnCut: spec.OnCut}),
		out:      json.NewEncoder(p.control),
		begun:    make(chan struct{}),
		done:     make(chan struct{}),
		exit:     Exit{Code: -1, Lost: true},
	}
	c.begin = sync.OnceFunc(func() { close(c.begun) })
	return c
}

// Stdin returns the child's standard input. A write waits for the child to read;
// it is cut short by Close, by the deadline of SetWriteDeadline, which the
// returned value also has, and by the end of the child. It may be closed more
// than once.
func (c *Child) Stdin() io.WriteCloser { return input{c.pipes.stdin} }

// Line returns the next line of stdout without its end; valid until the next
// call. io.EOF after the last. What is not read holds the child up and nothing
// else; what it wrote before its end can be read after Wait too.
func (c *Child) Line() ([]byte, error) { return c.lines.Line() }

// Batch is Line with all lines that are there already; see [LineReader.Batch].
func (c *Child) Batch() ([][]byte, error) { return c.lines.Batch() }

// Supervisor names the supervising process, for running.json.
func (c *Child) Supervisor() Process { return c.supervisor }

// Process names the child itself.
func (c *Child) Process() Process { return c.process }

// Stop ends the tree: SIGINT to the child, 3 s, SIGTERM to every descendant,
// 3 s, SIGKILL to every descendant. It returns at once; Wait tells the end. A
// second call does nothing.
func (c *Child) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked {
		return
	}
	c.asked = true
	_ = c.out.Encode(order{Stop: true}) // the supervisor is gone: watch sees that
	c.awaitLocked(slack)
}

// letGo closes the lifeline: the supervisor ends the tree at once.
func (c *Child) letGo() {
	_ = c.pipes.control.CloseWrite() // closed already is fine
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaitLocked(slack)
}

// awaitLocked gives the supervisor d to tell the next thing. One that hangs or
// is stopped is killed; the guard then does its work.
func (c *Child) awaitLocked(d time.Duration) {
	switch {
	case c.over:
		return
	case c.patience != nil:
		c.patience.Reset(d)
		return
	}
	c.patience = time.AfterFunc(d, func() {
		select {
		case <-c.begun:
			signalProcess(c.supervisor, syscall.SIGKILL)
		default:
		}
		_ = c.pipes.control.Close() // watch stops listening
	})
}

// Done is closed when the tree is gone or given up.
func (c *Child) Done() <-chan struct{} { return c.done }

// Wait returns when the tree is gone or given up. Once the child has exited,
// what it left running is ended too. Any goroutine may wait, again too.
func (c *Child) Wait() Exit {
	<-c.done
	return c.exit
}

// watch gives the first order and follows the supervisor to its end.
func (c *Child) watch(first order) {
	var stderr tail
	errput := &output{f: c.pipes.stderr}
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = io.Copy(&stderr, errput) }) // ends with the pipe

	c.mu.Lock()
	_ = c.out.Encode(first) // the supervisor is gone: listen sees that
	c.mu.Unlock()
	c.settle(c.listen())
	c.begin()

	c.mu.Lock()
	c.over = true
	if c.patience != nil {
		c.patience.Stop()
	}
	c.mu.Unlock()
	_ = c.pipes.control.Close() // nothing more is said
	_ = c.pipes.stdin.Close()
	c.stdout.finish()
	errput.finish()
	reading.Wait()
	c.exit.Stderr = stderr.String()
	close(c.done)
	c.launcher.leave(c)
}

// listen takes reports until the tree is gone (told) or the supervisor is.
func (c *Child) listen() (told bool) {
	in := json.NewDecoder(c.pipes.control)
	for {
		var r report
		if err := in.Decode(&r); err != nil {
			return false
		}
		switch {
		case r.Started != nil:
			c.supervisor, c.process = r.Started.Supervisor, r.Started.Child
			c.begin()
		case r.Failed != nil:
			c.failed = r.Failed
			c.begin()
			return true
		case r.Ending:
			c.mu.Lock()
			c.awaitLocked(c.launcher.grace.whole() + slack)
			c.mu.Unlock()
		case r.Exited != nil:
			c.exit.Code, c.exit.Signal = r.Exited.Code, r.Exited.Signal
			c.exit.Lost = false
		case r.Gone != nil:
			c.exit.Left, c.exit.Lost = r.Gone.Left, false
			return true
		}
	}
}

// settle makes sure that the supervisor and its tree are gone. When the
// supervisor did not tell, the guard does; when that is lost too, this does.
func (c *Child) settle(told bool) {
	if told && len(c.exit.Left) > 0 {
		return // given up already
	}
	wait := slack
	if !told {
		wait += c.launcher.grace.short()
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case e, ok := <-c.guard:
		if e.Failed != nil {
			c.failed = e.Failed
		}
		if ok && !told {
			c.exit.Left = e.Left
		}
		if ok {
			return
		}
		c.unguarded = true
	case <-t.C:
	}
	rest := newMarked(c.mark)
	if c.supervisor.PID > 0 {
		rest.known[c.supervisor] = "" // nobody else tells that it has ended
	}
	left := ladder{tree: rest, grace: c.launcher.grace}.end(closed, closed)
	if !told {
		c.exit.Left = left
	}
}
