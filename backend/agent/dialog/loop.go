package dialog

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"signalbox/backend/agent"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// loop drives one process. One goroutine runs it and owns all its fields; the
// reader, the writer, the asks and the errands talk to it through channels and
// end with it.
type loop struct {
	tr      Translator
	host    agent.Host
	child   Process
	program Program
	log     *slog.Logger

	lines chan [][]byte // from the reader, which closes it after the last line; one batch at a time
	next  chan struct{} // to the reader: the lines were used
	out   chan []byte   // to the writer; closed by the loop to close stdin
	over  chan struct{} // closed when the loop takes no answers any more

	answers  chan answer                // from the asks, each of which sends one or sees over
	asks     map[string]openAsk         // the open ones, by their ids
	asked    int                        // the number of the last
	returned chan errandEnd             // from the errands, each of which sends one
	errands  map[int]context.CancelFunc // the ones that did not
	errand   int                        // the number of the last
	helpers  sync.WaitGroup             // all other goroutines

	timer   *time.Timer
	waiting waiting
	until   time.Time // of waitGiven

	batching bool         // lines are being taken: their events go out together
	pending  []wire.Event // those that wait for the rest

	odd         oddities
	heard       bool // the agent said or did something
	asleep      bool // the turn that should begin by itself did not
	inputClosed bool
	cancelled   bool   // ctx ended before the run was done
	hurry       bool   // the turn is being stopped
	stopped     string // the code of the fault for which the process is stopped
	emitErr     error  // the log refused an event: nothing more is emitted
}

func newLoop(child Process, host agent.Host, tr Translator, p Program, log *slog.Logger) *loop {
	return &loop{
		tr: tr, host: host, child: child, program: p, log: log,
		lines:    make(chan [][]byte),
		next:     make(chan struct{}),
		out:      make(chan []byte, outgoing),
		over:     make(chan struct{}),
		answers:  make(chan answer),
		asks:     map[string]openAsk{},
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
	events = append(l.remains(res), events...)
	var left error
	if len(exit.Left) > 0 {
		var e wire.Error
		e, left = leftError(exit.Left)
		if res.Status != wire.StatusFailed {
			events = append(events, e)
		}
		res.Status, res.Code, res.Notice = wire.StatusFailed, e.Code, e.Message
	}
	if err := l.host.Emit(events...); err != nil {
		return agent.Result{}, err
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
		case batch, ok := <-lines:
			if !ok {
				lines, gone = nil, l.child.Done()
				break
			}
			l.takeAll(asking, batch)
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

// takeAll translates lines that came together. So do their events go out: one
// write and one waking of those who follow, not one a line.
func (l *loop) takeAll(asking context.Context, batch [][]byte) {
	l.batching = true
	for _, b := range batch {
		l.take(asking, b)
	}
	l.batching = false
	l.emit()
}

// emit gives the pending events to the host.
func (l *loop) emit() {
	if len(l.pending) == 0 || l.emitErr != nil {
		return
	}
	if l.emitErr = l.host.Emit(l.pending...); l.emitErr != nil {
		l.child.Stop()
	}
	clear(l.pending) // they may be large
	l.pending = l.pending[:0]
}

// take translates a line.
func (l *loop) take(asking context.Context, b []byte) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return
	}
	if !utf8.Valid(b) { // parts of a line go into events as they are
		b = bytes.ToValidUTF8(b, replacement)
	}
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
	l.heard = l.heard || slices.ContainsFunc(s.Events, answers)
	l.pending = append(l.pending, s.Events...)
	if !l.batching || s.acts() {
		// What is asked or sent follows what was said.
		if l.emit(); l.emitErr != nil {
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
		l.withdraw(id)
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
