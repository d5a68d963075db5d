package catalog

import (
	"time"

	"signalbox/backend/wire"
)

// Used is what the runs of a chat used, as far as it is known. Runs that a rewind took
// out count, those that a fork has from its chat do not.
type Used struct {
	All Spent  `json:"all"`
	Day string `json:"day"` // on which the last run began, by the daemon's clock
	// Today is what the runs of that day used.
	Today Spent `json:"today"`
}

// Spent is a part of it.
type Spent struct {
	MS      int64   `json:"ms"`
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"costUsd"`
	// Unknown is how many runs had a cost that nobody knows. It is not in CostUSD.
	Unknown int `json:"unknown,omitempty"`
}

// UsedBy returns what all runs used, and those that began on the day of now.
func (m *Meta) UsedBy(now time.Time) (all, day Spent) {
	if m.Used == nil {
		return Spent{}, Spent{}
	}
	if m.Used.Day == dayOf(now) {
		day = m.Used.Today
	}
	return m.Used.All, day
}

// Spend adds a run that has ended.
func (m *Meta) Spend(began time.Time, c wire.Complete) {
	all, day := m.UsedBy(began)
	all.add(c)
	day.add(c)
	m.Used = &Used{All: all, Day: dayOf(began), Today: day}
}

func (s *Spent) add(c wire.Complete) {
	s.MS = wire.Sum(s.MS, c.MS)
	if c.Usage != nil {
		s.Tokens = wire.Sum(s.Tokens, c.Usage.Total())
	}
	if c.Usage == nil || c.Usage.CostUSD == nil {
		s.Unknown++
		return
	}
	s.CostUSD += max(0, *c.Usage.CostUSD)
}

func dayOf(t time.Time) string { return t.Local().Format(time.DateOnly) }
