package runhub

import (
	"fmt"
	"time"

	"signalbox/backend/wire"
)

// overBudget is the cause of a run that went over one of its limits.
type overBudget struct {
	code   string // of the run's complete
	notice string
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

// watchTime stops the run when its time is over. The caller stops the timer, which
// is nil where the time is not limited.
func (r *run) watchTime() *time.Timer {
	if r.limits.Minutes <= 0 {
		return nil
	}
	return time.AfterFunc(time.Duration(r.limits.Minutes)*time.Minute, func() {
		r.cancel(&overBudget{
			code:   wire.CodeBudgetTime,
			notice: fmt.Sprintf("Stopped at the limit of %d minutes.", r.limits.Minutes),
		})
	})
}

// spent stops the run if what it used so far is over a limit.
func (r *run) spent(u *wire.Usage) {
	if over := exceeds(r.limits, u); over != nil {
		r.cancel(over)
	}
}

// exceeds returns the limit that the usage is over, nil if it is over none. A cost
// that is not known is over no limit.
func exceeds(l wire.Limits, u *wire.Usage) *overBudget {
	switch {
	case u == nil:
		return nil
	case l.Tokens > 0 && u.Total() > l.Tokens:
		return &overBudget{
			code:   wire.CodeBudgetTokens,
			notice: fmt.Sprintf("Stopped at %d tokens: the limit is %d.", u.Total(), l.Tokens),
		}
	case l.CostUSD > 0 && u.CostUSD != nil && *u.CostUSD > l.CostUSD:
		return &overBudget{
			code:   wire.CodeBudgetCost,
			notice: fmt.Sprintf("Stopped at $%.2f: the limit is $%.2f.", *u.CostUSD, l.CostUSD),
		}
	default:
		return nil
	}
}

// late says of a run that ended by itself what it used more than it should have:
// its agent told so only at the end.
func late(l wire.Limits, c *wire.Complete) {
	over := exceeds(l, c.Usage)
	if over == nil || c.Code != "" || c.Notice != "" {
		return
	}
	switch over.code {
	case wire.CodeBudgetTokens:
		c.Notice = fmt.Sprintf("It used %d tokens, more than the limit of %d; the agent told so only at the end.", c.Usage.Total(), l.Tokens)
	case wire.CodeBudgetCost:
		c.Notice = fmt.Sprintf("It cost $%.2f, more than the limit of $%.2f; the agent told so only at the end.", *c.Usage.CostUSD, l.CostUSD)
	}
}
