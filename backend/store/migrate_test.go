package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"signalbox/backend/store"
)

// An index of an earlier version is brought forward with what it has, and read
// again as far as that needs; one of a later version is put aside.
func TestOpen_otherVersions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index.db")
	change := func(statements string) *store.Store {
		t.Helper()
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), statements); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		return open(t, path)
	}
	chat := newChat()
	s := open(t, path)
	put(t, s, chat, 0, doc(1, 0, "word"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = change(`DROP TABLE sessions; PRAGMA user_version = 1`)
	cursors, err := s.Cursors(t.Context())
	if c, ok := cursors[chat]; err != nil || !ok || c.Seq != 0 {
		t.Errorf("cursors = %+v, %v", cursors, err)
	}
	if got := texts(t, s, query("word ")); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	if err := s.Apply(t.Context(), store.Change{Chat: chat, Sessions: []string{"s"}}); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = change(`PRAGMA user_version = 99`)
	if cursors, err = s.Cursors(t.Context()); err != nil || len(cursors) > 0 {
		t.Errorf("cursors = %+v, %v", cursors, err)
	}
	if _, err := os.Stat(path + ".damaged"); err != nil {
		t.Error(err)
	}
}
