package store

import (
	"context"
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
	// Gone drops what the log does not hold any more; default nothing.
	Gone Gone
}

// Gone reports whether an event is no longer in the log of a chat, of which the index
// has what was there in the position's epoch.
type Gone func(wire.ChatID, wire.Position) bool

// drops reports whether an event of a chat that was read up to an epoch is gone.
func (g Gone) drops(chat wire.ChatID, epoch, seq uint64) bool {
	return g != nil && g(chat, wire.Position{Epoch: epoch, Seq: seq})
}

// Found is a document that a search hit.
type Found struct {
	Doc

	// ID is where the next search goes on, by its field Before.
	ID   int64
	Chat wire.ChatID
	// Copies are the other chats that hold the same event: forks.
	Copies []wire.ChatID

	epoch uint64 // up to which the chat was read
}

// lookLimit is how many documents a search looks at that it may not show, or that are
// gone, before it says how far it came.
const lookLimit = 10_000

// Search returns what was found, the newest first, at most limit. Next is where
// to go on, 0 at the end; there may be a next although fewer were found.
func (s *Store) Search(ctx context.Context, q Search, limit int) (found []Found, next int64, err error) {
	if q.Query.Empty() {
		return nil, 0, nil
	}
	found, next, err = s.search(ctx, q, limit)
	return found, next, explain("search", err)
}

func (s *Store) search(ctx context.Context, q Search, limit int) (found []Found, next int64, err error) {
	w, err := s.walk(ctx, q, limit)
	if err != nil || w == nil {
		return nil, 0, err
	}
	for looked := 0; ; {
		ids, err := w.next(ctx)
		if err != nil || ids == "" {
			return found, 0, err
		}
		next, err := s.look(ctx, ids, func(f Found) int64 {
			before := w.last
			w.last = f.ID
			looked++
			if q.May != nil && !q.May(f.Chat) || q.Gone.drops(f.Chat, f.epoch, f.Seq) {
				if looked > lookLimit || looked > 1 && w.late() {
					return f.ID
				}
				return 0
			}
			if n := len(found); n > 0 && found[n-1].copied(&f) {
				return 0
			}
			if looked > 1 && w.late() {
				return before
			}
			if len(found) == limit {
				return found[limit-1].ID
			}
			found = append(found, f)
			return 0
		})
		if err != nil || next != 0 {
			return found, next, err
		}
		if w.whole() && w.late() {
			return found, w.most, nil
		}
	}
}

// look calls visit with the documents of ids, the newest first, until it says where
// to go on.
func (s *Store) look(ctx context.Context, ids string, visit func(Found) int64) (next int64, err error) {
	if ids == "[]" {
		return 0, nil
	}
	rows, err := s.read.QueryContext(ctx, `
SELECT d.id, c.id, c.epoch, d.seq, d.kind, d.agent, d.text
FROM json_each(?) j CROSS JOIN docs d ON d.id = j.value CROSS JOIN chats c ON c.num = d.chat ORDER BY d.id DESC`, ids)
	if err != nil {
		return 0, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var f Found
		if err := rows.Scan(&f.ID, &f.Chat, &f.epoch, &f.Seq, &f.Kind, &f.Agent, &f.Text); err != nil {
			return 0, err
		}
		f.T = timeOf(f.ID)
		if next := visit(f); next != 0 {
			return next, nil
		}
	}
	return 0, rows.Err()
}

// A beginning stands for so many words: the shortest. Where it has to follow others it
// stands for as many phrases, which take longer to look for.
const (
	goOnLimit      = 300
	goOnAfterWords = 100
)

// goOn returns the words that begin with start. Full-text search could look for
// a beginning itself, but reads all that any of the words ever occurred in before
// it gives the first: of a common beginning that is everything.
func (s *Store) goOn(ctx context.Context, start string, most int) ([]string, error) {
	rows, err := s.read.QueryContext(ctx,
		`SELECT word FROM terms WHERE word > ? AND word < ? ORDER BY length(word), word LIMIT ?`,
		start, start+"\U0010FFFF", most)
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
// since one call looks through a bounded amount of text. What is gone is dropped.
func (s *Store) Find(ctx context.Context, chat wire.ChatID, needle search.Needle, before uint64, limit int, gone Gone) (found []Match, next uint64, err error) {
	if before == 0 || before > math.MaxInt64 {
		before = math.MaxInt64
	}
	rows, err := s.read.QueryContext(ctx, `
SELECT d.id, c.epoch, d.seq, d.kind, d.agent, d.text FROM chats c CROSS JOIN docs d ON d.chat = c.num
WHERE c.id = ? AND d.seq < ? ORDER BY d.seq DESC`, chat, int64(before))
	if err != nil {
		return nil, 0, explain("search", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	looked, last := 0, uint64(0)
	for rows.Next() {
		var m Match
		var id int64
		var epoch uint64
		if err := rows.Scan(&id, &epoch, &m.Seq, &m.Kind, &m.Agent, &m.Text); err != nil {
			return nil, 0, explain("search", err)
		}
		// Documents of one event stay together.
		if m.Seq != last && (len(found) >= limit || looked > findBytes) {
			return found, last, nil
		}
		last = m.Seq
		looked += len(m.Text)
		if m.Hits = needle.Hits(m.Text, countLimit); len(m.Hits) == 0 || gone.drops(chat, epoch, m.Seq) {
			continue
		}
		m.T, m.Count = timeOf(id), len(m.Hits)
		found = append(found, m)
	}
	return found, 0, explain("search", rows.Err())
}

// countLimit is up to where the hits in one document are counted.
const countLimit = 1000
