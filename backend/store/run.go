package store

import (
	"context"
	"database/sql"
	"time"

	"signalbox/backend/wire"
)

// Run is what one run used. A field that is empty or 0 is not known, and leaves
// what the index has of the run.
type Run struct {
	ID      wire.RunID
	Chat    wire.ChatID // of those that have the run, the oldest
	Started wire.Time
	By      wire.Person
	Agent   wire.AgentID
	Model   string
	Status  wire.Status // empty before the end
	MS      int64
	Usage   wire.Usage
}

// zero is the time of a run of which only the end is known.
func (r Run) startedMilli() int64 {
	if r.Started.IsZero() {
		return 0
	}
	return r.Started.UnixMilli()
}

func putRuns(ctx context.Context, tx *sql.Tx, chat wire.ChatID, runs []Run) error {
	const put = `
INSERT INTO runs (run, chat, started, person, name, agent, model, status, ms,
                  input, output, cache_read, cache_write, reasoning, cost, cost_kind)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run) DO UPDATE SET
  chat        = min(chat, excluded.chat),
  started     = CASE WHEN excluded.started > 0 THEN excluded.started ELSE started END,
  person      = CASE WHEN excluded.person <> '' THEN excluded.person ELSE person END,
  name        = CASE WHEN excluded.person <> '' THEN excluded.name ELSE name END,
  agent       = CASE WHEN excluded.agent <> '' THEN excluded.agent ELSE agent END,
  model       = CASE WHEN excluded.model <> '' AND (status = '' OR excluded.status <> '') THEN excluded.model ELSE model END,
  ms          = CASE WHEN excluded.status <> '' THEN excluded.ms ELSE ms END,
  input       = CASE WHEN excluded.status <> '' THEN excluded.input ELSE input END,
  output      = CASE WHEN excluded.status <> '' THEN excluded.output ELSE output END,
  cache_read  = CASE WHEN excluded.status <> '' THEN excluded.cache_read ELSE cache_read END,
  cache_write = CASE WHEN excluded.status <> '' THEN excluded.cache_write ELSE cache_write END,
  reasoning   = CASE WHEN excluded.status <> '' THEN excluded.reasoning ELSE reasoning END,
  cost        = CASE WHEN excluded.status <> '' THEN excluded.cost ELSE cost END,
  cost_kind   = CASE WHEN excluded.status <> '' THEN excluded.cost_kind ELSE cost_kind END,
  status      = CASE WHEN excluded.status <> '' THEN excluded.status ELSE status END`
	for _, r := range runs {
		u := r.Usage
		_, err := tx.ExecContext(ctx, put, r.ID, chat, r.startedMilli(), r.By.ID, r.By.Name, r.Agent, r.Model, r.Status, r.MS,
			u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning, u.CostUSD, u.CostKind)
		if err != nil {
			return err
		}
	}
	return nil
}

// Agent returns which agent the run has; empty if the index does not know it.
func (s *Store) Agent(ctx context.Context, run wire.RunID) (wire.AgentID, error) {
	var a wire.AgentID
	err := s.read.QueryRowContext(ctx, `SELECT coalesce((SELECT agent FROM runs WHERE run = ?), '')`, run).Scan(&a)
	return a, explain("read the index", err)
}

// RunsBetween calls visit with each run that started from the one time on and
// before the other, the oldest first.
func (s *Store) RunsBetween(ctx context.Context, from, to time.Time, visit func(Run)) error {
	rows, err := s.read.QueryContext(ctx, `
SELECT run, chat, started, person, name, agent, model, status, ms,
       input, output, cache_read, cache_write, reasoning, cost, cost_kind
FROM runs WHERE started >= ? AND started < ? AND started > 0 ORDER BY started, run`, from.UnixMilli(), to.UnixMilli())
	if err != nil {
		return explain("read what runs used", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var r Run
		var ms int64
		u := &r.Usage
		if err := rows.Scan(&r.ID, &r.Chat, &ms, &r.By.ID, &r.By.Name, &r.Agent, &r.Model, &r.Status, &r.MS,
			&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite, &u.Reasoning, &u.CostUSD, &u.CostKind); err != nil {
			return explain("read what runs used", err)
		}
		r.Started = wire.Time{Time: time.UnixMilli(ms).UTC()}
		visit(r)
	}
	return explain("read what runs used", rows.Err())
}
