package dialog

import (
	"context"
	"time"

	"signalbox/backend/agent"
)

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
