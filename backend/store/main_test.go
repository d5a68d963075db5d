package store_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"signalbox/backend/internal/id"
	"signalbox/backend/store"
	"signalbox/backend/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newChat() wire.ChatID { return wire.ChatID(id.New("c_")) }

// noon is the time of the first document; others follow by the minute.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func at(minutes int) wire.Time {
	return wire.Time{Time: noon.Add(time.Duration(minutes) * time.Minute)}
}

func open(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), path, store.Options{Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newStore(t testing.TB) *store.Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a folder?&#%41")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return open(t, filepath.Join(dir, "index.db"))
}

func doc(seq uint64, minutes int, text string) store.Doc {
	return store.Doc{Seq: seq, T: at(minutes), Kind: wire.TypeUser, Agent: "claude", Text: text}
}

// put replaces what the index has of the chat after the event after.
func put(t testing.TB, s *store.Store, chat wire.ChatID, after uint64, docs ...store.Doc) {
	t.Helper()
	c := store.Change{Chat: chat, After: after, Docs: docs}
	c.Upto = store.Cursor{Position: wire.Position{Epoch: 1, Seq: after + uint64(len(docs))}, Size: -1, ModTime: -1}
	if err := s.Apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}
