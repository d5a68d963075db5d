package dialog

import (
	"context"
	"time"

	"signalbox/backend/agent"
)

// answer is what came of a request for leave.
type answer struct {
	n      int // the number of the ask
	ask    Ask
	answer agent.Answer
	err    error
}

// openAsk is a request that waits for its answer.
type openAsk struct {
	n      int // tells it from another one with the same id
	cancel context.CancelFunc
}

// errandEnd is what an errand came back with.
type errandEnd struct {
	n    int
	then func(now time.Time) Step
}

// ask puts a request for leave to the host. One with an id that is open already
// takes the place of the one before, which then gets no answer.
func (l *loop) ask(asking context.Context, a Ask) {
	ctx, cancel := context.WithCancel(asking)
	l.withdraw(a.ID)
	l.asked++
	n := l.asked
	l.asks[a.ID] = openAsk{n, cancel}
	l.helpers.Go(func() {
		defer cancel()
		got, err := l.host.Ask(ctx, a.Ask)
		select {
		case l.answers <- answer{n, a, got, err}:
		case <-l.over:
		}
	})
}

// withdraw ends an open request.
func (l *loop) withdraw(id string) {
	if open, ok := l.asks[id]; ok {
		open.cancel()
		delete(l.asks, id)
	}
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
	if l.asks[a.ask.ID].n != a.n {
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
