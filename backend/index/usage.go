package index

import (
	"cmp"
	"context"
	"slices"
	"time"

	"signalbox/backend/fault"
	"signalbox/backend/store"
	"signalbox/backend/wire"
)

// By is what usage is summed by.
type By string

// What usage can be summed by.
const (
	ByDay    By = "day"
	ByAgent  By = "agent"
	ByModel  By = "model"
	ByPerson By = "person"
	ByChat   By = "chat"
	ByRun    By = "run"
)

// Question says which usage is asked for.
type Question struct {
	By       By
	From, To time.Time      // zero: open
	Zone     *time.Location // of days; default UTC
	Chat     wire.ChatID    // empty: all
}

// Sum is what runs used together. A cost that is not known is not part of it:
// Unknown counts those runs.
type Sum struct {
	// Key is the day (2026-11-30), or the id of the agent, person, chat or run, or
	// the model's name.
	Key  string `json:"key"`
	Name string `json:"name,omitempty"` // of a person
	// Started is when the first of the runs began.
	Started wire.Time `json:"started"`

	Runs       int   `json:"runs"`
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Reasoning  int64 `json:"reasoning"`
	MS         int64 `json:"ms"`
	// Exact and Estimated are dollars; a run's cost is in one of them.
	Exact     float64 `json:"exact"`
	Estimated float64 `json:"estimated"`
	// Unknown is how many of the runs have no known cost.
	Unknown int `json:"unknown"`
	// Agents is, of a day, how many tokens of all kinds each agent used.
	Agents map[wire.AgentID]int64 `json:"agents,omitempty"`
}

// maxSums bounds an answer.
const maxSums = 5000

// Usage sums what runs used, and all of them in total: days rise, all else comes
// with the most recent first. A run that forks copied counts once.
func (x *Index) Usage(ctx context.Context, q Question) (sums []Sum, total Sum, err error) {
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	if q.From.IsZero() {
		q.From = time.UnixMilli(0)
	}
	if q.To.IsZero() {
		q.To = time.UnixMilli(1 << 48)
	}
	by := map[string]*Sum{}
	last := map[string]time.Time{}
	err = x.use(func(db *store.Store) error {
		return db.RunsBetween(ctx, q.From, q.To, func(r store.Run) {
			if q.Chat != "" && r.Chat != q.Chat {
				return
			}
			key := q.key(r)
			s := by[key]
			if s == nil {
				s = &Sum{Key: key, Started: r.Started}
				by[key] = s
			}
			if q.By == ByPerson {
				s.Name = r.By.Name // as they were called last
			}
			if q.By == ByDay {
				if s.Agents == nil {
					s.Agents = map[wire.AgentID]int64{}
				}
				s.Agents[r.Agent] = wire.Sum(s.Agents[r.Agent], r.Usage.Total())
			}
			last[key] = r.Started.Time
			s.add(r)
			if total.Runs == 0 {
				total.Started = r.Started
			}
			total.add(r)
		})
	})
	if err != nil {
		return nil, Sum{}, err
	}
	if len(by) > maxSums {
		return nil, Sum{}, fault.New(fault.TooLarge, "That is usage in %d parts; at most %d are told at once.", len(by), maxSums).
			WithHint("Ask for a shorter time.")
	}
	sums = make([]Sum, 0, len(by))
	for _, s := range by {
		sums = append(sums, *s)
	}
	slices.SortFunc(sums, func(a, b Sum) int {
		if q.By == ByDay {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Or(last[b.Key].Compare(last[a.Key]), cmp.Compare(a.Key, b.Key))
	})
	return sums, total, nil
}

func (q Question) key(r store.Run) string {
	switch q.By {
	case ByDay:
		return r.Started.In(q.Zone).Format(time.DateOnly)
	case ByAgent:
		return string(r.Agent)
	case ByModel:
		return r.Model
	case ByPerson:
		return string(r.By.ID)
	case ByRun:
		return string(r.ID)
	default:
		return string(r.Chat)
	}
}

func (s *Sum) add(r store.Run) {
	u := r.Usage
	s.Runs++
	s.Input = wire.Sum(s.Input, u.Input)
	s.Output = wire.Sum(s.Output, u.Output)
	s.CacheRead = wire.Sum(s.CacheRead, u.CacheRead)
	s.CacheWrite = wire.Sum(s.CacheWrite, u.CacheWrite)
	s.Reasoning = wire.Sum(s.Reasoning, u.Reasoning)
	s.MS = wire.Sum(s.MS, r.MS)
	switch {
	case u.CostUSD == nil:
		s.Unknown++
	case u.CostKind == wire.CostExact:
		s.Exact = wire.SumUSD(s.Exact, *u.CostUSD)
	default:
		s.Estimated = wire.SumUSD(s.Estimated, *u.CostUSD)
	}
}
