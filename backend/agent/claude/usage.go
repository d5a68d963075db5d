package claude

import "signalbox/backend/wire"

// usageSum adds up what a run used, over all ends of turns in it.
//
// The CLI's total cost and its usage by model are totals of the session, with
// the turns before a resume. Each end also has the difference to the end
// before, subagents included, which is what counts here. A version without it
// gives the tokens of the turn, and the cost is the difference of two totals:
// unknown for the first turn after a resume.
type usageSum struct {
	sum       wire.Usage
	live      wire.Usage // of the turn that has not ended
	cost      float64
	priced    bool    // cost is known
	guessed   bool    // it is not from a list of prices
	unpriced  bool    // a part of it is not known
	lastTotal float64 // the session's total at the last end
	hadTotal  bool
	context   int64
	window    int64
	only      string // the model, where the session used one alone
}

// maxCost is more than any run costs: what is over it, as infinity is, is no cost.
const maxCost = 1e9

// request notes the size of a request of the main agent; the last one counts.
func (u *usageSum) request(t tokenUsage) {
	if n := t.context(); n > 0 {
		u.context = n
	}
}

// progress notes that a message, of which seen was counted, has used as much as now
// so far.
func (u *usageSum) progress(seen *tokenUsage, now tokenUsage) {
	now.Input, now.Output = max(now.Input, seen.Input), max(now.Output, seen.Output)
	now.CacheRead, now.CacheWrite = max(now.CacheRead, seen.CacheRead), max(now.CacheWrite, seen.CacheWrite)
	u.live.Input += now.Input - seen.Input
	u.live.Output += now.Output - seen.Output
	u.live.CacheRead += now.CacheRead - seen.CacheRead
	u.live.CacheWrite += now.CacheWrite - seen.CacheWrite
	*seen = now
}

// soFar is what the run has used by now. The cost is told at the end of a turn.
func (u *usageSum) soFar(model string) wire.Usage {
	var s wire.Usage
	if ended := u.usage(model); ended != nil {
		s = *ended
	}
	s.Input += u.live.Input
	s.Output += u.live.Output
	s.CacheRead += u.live.CacheRead
	s.CacheWrite += u.live.CacheWrite
	s.Model, s.Context, s.ContextMax = model, u.context, u.window
	return s
}

// add takes the end of a turn. resumed says that the session is older than the
// run.
func (u *usageSum) add(l *resultLine, resumed bool, model string) {
	u.live = wire.Usage{}
	if w := l.ModelUsage.window(model); w > 0 {
		u.window = w
	}
	for name := range l.ModelUsage {
		if u.only = name; len(l.ModelUsage) > 1 {
			u.only = ""
		}
	}
	if l.SinceLast != nil {
		for _, m := range *l.SinceLast {
			u.sum.Input += m.Input
			u.sum.Output += m.Output
			u.sum.CacheRead += m.CacheRead
			u.sum.CacheWrite += m.CacheWrite
			u.sum.Reasoning += m.Thinking
			u.cost += m.Cost
			u.priced = true
			u.guessed = u.guessed || m.CostBasis == "unknown"
		}
	} else {
		u.sum.Input += l.Usage.Input
		u.sum.Output += l.Usage.Output
		u.sum.CacheRead += l.Usage.CacheRead
		u.sum.CacheWrite += l.Usage.CacheWrite
		if l.Usage.Details != nil {
			u.sum.Reasoning += l.Usage.Details.Thinking
		}
		if u.hadTotal || !resumed {
			u.cost += l.TotalCost - u.lastTotal
			u.priced = true
		} else {
			u.unpriced = true
		}
	}
	u.lastTotal, u.hadTotal = l.TotalCost, true
}

// usage returns the sum, or nil where nothing was used.
func (u *usageSum) usage(model string) *wire.Usage {
	s := u.sum
	if s == (wire.Usage{}) {
		return nil
	}
	if model == "" {
		model = u.only
	}
	s.Model, s.Context, s.ContextMax = model, u.context, u.window
	if u.priced && !u.unpriced && u.cost >= 0 && u.cost < maxCost {
		cost := u.cost
		s.CostUSD, s.CostKind = &cost, wire.CostExact
		if u.guessed {
			s.CostKind = wire.CostEstimated
		}
	}
	return &s
}

// window returns the model's limit, as far as it is told.
func (m modelUsages) window(model string) int64 {
	if u, ok := m[model]; ok {
		return u.ContextWindow
	}
	if len(m) == 1 {
		for _, u := range m {
			return u.ContextWindow
		}
	}
	return 0
}
