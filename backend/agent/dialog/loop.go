package dialog

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// How long the loop waits for what should come. All are far above what was seen
// and bound what a broken CLI can hold up.
const (
	startLimit = 60 * time.Second // for the first answer, from a cold disk
	// interruptLimit is the in-band part of a stop; signals follow.
	interruptLimit = 5 * time.Second
	wakeLimit      = 10 * time.Second // for the turn that the end of background work begins
	// exitLimit is for the end of a process whose stdin is closed. Some give
	// what they have in the background five seconds.
	exitLimit = 15 * time.Second
)

// outgoing is how many lines may wait to be written. A CLI has a few requests
// open at most; when so many are not taken, it no longer reads.
const outgoing = 64

// loop drives one process. One goroutine runs it and owns all its fields; the
// reader, the writer, the asks and the errands talk to it through channels and
// end with it.
type loop struct {
	tr      Translator
	host    agent.Host
	child   Process
	program Program
	log     *slog.Logger

	lines chan []byte   // from the reader, which closes it after the last line; one at a time
	next  chan struct{} // to the reader: the line was used
	out   chan []byte   // to the writer; closed by the loop to close stdin
	over  chan struct{} // closed when the loop takes no answers any more

	answers  chan answer                   // from the asks, each of which sends one or sees over
	asks     map[string]context.CancelFunc // the open ones
	returned chan errandEnd                // from the errands, each of which sends one
	errands  map[int]context.CancelFunc    // the ones that did not
	errand   int                           // the number of the last
	helpers  sync.WaitGroup                // all other goroutines

	timer   *time.Timer
	waiting waiting
	until   time.Time // of waitGiven

	odd         oddities
	asleep      bool // the turn that should begin by itself did not
	inputClosed bool
	cancelled   bool   // ctx ended before the run was done
	hurry       bool   // the turn is being stopped
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
	waitGiven // the translator's own limit
)

var limits = map[waiting]time.Duration{
	waitStart: startLimit, waitInterrupt: interruptLimit, waitWake: wakeLimit, waitExit: exitLimit,
}

// answer is what came of a request for leave.
type answer struct {
	ask    Ask
	answer agent.Answer
	err    error
}

// errandEnd is what an errand came back with.
type errandEnd struct {
	n    int
	then func(now time.Time) Step
}

func newLoop(child Process, host agent.Host, tr Translator, p Program, log *slog.Logger) *loop {
	return &loop{
		tr: tr, host: host, child: child, program: p, log: log,
		lines:    make(chan []byte),
		next:     make(chan struct{}),
		out:      make(chan []byte, outgoing),
		over:     make(chan struct{}),
		answers:  make(chan answer),
		asks:     map[string]context.CancelFunc{},
		returned: make(chan errandEnd),
		errands:  map[int]context.CancelFunc{},
		odd:      oddities{program: p.Name, kinds: map[string]int{}},
	}
}

// run follows the process to its end.
func (l *loop) run(ctx context.Context) (agent.Result, error) {
	l.helpers.Go(l.read)
	l.helpers.Go(l.write)
	asking, endAsks := context.WithCancel(ctx)
	defer endAsks()
	l.timer = time.NewTimer(startLimit)
	l.waiting = waitStart
	l.do(asking, l.tr.Begin)

	l.follow(ctx, asking)

	endAsks()
	for _, cancel := range l.errands {
		cancel()
	}
	for len(l.errands) > 0 {
		l.back(asking, <-l.returned)
	}
	close(l.over)
	l.timer.Stop()
	l.closeInput()
	_ = l.child.Stdin().Close() // a writer that still waits is let go; closed already is fine
	l.helpers.Wait()
	exit := l.child.Wait()
	l.odd.report(l.log)

	if l.emitErr != nil {
		return agent.Result{}, l.emitErr
	}
	events, res := l.finish(Ending{Exit: exit, Cancelled: l.cancelled, Stopped: l.stopped})
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
			return agent.Result{}, err
		}
	}
	return res, left
}

// follow returns when stdout is read to its end and the process is gone.
// Asks end with asking.
func (l *loop) follow(ctx, asking context.Context) {
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
			l.take(asking, b)
			l.next <- struct{}{}
		case <-gone:
			return
		case a := <-l.answers:
			l.answered(asking, a)
		case e := <-l.returned:
			l.back(asking, e)
		case <-ended:
			ended = nil
			l.cancel(asking)
		case <-l.timer.C:
			l.late(asking, lines == nil)
		}
		l.attend(lines == nil)
	}
}

// take translates a line.
func (l *loop) take(asking context.Context, b []byte) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return
	}
	b = bytes.ToValidUTF8(b, replacement) // parts of a line go into events as they are
	l.do(asking, func(now time.Time) Step {
		s := l.tr.Line(b, now)
		if s.Odd {
			s.Events = append(s.Events, l.odd.add(b)...)
			l.odd.show(l.log, b)
		}
		return s
	})
}

var replacement = []byte("\uFFFD")

// do asks the translator for a step and takes it. Once events are refused or the
// translator has failed there are no more steps: what comes is only read.
func (l *loop) do(asking context.Context, f func(now time.Time) Step) {
	if l.emitErr != nil || l.stopped == CodeAdapter {
		return
	}
	s, ok := l.guard(f)
	if !ok {
		return
	}
	for _, ev := range s.Events {
		if l.emitErr = l.host.Emit(ev); l.emitErr != nil {
			l.child.Stop()
			return
		}
	}
	for _, f := range s.Frames {
		l.host.Remark(f)
	}
	for _, b := range s.Send {
		l.send(b)
	}
	for _, id := range s.Withdrawn {
		if cancel, ok := l.asks[id]; ok {
			cancel()
			delete(l.asks, id)
		}
	}
	for _, a := range s.Asks {
		l.ask(asking, a)
	}
	for _, e := range s.Errands {
		l.depart(asking, e)
	}
}

// guard calls into the translator: what it makes of hostile input must never
// bring the daemon down.
func (l *loop) guard(f func(now time.Time) Step) (s Step, ok bool) {
	defer func() {
		if v := recover(); v != nil {
			l.panicked(v)
			s, ok = Step{}, false
		}
	}()
	return f(time.Now()), true
}

func (l *loop) finish(e Ending) (events []wire.Event, res agent.Result) {
	defer func() {
		if v := recover(); v != nil {
			l.panicked(v)
			stop := l.program.Stopped(Ending{Stopped: CodeAdapter})
			events, res = []wire.Event{stop}, agent.Result{Status: wire.StatusFailed, Code: stop.Code}
		}
	}()
	return l.tr.Finish(e, time.Now())
}

func (l *loop) panicked(v any) {
	l.log.Error("panic in translator", "err", fmt.Sprint(v), "stack", string(debug.Stack()))
	l.stop(CodeAdapter)
}

// ask puts a request for leave to the host. An id that is open already takes
// the place of the one before.
func (l *loop) ask(asking context.Context, a Ask) {
	ctx, cancel := context.WithCancel(asking)
	if before, ok := l.asks[a.ID]; ok {
		before()
	}
	l.asks[a.ID] = cancel
	l.helpers.Go(func() {
		defer cancel()
		got, err := l.host.Ask(ctx, a.Ask)
		select {
		case l.answers <- answer{a, got, err}:
		case <-l.over:
		}
	})
}

// depart sends an errand off. It goes on when the run is stopped: it may be what
// reads the end of the turn.
func (l *loop) depart(asking context.Context, e Errand) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(asking))
	l.errand++
	n := l.errand
	l.errands[n] = cancel
	l.helpers.Go(func() {
		defer cancel()
		end := errandEnd{n: n}
		defer func() {
			if v := recover(); v != nil {
				end.then = func(time.Time) Step { panic(v) } // where it fails this run alone
			}
			l.returned <- end
		}()
		end.then = e(ctx)
	})
}

// back takes what an errand came back with.
func (l *loop) back(asking context.Context, e errandEnd) {
	delete(l.errands, e.n)
	l.do(asking, e.then)
}

// answered passes the answer to a request for leave on, unless it was withdrawn.
func (l *loop) answered(asking context.Context, a answer) {
	if _, open := l.asks[a.ask.ID]; !open {
		return
	}
	delete(l.asks, a.ask.ID)
	if l.hurry { // the interrupt withdraws it
		return
	}
	if a.err != nil {
		l.log.Warn("ask not answered", "tool", a.ask.Ask.Tool, "err", a.err)
		a.answer = agent.Answer{Reason: "No answer could be got."}
	}
	if !a.answer.Allow && a.answer.Reason == "" {
		a.answer.Reason = "The person said no."
	}
	l.do(asking, func(now time.Time) Step { return a.ask.Answer(a.answer, now) })
}

// state is the translator's, as far as the loop still waits for it.
func (l *loop) state() State {
	s := l.tr.State()
	if s.Stage != Waking {
		l.asleep = false
	} else if l.asleep {
		s.Stage = Over
	}
	return s
}

// cancel stops the run. When all is done already it only shortens the wait for
// the process's end.
func (l *loop) cancel(asking context.Context) {
	stage := l.state().Stage
	l.cancelled = stage != Over && l.stopped == ""
	l.interrupt(asking, stage)
}

// interrupt stops the turn: in-band while one is under way, else by signals.
func (l *loop) interrupt(asking context.Context, stage Stage) {
	if l.hurry {
		return
	}
	l.hurry = true
	if (stage == Starting || stage == Turning) && !l.inputClosed {
		sent := false
		l.do(asking, func(now time.Time) Step {
			s := l.tr.Interrupt(now)
			sent = len(s.Send) > 0
			return s
		})
		if sent {
			return
		}
	}
	if stage != Over {
		l.child.Stop()
	}
}

// attend closes stdin when nothing more is expected, and sets the timer for
// what is.
func (l *loop) attend(eof bool) {
	s := l.state()
	if l.hurry && s.Stage != Starting && s.Stage != Turning {
		s.Stage = Over
	}
	if s.Stage == Over || eof {
		l.closeInput()
	}
	want, until := waitNothing, time.Time{}
	switch {
	case l.hurry:
		want = waitInterrupt
	case l.stopped != "" || l.emitErr != nil: // the stop has limits of its own
	case eof || s.Stage == Over:
		want = waitExit
	case !s.Until.IsZero():
		want, until = waitGiven, s.Until
	case s.Stage == Starting:
		want = waitStart
	case s.Stage == Waking:
		want = waitWake
	}
	if want == l.waiting && until.Equal(l.until) {
		return
	}
	l.waiting, l.until = want, until
	l.timer.Stop()
	switch want {
	case waitNothing:
	case waitGiven:
		l.timer.Reset(time.Until(until))
	default:
		l.timer.Reset(limits[want])
	}
}

// late is called when what was waited for did not come.
func (l *loop) late(asking context.Context, eof bool) {
	was := l.waiting
	l.waiting, l.until = waitNothing, time.Time{}
	switch was {
	case waitInterrupt:
		l.child.Stop()
	case waitStart:
		l.stop(CodeNoAnswer)
	case waitWake:
		// It will not come. The end of stdin ends the process.
		l.asleep = true
	case waitGiven:
		s := l.state()
		l.stopped = s.Code
		l.interrupt(asking, s.Stage)
	case waitExit:
		// All was said; what keeps the process is of no interest to the run.
		l.log.Warn("agent does not exit", "limit", exitLimit, "eof", eof)
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

// send queues a line for stdin. After stdin is closed it is dropped: a CLI takes
// the end of stdin for a no.
func (l *loop) send(b []byte) {
	if l.inputClosed {
		return
	}
	select {
	case l.out <- b:
	default:
		l.stop(CodeNotReading)
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

// leftError is what could not be ended.
func leftError(left []proc.Process) (wire.Error, error) {
	names := make([]string, len(left))
	for i, p := range left {
		names[i] = p.String()
	}
	list := strings.Join(names, ", ")
	return wire.Error{
		Code: CodeLeft, Message: "Processes of the run could not be ended: " + list + ".",
		Hint: "End them by hand; the chat stays closed until they are gone.",
	}, fmt.Errorf("processes left: %s", list)
}
