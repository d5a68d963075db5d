package codex

import "signalbox/backend/wire"

// count adds a model call to what the run used and reports whether it could be
// read. The totals are of the thread's whole life; those of earlier turns, told
// when it is resumed, only set the base.
func (t *translator) count(p params) bool {
	if p.Usage == nil {
		return false
	}
	before, known := t.counted[p.ThreadID]
	if !known && len(t.counted) >= maxOpen {
		return true
	}
	t.counted[p.ThreadID] = p.Usage.Total
	main := p.ThreadID == t.opened.Thread.ID
	if main {
		t.context = *p.Usage
	}
	if main && p.TurnID != t.turn {
		return true
	}
	more := p.Usage.Last
	if known {
		more = p.Usage.Total.minus(before)
	}
	t.used = t.used.plus(more)
	return true
}

// usage returns what the run used so far; nil where no call was told. There is
// no cost: Codex does not tell it.
func (t *translator) usage() *wire.Usage {
	if t.used == (tokens{}) {
		return nil
	}
	u := t.used
	return &wire.Usage{
		Input: max(0, u.Input-u.Cached-u.CacheWrite), Output: u.Output, CacheRead: u.Cached, CacheWrite: u.CacheWrite,
		Reasoning: u.Reasoning, Model: t.opened.Model, Context: t.context.Last.Total, ContextMax: t.context.Window,
	}
}
