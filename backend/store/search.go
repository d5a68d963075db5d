package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"

	"signalbox/backend/search"
	"signalbox/backend/wire"
)

// Search says what is looked for.
type Search struct {
	Query search.Query
	Agent wire.AgentID // empty: any
	Chat  wire.ChatID  // empty: any
	From  time.Time    // zero: any
	To    time.Time    // exclusive; zero: any
	// Before is where an earlier search stopped; 0 is the newest.
	Before int64
	// May reports whether a chat may be shown; default all.
	May func(wire.ChatID) bool
}

// Found is a document that a search hit.
type Found struct {
	Doc

	// ID is where the next search goes on, by its field Before.
	ID   int64
	Chat wire.ChatID
	// Copies are the other chats that hold the same event: forks.
	Copies []wire.ChatID
}

// lookLimit is how many documents a search looks at that it may not show, before
// it says how far it came.
const lookLimit = 10_000

const (
	// patience is after how long a search says how far it came, if the index is large:
	// what is rare, like a phrase of common words, may be far between.
	patience = 50 * time.Millisecond
	// largePages is a large index, in pages of 4 KiB.
	largePages = 16 << 10
)

// large reports whether looking through all of the index may take long.
func (s *Store) large(ctx context.Context) (bool, error) {
	pages := 0
	err := s.read.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages)
	return pages > s.largePages, err
}

// Search returns what was found, the newest first, at most limit. Next is where
// to go on, 0 at the end; there may be a next although fewer were found.
func (s *Store) Search(ctx context.Context, q Search, limit int) (found []Found, next int64, err error) {
	if q.Query.Empty() {
		return nil, 0, nil
	}
	var scope []string
	if q.Agent != "" {
		scope = append(scope, agentToken(q.Agent))
	}
	if q.Chat != "" {
		num, err := findChat(ctx, s.read, q.Chat)
		if errors.Is(err, sql.ErrNoRows) {
			return nil, 0, nil
		}
		if err != nil {
			return nil, 0, explain("search", err)
		}
		scope = append(scope, chatToken(num))
	}
	if start := q.Query.Beginning(); start != "" {
		words, err := s.goOn(ctx, start)
		if err != nil {
			return nil, 0, explain("search", err)
		}
		q.Query = q.Query.With(words)
	}
	least, most := span(q)
	large, err := s.large(ctx)
	if err != nil {
		return nil, 0, explain("search", err)
	}
	began := time.Now()
	rows, err := s.read.QueryContext(ctx, `
SELECT d.id, c.id, d.seq, d.kind, d.agent, d.text
FROM words w CROSS JOIN docs d ON d.id = w.rowid CROSS JOIN chats c ON c.num = d.chat
WHERE words MATCH ? AND w.rowid >= ? AND w.rowid < ? ORDER BY w.rowid DESC`, q.Query.Match(scope...), least, most)
	if err != nil {
		return nil, 0, explain("search", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	last := int64(0)   // what was looked at last
	for looked := 0; rows.Next(); looked++ {
		var f Found
		if err := rows.Scan(&f.ID, &f.Chat, &f.Seq, &f.Kind, &f.Agent, &f.Text); err != nil {
			return nil, 0, explain("search", err)
		}
		f.T = timeOf(f.ID)
		before := last
		last = f.ID
		late := large && looked > 0 && time.Since(began) > s.patience
		if q.May != nil && !q.May(f.Chat) {
			if looked > lookLimit || late {
				return found, f.ID, nil
			}
			continue
		}
		if n := len(found); n > 0 && found[n-1].copied(&f) {
			continue
		}
		if late {
			return found, before, nil
		}
		if len(found) == limit {
			return found, found[limit-1].ID, nil
		}
		found = append(found, f)
	}
	return found, 0, explain("search", rows.Err())
}

// goOnLimit is how many words a beginning stands for: the shortest.
const goOnLimit = 300

// goOn returns the words that begin with start. Full-text search could look for
// a beginning itself, but reads all that any of the words ever occurred in before
// it gives the first: of a common beginning that is everything.
func (s *Store) goOn(ctx context.Context, start string) ([]string, error) {
	rows, err := s.read.QueryContext(ctx,
		`SELECT word FROM terms WHERE word > ? AND word < ? ORDER BY length(word), word LIMIT ?`,
		start, start+"\U0010FFFF", goOnLimit)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	var words []string
	for rows.Next() {
		var w string
		if err := rows.Scan(&w); err != nil {
			return nil, err
		}
		words = append(words, w)
	}
	return words, rows.Err()
}

// copied adds g to the copies of f where it is one. The older chat stands first:
// the other is its fork.
func (f *Found) copied(g *Found) bool {
	if f.Seq != g.Seq || f.Kind != g.Kind || f.ID>>idShift != g.ID>>idShift || f.Text != g.Text || f.Chat == g.Chat {
		return false
	}
	id := min(f.ID, g.ID)
	if g.Chat < f.Chat {
		copies := append(f.Copies, f.Chat)
		*f = *g
		f.Copies = copies
	} else {
		f.Copies = append(f.Copies, g.Chat)
	}
	f.ID = id // the next page begins after both
	return true
}

// span returns the ids that a search looks between.
func span(q Search) (least, most int64) {
	most = math.MaxInt64
	if !q.From.IsZero() {
		least = firstID(wire.Time{Time: q.From})
	}
	if !q.To.IsZero() {
		most = firstID(wire.Time{Time: q.To})
	}
	if q.Before > 0 {
		most = min(most, q.Before)
	}
	return least, most
}

func timeOf(id int64) wire.Time {
	return wire.Time{Time: time.UnixMilli(id >> idShift).UTC()}
}

// findBytes is how much text one call of Find looks through.
const findBytes = 16 << 20

// Match is a document of a chat that holds what is looked for.
type Match struct {
	Doc

	Hits []search.Hit
	// Count is how often the document holds it; Hits are the first of those.
	Count int
}

// Find looks through the documents of a chat whose seq is below before, from the
// last to the first, for at most limit that hold the needle. Next is where to go
// on: 0 when the beginning was reached. There may be a next with nothing found,
// since one call looks through a bounded amount of text.
func (s *Store) Find(ctx context.Context, chat wire.ChatID, needle search.Needle, before uint64, limit int) (found []Match, next uint64, err error) {
	num, err := findChat(ctx, s.read, chat)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, explain("search", err)
	}
	if before == 0 || before > math.MaxInt64 {
		before = math.MaxInt64
	}
	rows, err := s.read.QueryContext(ctx,
		`SELECT id, seq, kind, agent, text FROM docs WHERE chat = ? AND seq < ? ORDER BY seq DESC`, num, int64(before))
	if err != nil {
		return nil, 0, explain("search", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	looked, last := 0, uint64(0)
	for rows.Next() {
		var m Match
		var id int64
		if err := rows.Scan(&id, &m.Seq, &m.Kind, &m.Agent, &m.Text); err != nil {
			return nil, 0, explain("search", err)
		}
		// Documents of one event stay together.
		if m.Seq != last && (len(found) >= limit || looked > findBytes) {
			return found, last, nil
		}
		last = m.Seq
		looked += len(m.Text)
		if m.Hits = needle.Hits(m.Text, countLimit); len(m.Hits) == 0 {
			continue
		}
		m.T, m.Count = timeOf(id), len(m.Hits)
		found = append(found, m)
	}
	return found, 0, explain("search", rows.Err())
}

// countLimit is up to where the hits in one document are counted.
const countLimit = 1000
