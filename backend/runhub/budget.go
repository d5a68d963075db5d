package runhub

import (
	"fmt"
	"time"

	"signalbox/backend/catalog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// overBudget is the cause of a run that went over one of its limits.
type overBudget struct {
	code   string // of the run's complete
	notice string
	late   string // the notice where the run had ended by itself
}

func (o *overBudget) Error() string { return o.code }

// limits returns those that hold for a run of the person: of the chat if it has
// any, else of the person.
func (h *Hub) limits(chat *wire.Limits, by wire.Person) wire.Limits {
	if chat != nil {
		return *chat
	}
	return h.settings(by.ID).Limits
}

// afford settles what the run may use that begins at a time, and says why it may not.
func (r *room) afford(next *run, at time.Time) error {
	meta, err := r.hub.chats.Get(r.id)
	if err != nil {
		return err
	}
	all, day := meta.UsedBy(at)
	next.budget = newBudget(r.hub.limits(meta.Limits, next.by), all, day)
	return next.budget.usedUp()
}

// budget is what a run may use.
type budget []allowance

// allowance is one limit of a budget: of a run, a chat or a day.
type allowance struct {
	code   string // of the complete; empty: by what is used up
	most   wire.Amounts
	before catalog.Spent // what is used up before the run
	// How it is said: that a run was stopped, that one ended beyond it, and that
	// none may begin. Each takes what is used and the limit.
	stopped, late, refused string
	instead                string // what can be done where none may begin
}

func newBudget(l wire.Limits, all, day catalog.Spent) budget {
	return budget{
		{
			most:    l.Run(),
			stopped: "Stopped at %s: the limit is %s.",
			late:    "It used %s, more than the limit of %s; the agent told so only at the end.",
		},
		{
			code: wire.CodeBudgetChat, most: l.Chat, before: all,
			stopped: "Stopped: this chat has used %s, and its limit is %s.",
			late:    "This chat has used %s, more than its limit of %s; the agent told so only at the end.",
			refused: "This chat has used %s, and its limit is %s.",
			instead: "go on in another chat",
		},
		{
			code: wire.CodeBudgetDay, most: l.Day, before: day,
			stopped: "Stopped: this chat has used %s today, and its limit for a day is %s.",
			late:    "This chat has used %s today, more than its limit of %s for a day; the agent told so only at the end.",
			refused: "This chat has used %s today, and its limit for a day is %s.",
			instead: "go on tomorrow",
		},
	}
}

// usedUp says why nothing may be used any more.
func (b budget) usedUp() error {
	for _, a := range b {
		var used, limit string
		switch m, s := a.most, a.before; {
		case a.refused == "":
			continue
		case m.Minutes > 0 && a.left() <= 0:
			used, limit = minutes(s.MS/60_000), minutes(int64(m.Minutes))
		case m.Tokens > 0 && s.Tokens >= m.Tokens:
			used, limit = tokens(s.Tokens), tokens(m.Tokens)
		case m.CostUSD > 0 && s.CostUSD >= m.CostUSD:
			used, limit = a.cost(s.CostUSD), dollars(m.CostUSD)
		default:
			continue
		}
		return fault.New(fault.Conflict, a.refused, used, limit).
			WithHint("Nothing was sent. Raise the limit, or %s.", a.instead)
	}
	return nil
}

// left is how much time is left.
func (a allowance) left() time.Duration {
	return time.Duration(a.most.Minutes)*time.Minute - time.Duration(a.before.MS)*time.Millisecond
}

// exceeded returns the limit that a run with the usage is over, nil if it is over
// none. A cost that is not known is over no limit.
func (b budget) exceeded(u *wire.Usage) *overBudget {
	if u == nil {
		return nil
	}
	for _, a := range b {
		if used := wire.Sum(a.before.Tokens, u.Total()); a.most.Tokens > 0 && used > a.most.Tokens {
			return a.over(wire.CodeBudgetTokens, tokens(used), tokens(a.most.Tokens))
		}
		if u.CostUSD == nil {
			continue
		}
		if used := wire.SumUSD(a.before.CostUSD, *u.CostUSD); a.most.CostUSD > 0 && used > a.most.CostUSD {
			return a.over(wire.CodeBudgetCost, a.cost(used), dollars(a.most.CostUSD))
		}
	}
	return nil
}

func (a allowance) over(code, used, limit string) *overBudget {
	if a.code != "" {
		code = a.code
	}
	return &overBudget{code: code, notice: fmt.Sprintf(a.stopped, used, limit), late: fmt.Sprintf(a.late, used, limit)}
}

func minutes(n int64) string {
	if n == 1 {
		return "1 minute"
	}
	return fmt.Sprintf("%d minutes", n)
}

func tokens(n int64) string    { return fmt.Sprintf("%d tokens", n) }
func dollars(n float64) string { return fmt.Sprintf("$%.2f", n) }

// cost says what was paid, as far as it is known.
func (a allowance) cost(n float64) string {
	if a.before.Unknown > 0 {
		return "at least " + dollars(n)
	}
	return dollars(n)
}

// watchTime stops the run when its time is over. The caller stops the timer, which
// is nil where the time is not limited.
func (r *run) watchTime() *time.Timer {
	var first *allowance
	for i := range r.budget {
		a := &r.budget[i]
		if a.most.Minutes > 0 && (first == nil || a.left() < first.left()) {
			first = a
		}
	}
	if first == nil {
		return nil
	}
	limit := minutes(int64(first.most.Minutes))
	return time.AfterFunc(first.left(), func() { r.cancel(first.over(wire.CodeBudgetTime, limit, limit)) })
}

// spent stops the run if what it used so far is over a limit.
func (r *run) spent(u *wire.Usage) {
	if over := r.budget.exceeded(u); over != nil {
		r.cancel(over)
	}
}

// late says of a run that ended by itself what it used more than it should have:
// its agent told so only at the end.
func (b budget) late(c *wire.Complete) {
	if over := b.exceeded(c.Usage); over != nil && c.Code == "" && c.Notice == "" {
		c.Notice = over.late
	}
}
