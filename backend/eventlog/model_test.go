package eventlog_test

import (
	"fmt"
	"slices"
	"strings"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// state is a log as the model sees it. Its slices are never changed in place.
type state struct {
	events []event
	epoch  uint64
	high   uint64
	tails  []tailState
}

// tailState is what a cut took out.
type tailState struct {
	epoch  uint64 // that it began
	keep   uint64
	events []event
}

func (s state) last() uint64 {
	if len(s.events) == 0 {
		return 0
	}
	return s.events[len(s.events)-1].Seq
}

func (s state) with(events ...event) state {
	s.events = append(slices.Clip(s.events), events...)
	s.high = max(s.high, s.last())
	return s
}

// begin adds an epoch event.
func (s state) begin(cause string, keep uint64) state {
	s.epoch++
	return s.with(event{s.high + 1, "epoch", fmt.Sprintf("%d %s keep %d", s.epoch, cause, keep)})
}

// cut takes out the events from index i on.
func (s state) cut(i int, cause string) state {
	keep := s.events[i].Seq - 1
	if k, ok := epochKeep(s.events[i]); ok {
		keep = k
	}
	s.tails = append(slices.Clip(s.tails), tailState{s.epoch + 1, keep, s.events[i:]})
	s.events = s.events[:i]
	return s.begin(cause, keep)
}

// restore brings back the newest tail; ok is false where that is refused.
func (s state) restore() (state, fault.Code) {
	for n := len(s.tails) - 1; n >= 0; n-- {
		tail := s.tails[n]
		i := slices.IndexFunc(s.events, func(e event) bool {
			return e.Type == wire.TypeEpoch && strings.HasPrefix(e.Text, fmt.Sprintf("%d ", tail.epoch)) &&
				(strings.Contains(e.Text, "rewind") || strings.Contains(e.Text, "clear"))
		})
		if i < 0 {
			continue
		}
		if slices.ContainsFunc(s.events[i:], func(e event) bool { return e.Type == wire.TypeUser }) {
			return s, fault.Conflict
		}
		s.events = append(slices.Clip(s.events[:i]), tail.events...)
		s.tails = append(slices.Clip(s.tails[:n]), s.tails[n+1:]...)
		return s.begin("restore", s.last()), ""
	}
	return s, fault.NotFound
}

// page returns the index at which the page of limit events before index end begins.
func (s state) page(end, limit int) int {
	for i := end - 1; i > 0; i-- {
		if end-i >= limit && s.events[i].Type == wire.TypeUser {
			return i
		}
	}
	return 0
}
