package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"signalbox/backend/search"
	"signalbox/backend/wire"
)

// Cursor says how far a chat's log was read.
type Cursor struct {
	wire.Position

	// Size and ModTime are those of the log's file when all of it was read, so
	// that one that did not change since need not be opened; else -1.
	Size, ModTime int64
}

// Doc is a piece of text of a chat.
type Doc struct {
	Seq   uint64
	T     wire.Time
	Kind  wire.Type // of the event
	Agent wire.AgentID
	Text  string
}

// Change is what was read of a chat: it takes the place of all that the index
// has of the chat after the event After.
type Change struct {
	Chat  wire.ChatID
	After uint64
	Docs  []Doc
	Runs  []Run
	// Sessions are the ids of agents' sessions that the chat had.
	Sessions []string
	Upto     Cursor
}

// Apply writes a change, all of it or nothing.
func (s *Store) Apply(ctx context.Context, c Change) error {
	words := s.fresh(c.Docs)
	err := s.inTx(ctx, "write to the index", func(tx *sql.Tx) error {
		num, err := chatNum(ctx, tx, c.Chat)
		if err != nil {
			return err
		}
		if err := removeDocs(ctx, tx, num, c.After); err != nil {
			return err
		}
		if err := addTerms(ctx, tx, words); err != nil {
			return err
		}
		if err := addDocs(ctx, tx, num, c.Docs); err != nil {
			return err
		}
		if err := putRuns(ctx, tx, c.Chat, c.Runs); err != nil {
			return err
		}
		if err := putSessions(ctx, tx, c.Chat, c.Sessions); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE chats SET epoch = ?, seq = ?, size = ?, mtime = ? WHERE num = ?`,
			c.Upto.Epoch, c.Upto.Seq, c.Upto.Size, c.Upto.ModTime, num)
		return err
	})
	if err == nil {
		s.remember(words)
	}
	return err
}

// Forget removes a chat from what is searched. What its runs used stays.
func (s *Store) Forget(ctx context.Context, chat wire.ChatID) error {
	return s.inTx(ctx, "remove a chat from the index", func(tx *sql.Tx) error {
		num, err := findChat(ctx, tx, chat)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := removeDocs(ctx, tx, num, 0); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE chat = ?`, chat); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM chats WHERE num = ?`, num)
		return err
	})
}

// Cursors returns how far each chat was read.
func (s *Store) Cursors(ctx context.Context) (map[wire.ChatID]Cursor, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT id, epoch, seq, size, mtime FROM chats`)
	if err != nil {
		return nil, explain("read the index", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	all := map[wire.ChatID]Cursor{}
	for rows.Next() {
		var id wire.ChatID
		var c Cursor
		if err := rows.Scan(&id, &c.Epoch, &c.Seq, &c.Size, &c.ModTime); err != nil {
			return nil, explain("read the index", err)
		}
		all[id] = c
	}
	return all, explain("read the index", rows.Err())
}

// querier is a transaction or a pool.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func findChat(ctx context.Context, q querier, chat wire.ChatID) (num int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT num FROM chats WHERE id = ?`, chat).Scan(&num)
	return num, err
}

func chatNum(ctx context.Context, tx *sql.Tx, chat wire.ChatID) (int64, error) {
	num, err := findChat(ctx, tx, chat)
	if !errors.Is(err, sql.ErrNoRows) {
		return num, err
	}
	err = tx.QueryRowContext(ctx,
		`INSERT INTO chats (id, epoch, seq, size, mtime) VALUES (?, 0, 0, -1, -1) RETURNING num`, chat).Scan(&num)
	return num, err
}

func removeDocs(ctx context.Context, tx *sql.Tx, num int64, after uint64) error {
	const old = `FROM docs WHERE chat = ? AND seq > ?`
	var any bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 `+old+`)`, num, after).Scan(&any); err != nil || !any {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM words WHERE rowid IN (SELECT id `+old+`)`, num, after); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE `+old, num, after)
	return err
}

// addDocs adds documents in the order of their ids: full-text search would write
// out what it holds at each step back.
func addDocs(ctx context.Context, tx *sql.Tx, num int64, docs []Doc) error {
	if len(docs) == 0 {
		return nil
	}
	text, err := tx.PrepareContext(ctx, `INSERT INTO docs (id, chat, seq, kind, agent, text) VALUES (?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer text.Close() //nolint:errcheck // ends with the transaction
	words, err := tx.PrepareContext(ctx, `INSERT INTO words (rowid, text, scope) VALUES (?, ?, ?)`)
	if err != nil {
		return err
	}
	defer words.Close() //nolint:errcheck // ends with the transaction
	taken, err := tx.PrepareContext(ctx, `SELECT MAX(id) FROM docs WHERE id >= ? AND id < ?`)
	if err != nil {
		return err
	}
	defer taken.Close() //nolint:errcheck // ends with the transaction
	docs = slices.Clone(docs)
	slices.SortStableFunc(docs, func(a, b Doc) int { return cmp.Compare(firstID(a.T), firstID(b.T)) })
	last := int64(0)
	for _, d := range docs {
		id, err := freeID(ctx, taken, d.T, last)
		if err != nil {
			return err
		}
		last = id
		if _, err := text.ExecContext(ctx, id, num, d.Seq, d.Kind, d.Agent, d.Text); err != nil {
			return err
		}
		if _, err := words.ExecContext(ctx, id, sliceToken(id)+" "+search.Folded(d.Text), chatToken(num)+" "+agentToken(d.Agent)); err != nil {
			return err
		}
	}
	return nil
}

// maxKnown is how many words are remembered to be in the index: the most common
// ones are most of all text.
const maxKnown = 20_000

// fresh returns the words of documents that may not be in the index, in order: so
// each page is touched once.
func (s *Store) fresh(docs []Doc) []string {
	set := map[string]struct{}{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range docs {
		search.Terms(d.Text, s.known, set)
	}
	return slices.Sorted(maps.Keys(set))
}

// remember notes words that are in the index now.
func (s *Store) remember(words []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known)+len(words) > maxKnown {
		s.known = map[string]struct{}{}
	}
	for _, w := range words[:min(len(words), maxKnown)] {
		s.known[w] = struct{}{}
	}
}

func addTerms(ctx context.Context, tx *sql.Tx, words []string) error {
	add, err := tx.PrepareContext(ctx, `INSERT INTO terms (word) VALUES (?) ON CONFLICT DO NOTHING`)
	if err != nil {
		return err
	}
	defer add.Close() //nolint:errcheck // ends with the transaction
	for _, w := range words {
		if _, err := add.ExecContext(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// idShift is how many bits of an id count what happened in one millisecond.
const idShift = 20

// lastMilli is the last time that an id can tell, in the year 2248; what is later
// counts as that.
const lastMilli = 1<<(63-idShift) - 2

func firstID(t wire.Time) int64 {
	return min(max(t.UnixMilli(), 0), lastMilli) << idShift
}

// freeID returns the id of a document of time t that follows last in a batch;
// taken asks for the highest id of a span.
func freeID(ctx context.Context, taken *sql.Stmt, t wire.Time, last int64) (int64, error) {
	id := firstID(t)
	if last >= id {
		return last + 1, nil // last was free, so all after it are
	}
	var highest sql.NullInt64
	err := taken.QueryRowContext(ctx, id, (id>>idShift+1)<<idShift).Scan(&highest)
	if highest.Valid {
		id = highest.Int64 + 1
	}
	return id, err
}

// The tokens of the column scope; the tokenizer leaves them whole.
func chatToken(num int64) string { return "c" + strconv.FormatInt(num, 10) }

func agentToken(a wire.AgentID) string {
	return "a" + hex.EncodeToString([]byte(strings.ToLower(string(a))))
}
