package claude

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

// How long the loop waits for what should come. All are far above what was seen
// and bound what a broken CLI can hold up.
const (
	startLimit = 60 * time.Second // for the first answer, from a cold disk
	// interruptLimit is the in-band part of a stop; signals follow.
	interruptLimit = 5 * time.Second
	wakeLimit      = 10 * time.Second // for the turn that the end of background work begins
	// exitLimit is for the end of a process whose stdin is closed. The CLI
	// itself gives background shells five seconds.
	exitLimit = 15 * time.Second
)

// outgoing is how many lines may wait to be written. The CLI has a few requests
// open at most; when so many are not taken, it no longer reads.
const outgoing = 64

// loop drives one process. One goroutine runs it and owns all its fields; the
// reader, the writer and the asks talk to it through channels and end with it.
type loop struct {
	t     *translator
	host  agent.Host
	child process
	log   *slog.Logger

	lines chan []byte   // from the reader, which closes it after the last line; one at a time
	next  chan struct{} // to the reader: the line was used
	out   chan []byte   // to the writer; closed by the loop to close stdin
	over  chan struct{} // closed when the loop takes no answers any more

	answers chan answer // from the asks, each of which sends one or sees over
	asks    map[string]context.CancelFunc

	timer   *time.Timer
	waiting waiting

	inputClosed bool
	cancelled   bool   // ctx ended before the run was done
	hurry       bool   // ctx ended
	stopped     string // the code of the fault for which the process is stopped
	emitErr     error  // the log refused an event: nothing more is emitted
}

// waiting is what the timer is for.
type waiting int

const (
	waitNothing waiting = iota
	waitStart
	waitInterrupt
	waitWake
	waitExit
)

var limits = map[waiting]time.Duration{
	waitStart: startLimit, waitInterrupt: interruptLimit, waitWake: wakeLimit, waitExit: exitLimit,
}

// answer is what came of a request for leave.
type answer struct {
	request permissionRequest
	answer  agent.Answer
	err     error
}

func newLoop(req agent.Request, host agent.Host, child process, log *slog.Logger) *loop {
	return &loop{
		t: newTranslator(req), host: host, child: child, log: log,
		lines:   make(chan []byte),
		next:    make(chan struct{}),
		out:     make(chan []byte, outgoing),
		over:    make(chan struct{}),
		answers: make(chan answer),
		asks:    map[string]context.CancelFunc{},
	}
}

// run gives the prompt and follows the process to its end. lost says that the
// session was not there and that the run may be tried again.
func (l *loop) run(ctx context.Context) (res agent.Result, lost bool, err error) {
	var helpers sync.WaitGroup
	helpers.Go(l.read)
	helpers.Go(l.write)
	asking, cancelAsks := context.WithCancel(ctx)
	l.timer = time.NewTimer(startLimit)
	l.waiting = waitStart
	for _, b := range firstLines(l.t.req.Text) {
		l.send(b)
	}

	l.follow(ctx, asking, &helpers)

	cancelAsks()
	close(l.over)
	l.timer.Stop()
	l.closeInput()
	_ = l.child.Stdin().Close() // a writer that still waits is let go; closed already is fine
	helpers.Wait()
	exit := l.child.Wait()
	l.report()

	if l.emitErr != nil {
		return agent.Result{}, false, l.emitErr
	}
	if l.t.sessionLost() && !l.cancelled && l.stopped == "" && len(exit.Left) == 0 {
		return agent.Result{}, true, nil
	}
	events, res := l.finish(ending{exit: exit, cancelled: l.cancelled, stopped: l.stopped})
	var left error
	if len(exit.Left) > 0 {
		var e wire.Error
		e, left = leftError(exit.Left)
		if res.Status != wire.StatusFailed {
			events = append(events, e)
		}
		res.Status, res.Code, res.Notice = wire.StatusFailed, e.Code, e.Message
	}
	for _, ev := range events {
		if err := l.host.Emit(ev); err != nil {
			return agent.Result{}, false, err
		}
	}
	return res, false, left
}

// follow returns when stdout is read to its end and the process is gone.
func (l *loop) follow(ctx, asking context.Context, helpers *sync.WaitGroup) {
	ended := ctx.Done()
	lines := l.lines
	var gone <-chan struct{} // waited for once stdout is at its end
	for {
		select {
		case b, ok := <-lines:
			if !ok {
				lines, gone = nil, l.child.Done()
				break
			}
			l.take(asking, helpers, b)
			l.next <- struct{}{}
		case <-gone:
			return
		case a := <-l.answers:
			l.answered(a)
		case <-ended:
			ended = nil
			l.cancel()
		case <-l.timer.C:
			l.waiting = waitNothing
			l.late(lines == nil)
		}
		l.attend(lines == nil)
	}
}

// take translates a line and does what it asks for.
func (l *loop) take(asking context.Context, helpers *sync.WaitGroup, b []byte) {
	if l.emitErr != nil || l.stopped == codeAdapter {
		return // read to the end, nothing more
	}
	o, ok := l.translate(b)
	if !ok {
		return
	}
	if o.odd {
		l.odd(b)
	}
	for _, ev := range o.events {
		if l.emitErr = l.host.Emit(ev); l.emitErr != nil {
			l.child.Stop()
			return
		}
	}
	for _, f := range o.frames {
		l.host.Remark(f)
	}
	for _, b := range o.replies {
		l.send(b)
	}
	for _, id := range o.withdrawn {
		if cancel, ok := l.asks[id]; ok {
			cancel()
			delete(l.asks, id)
		}
	}
	for _, request := range o.asks {
		ctx, cancel := context.WithCancel(asking)
		l.asks[request.id] = cancel
		helpers.Go(func() {
			defer cancel()
			a, err := l.host.Ask(ctx, request.ask)
			select {
			case l.answers <- answer{request, a, err}:
			case <-l.over:
			}
		})
	}
}

// translate is the translator's line with a guard: what it makes of hostile
// input must never bring the daemon down.
func (l *loop) translate(b []byte) (o output, ok bool) {
	defer func() {
		if v := recover(); v != nil {
			l.panicked(v)
			o, ok = output{}, false
		}
	}()
	return l.t.line(b, time.Now()), true
}

func (l *loop) finish(e ending) (events []wire.Event, res agent.Result) {
	defer func() {
		if v := recover(); v != nil {
			l.panicked(v)
			stop := stopError(ending{stopped: codeAdapter})
			events, res = []wire.Event{stop}, agent.Result{Status: wire.StatusFailed, Code: stop.Code}
		}
	}()
	return l.t.finish(e, time.Now())
}

func (l *loop) panicked(v any) {
	l.log.Error("panic in translator", "err", fmt.Sprint(v), "stack", string(debug.Stack()))
	l.stop(codeAdapter)
}

// answered sends the answer to a request for leave, unless it was withdrawn.
func (l *loop) answered(a answer) {
	if _, open := l.asks[a.request.id]; !open {
		return
	}
	delete(l.asks, a.request.id)
	switch {
	case l.hurry: // the interrupt withdraws it
	case a.err != nil:
		l.log.Warn("ask not answered", "tool", a.request.ask.Tool, "err", a.err)
		l.send(denyLine(a.request.id, "No answer could be got."))
	case a.answer.Allow:
		l.t.granted(a.request.ask.ToolID, time.Now())
		l.send(allowLine(a.request.id, a.request.input))
	default:
		reason := a.answer.Reason
		if reason == "" {
			reason = "The person said no."
		}
		l.send(denyLine(a.request.id, reason))
	}
}

// cancel stops the turn: in-band while one is under way, else by signals. When
// all is done already it only shortens the wait for the process's end.
func (l *loop) cancel() {
	l.hurry = true
	stage := l.t.stage()
	l.cancelled = stage != stageDone
	if stage == stageTurn && !l.inputClosed {
		l.send(interruptLine())
		return
	}
	if l.cancelled {
		l.child.Stop()
	}
}

// attend closes stdin when nothing more is expected, and sets the timer for
// what is.
func (l *loop) attend(eof bool) {
	stage := l.t.stage()
	if l.hurry && stage != stageTurn {
		stage = stageDone
	}
	if stage == stageDone || eof {
		l.closeInput()
	}
	want := waitNothing
	switch {
	case l.stopped != "" || l.emitErr != nil: // the stop has limits of its own
	case l.hurry:
		want = waitInterrupt
	case eof || stage == stageDone:
		want = waitExit
	case !l.t.up:
		want = waitStart
	case stage == stageWake:
		want = waitWake
	}
	if want == l.waiting {
		return
	}
	l.waiting = want
	l.timer.Stop()
	if want != waitNothing {
		l.timer.Reset(limits[want])
	}
}

// late is called when what was waited for did not come.
func (l *loop) late(eof bool) {
	switch {
	case l.hurry:
		l.child.Stop()
	case !l.t.up && !eof:
		l.stop(codeNoAnswer)
	case l.t.stage() == stageWake && !l.inputClosed:
		// It will not come. The end of stdin ends the process.
		l.t.wake = false
	default:
		// All was said; what keeps the process is of no interest to the run.
		l.log.Warn("agent does not exit", "limit", exitLimit)
		l.child.Stop()
	}
}

// stop ends the process because of a fault.
func (l *loop) stop(code string) {
	if l.stopped == "" {
		l.stopped = code
	}
	l.child.Stop()
}

// send queues a line for stdin. After stdin is closed it is dropped: the CLI
// takes the end of stdin for a no.
func (l *loop) send(b []byte) {
	if l.inputClosed {
		return
	}
	select {
	case l.out <- b:
	default:
		l.stop(codeNotReading)
	}
}

func (l *loop) closeInput() {
	if !l.inputClosed {
		l.inputClosed = true
		close(l.out)
	}
}

// read hands over stdout line by line. A line is valid until the next is asked
// for, so it waits until the loop has used it.
func (l *loop) read() {
	defer close(l.lines)
	for {
		b, err := l.child.Line()
		if err != nil {
			return // io.EOF, or a pipe that broke, which is an end too
		}
		l.lines <- b
		<-l.next
	}
}

// write writes lines to stdin until there are no more, then closes it. After an
// error, which means that the process is going away, it only takes them.
func (l *loop) write() {
	stdin := l.child.Stdin()
	var broken bool
	for b := range l.out {
		if !broken {
			_, err := stdin.Write(b)
			broken = err != nil
		}
	}
	if err := stdin.Close(); err != nil && !broken {
		l.log.Debug("close stdin", "err", err)
	}
}
