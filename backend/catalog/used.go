package catalog

import (
	"strings"
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
	// Seq is an event of the log at or after the end of the last run that is counted,
	// and before the next.
	Seq uint64 `json:"seq,omitempty"`
}

// Spent is a part of it.
type Spent struct {
	MS      int64   `json:"ms"`
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"costUsd"`
	// Unknown is how many runs had a cost that nobody knows. It is not in CostUSD.
	Unknown int `json:"unknown,omitempty"`
}

// UsedBy returns what all runs used, and those that began on the day of now. A clock
// that was set back does not make an earlier day of it.
func (m *Meta) UsedBy(now time.Time) (all, day Spent) {
	if m.Used == nil {
		return Spent{}, Spent{}
	}
	if m.Used.dayOf(now) == m.Used.Day {
		day = m.Used.Today
	}
	return m.Used.All, day
}

// Spend adds a run that has ended, where the last event of the log is seq.
func (m *Meta) Spend(seq uint64, began time.Time, c wire.Complete) {
	all, day := m.UsedBy(began)
	all.add(c)
	day.add(c)
	m.Used = &Used{All: all, Day: m.Used.dayOf(began), Today: day, Seq: seq}
}

// Counted reports whether a run of the chat's log that ended with the event seq is
// counted, or is not to be, since the chat has it from elsewhere: ids rise with the time,
// and that of the chat was made after those of such runs.
func (m *Meta) Counted(run wire.RunID, seq uint64) bool {
	switch {
	case m.ForkOf != nil && seq <= m.ForkOf.Seq:
		return true
	case m.Used == nil:
		return strings.TrimPrefix(string(run), "r_") < strings.TrimPrefix(string(m.ID), "c_")
	default:
		return m.Used.Seq == 0 || seq <= m.Used.Seq
	}
}

// backwards is how far a clock may be set back, by hand or as the daemon's time zone
// changes, without beginning a day anew. A day that is farther ahead was none.
const backwards = 48 * time.Hour

// dayOf returns the day on which a run counts that begins at t.
func (u *Used) dayOf(t time.Time) string {
	day := t.Local().Format(time.DateOnly)
	if u != nil && day < u.Day && u.Day <= t.Add(backwards).Local().Format(time.DateOnly) {
		return u.Day
	}
	return day
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
	s.CostUSD = wire.SumUSD(s.CostUSD, *c.Usage.CostUSD)
}
