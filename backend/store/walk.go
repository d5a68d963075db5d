package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"strconv"
	"time"

	"signalbox/backend/search"
	"signalbox/backend/wire"
)

const (
	// patience is how long a search of a large index looks through all of it, and then
	// again through slices, before it says how far it came: what is rare, like a phrase
	// of common words, may be far between.
	patience = 40 * time.Millisecond
	// largePages is a large index, in pages of 4 KiB.
	largePages = 16 << 10
	// sliceShift makes ids to slices of time, of 2^20 milliseconds: 17 minutes.
	sliceShift = idShift + 20
)

// walk goes through the ids of the documents that a search matches, the newest first.
//
// A step of full-text search ends with the next match, however far that is, and one
// that is stopped does not say how far it came. What takes longer than the search's
// patience is therefore looked for in one slice of time after the other: each text has
// its slice among its words, and what is looked for near that word ends where the slice
// does.
type walk struct {
	s           *Store
	search      Search
	scope       []string
	least, most int64 // what is left to look between
	batch       int
	large       bool
	sliced      bool
	began       time.Time
	last        int64 // what was looked at last
}

// walk begins a search; nil if it finds nothing.
func (s *Store) walk(ctx context.Context, q Search, limit int) (*walk, error) {
	w := &walk{s: s, search: q, batch: limit + 1, began: time.Now()}
	if q.Agent != "" {
		w.scope = append(w.scope, agentToken(q.Agent))
	}
	if q.Chat != "" {
		num, err := findChat(ctx, s.read, q.Chat)
		if errors.Is(err, sql.ErrNoRows) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		w.scope = append(w.scope, chatToken(num))
	}
	if start, follows := q.Query.Beginning(); start != "" {
		most := goOnLimit
		if follows {
			most = goOnAfterWords
		}
		words, err := s.goOn(ctx, start, most)
		if err != nil {
			return nil, err
		}
		w.search.Query = q.Query.With(words)
	}
	w.least, w.most = span(q)
	pages := 0
	if err := s.read.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
		return nil, err
	}
	w.large = pages > s.largePages
	// An earlier search that stopped between two slices was one that takes long.
	w.sliced = w.large && q.Before > 0 && q.Before == sliceStart(q.Before)
	return w, nil
}

// late reports whether the search is to say how far it came.
func (w *walk) late() bool { return w.large && time.Since(w.began) > w.s.patience }

// whole reports whether no document of the time before most was left out.
func (w *walk) whole() bool { return w.sliced && w.most == sliceStart(w.most) }

// next returns the next ids, as a JSON array; empty at the end.
func (w *walk) next(ctx context.Context) (ids string, err error) {
	for w.most > w.least {
		least, within := w.least, ""
		if w.sliced {
			newest := sql.NullInt64{}
			err := w.s.read.QueryRowContext(ctx, `SELECT max(id) FROM docs WHERE id < ?`, w.most).Scan(&newest)
			if err != nil || !newest.Valid || newest.Int64 < w.least {
				w.most = w.least
				return "", err
			}
			least, within = max(least, sliceStart(newest.Int64)), sliceToken(newest.Int64)
		}
		ids, n, last, err := w.ids(ctx, w.search.Query.MatchNear(within, w.scope...), least)
		if errors.Is(err, errLong) {
			w.sliced, w.began = true, time.Now()
			continue
		}
		if err != nil {
			return "", err
		}
		if w.most = last; n < w.batch {
			w.most = least
		}
		w.batch = min(2*w.batch, lookLimit)
		if n > 0 || w.whole() {
			return ids, nil
		}
	}
	return "", nil
}

// errLong means that looking through all of the index takes long.
var errLong = errors.New("takes long")

// ids looks for a batch from least on. One statement gives all of it in its first step,
// which alone can be stopped.
func (w *walk) ids(ctx context.Context, match string, least int64) (ids string, n int, last int64, err error) {
	if w.large && !w.sliced {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, w.s.patience, errLong)
		defer cancel()
	}
	err = w.s.read.QueryRowContext(ctx, `
SELECT json_group_array(id), count(*), coalesce(min(id), 0) FROM (
  SELECT rowid AS id FROM words WHERE words MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ?)`,
		match, least, w.most, w.batch).Scan(&ids, &n, &last)
	if err != nil && errors.Is(context.Cause(ctx), errLong) {
		err = errLong
	}
	return ids, n, last, err
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

// sliceStart returns the first id of the slice of an id.
func sliceStart(id int64) int64 { return id >> sliceShift << sliceShift }

// sliceToken is the word that all texts of a slice have, and nobody can look for.
func sliceToken(id int64) string {
	return string(search.Reserved) + strconv.FormatInt(id>>sliceShift, 16)
}
