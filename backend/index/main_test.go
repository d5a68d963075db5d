package index_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"signalbox/backend/eventlog"
	"signalbox/backend/index"
	"signalbox/backend/internal/id"
	"signalbox/backend/search"
	"signalbox/backend/store"
	"signalbox/backend/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newChat() wire.ChatID { return wire.ChatID(id.New("c_")) }

// rig is a data folder with an index that follows it.
type rig struct {
	*testing.T

	dir   string
	delay time.Duration
	retry time.Duration
	logs  *eventlog.Store
	index *index.Index
	stop  func()
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, dir: t.TempDir(), delay: time.Millisecond, retry: 10 * time.Millisecond}
	r.openLogs()
	t.Cleanup(func() { r.stop(); r.closeLogs() })
	r.run()
	return r
}

func (r *rig) openLogs() {
	r.Helper()
	var err error
	if r.logs, err = eventlog.Open(r.dir, eventlog.Options{BootID: "boot"}); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) closeLogs() {
	r.Helper()
	if err := r.logs.Close(); err != nil {
		r.Error(err)
	}
}

func (r *rig) path() string { return filepath.Join(r.dir, "index.db") }

// run starts an index; stop ends it and waits.
func (r *rig) run() {
	x := index.New(r.logs, r.path(), index.Options{
		Log:   slog.New(slog.NewTextHandler(r.Output(), nil)),
		Delay: r.delay, Retry: r.retry, Eager: true,
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := x.Run(ctx); err != nil {
			r.Errorf("index ended: %v", err)
		}
	})
	r.index = x
	r.stop = func() { cancel(); running.Wait() }
}

// restart ends the index, and what holds the folder, and begins both again.
func (r *rig) restart(meanwhile func()) {
	r.Helper()
	r.stop()
	r.closeLogs()
	if meanwhile != nil {
		meanwhile()
	}
	r.openLogs()
	r.run()
}

func (r *rig) create() (wire.ChatID, *eventlog.Log) {
	r.Helper()
	chat := newChat()
	l, err := r.logs.Create(chat)
	if err != nil {
		r.Fatal(err)
	}
	return chat, l
}

func (r *rig) add(l *eventlog.Log, run wire.RunID, events ...wire.Event) {
	r.Helper()
	for _, ev := range events {
		d, err := wire.NewDraft(run, ev)
		if err != nil {
			r.Fatal(err)
		}
		if _, err := l.Append(d); err != nil {
			r.Fatal(err)
		}
	}
}

func (r *rig) wait() {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), 30*time.Second)
	defer cancel()
	if err := r.index.Wait(ctx); err != nil {
		r.Fatalf("the index does not catch up: %v; %+v", err, r.index.Status())
	}
}

// seqs returns where a query is found in the chat, once the index has caught up,
// the newest first.
func (r *rig) seqs(chat wire.ChatID, query string) []uint64 {
	r.Helper()
	r.wait()
	found, _, err := r.index.Search(r.Context(), store.Search{Query: search.Parse(query), Chat: chat}, 100)
	if err != nil {
		r.Fatal(err)
	}
	seqs := []uint64{}
	for _, f := range found {
		seqs = append(seqs, f.Seq)
	}
	return seqs
}

func user(text string) wire.User {
	return wire.User{
		Text: text, ClientID: id.New("m_"), By: wire.Person{ID: "u_1", Name: "Ann"},
		Selection: wire.Selection{Agent: "claude", Model: "opus"},
	}
}

func said(item, text string) wire.AssistantText { return wire.AssistantText{Item: item, Delta: text} }

func done() wire.Complete { return wire.Complete{Status: wire.StatusOK} }
