package dialog

import (
	"context"
	"time"
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
