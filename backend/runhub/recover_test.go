package runhub_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
	"signalbox/backend/eventlog"
	"signalbox/backend/internal/id"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// T8: a daemon that is killed at any point of a run leaves a chat that the next
// one shows as interrupted, once, and that takes a new prompt.
func TestRecover_inEveryPhase(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		// reach takes the run to the moment of the crash.
		reach func(t *testing.T, w *world, id wire.ChatID, p *puppet)
		want  string
	}{
		{
			name: "before any prompt", reach: func(*testing.T, *world, wire.ChatID, *puppet) {},
			want: "",
		},
		{
			name: "starting",
			reach: func(t *testing.T, w *world, id wire.ChatID, p *puppet) {
				w.prompt(id, "a", "hello")
				<-p.calls
			},
			want: "user run_started complete",
		},
		{
			name: "running, with an approval",
			reach: func(t *testing.T, w *world, id wire.ChatID, p *puppet) {
				w.prompt(id, "a", "hello")
				c := <-p.calls
				c.emit(t, wire.Session{Agent: "claude", SessionID: "s1"}, wire.AssistantText{Item: "i", Delta: "x"})
				if _, err := c.host.Ask(t.Context(), agent.Ask{Kind: wire.ApprovalCommand, Title: "ls", ReadOnly: true}); err != nil {
					t.Fatal(err)
				}
			},
			want: "user run_started session assistant_text approval approval_answered complete",
		},
		{
			name: "idle again",
			reach: func(t *testing.T, w *world, id wire.ChatID, p *puppet) {
				w.prompt(id, "a", "hello")
				(<-p.calls).ok()
				w.settled(id)
			},
			want: "user run_started complete",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, p2 := newPuppet("claude"), newPuppet("claude")
			w := start(t, p)
			id := w.chat()
			tt.reach(t, w, id, p)
			after := w.crash(runhub.Options{}, p2)
			if got := after.types(id); got != tt.want {
				t.Errorf("log = %s\nwant %s", got, tt.want)
			}
			if c, ok := lastOrNil(after, id).(wire.Complete); ok && tt.name != "idle again" {
				m, err := after.chats.Get(id)
				if err != nil || c.Status != wire.StatusInterrupted || m.Verdict != wire.StatusInterrupted {
					t.Errorf("complete = %+v, listed as %q, %v", c, m.Verdict, err)
				}
				// It counts for the limits of the chat, once, with all that is known.
				if all, _ := m.UsedBy(time.Now()); all != (catalog.Spent{MS: c.MS, Unknown: 1}) {
					t.Errorf("used %+v by a run of %d ms", all, c.MS)
				}
			}
			if _, err := os.Stat(filepath.Join(after.store.Dir(id), "running.json")); !os.IsNotExist(err) {
				t.Errorf("running.json is left: %v", err)
			}
			twice := after.crash(runhub.Options{}, newPuppet("claude"))
			if got := twice.types(id); got != tt.want {
				t.Errorf("after a second restart: %s", got)
			}
			// A new prompt works.
			after.prompt(id, "b", "again")
			(<-p2.calls).ok()
			after.settled(id)
		})
	}
}

// A daemon that dies after the end of a run and before it was counted loses nothing: the
// next one counts it, once; not what a fork has from its chat, nor what was counted and
// taken out since.
func TestRecover_countsWhatWasNot(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	ran := func(tokens ...int64) (id wire.ChatID, last wire.PromptResult, used []*catalog.Used) {
		id = w.chat()
		for i, n := range tokens {
			last = w.prompt(id, string(rune('a'+i)), "hello")
			u := usage(n, 1)
			(<-p.calls).end <- func() (agent.Result, error) { return agent.Result{Status: wire.StatusOK, Usage: &u}, nil }
			w.settled(id)
			m, err := w.chats.Get(id)
			if err != nil {
				t.Fatal(err)
			}
			used = append(used, m.Used)
		}
		return id, last, used
	}
	set := func(id wire.ChatID, used *catalog.Used) {
		if _, err := w.chats.Update(id, func(m *catalog.Meta) error { m.Used = used; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	first, _, _ := ran(10)
	set(first, nil)
	second, _, used := ran(10, 20)
	set(second, used[0])
	rewound, last, used := ran(10, 20)
	if _, err := w.hub.Rewind(rewound, ann, last.Seq); err != nil {
		t.Fatal(err)
	}
	set(rewound, used[1])
	fork := w.fork(second, runhub.Fork{})
	open, _, used := ran(10)
	used[0].Seq = 0 // as an earlier version wrote it
	set(open, used[0])
	w.prompt(open, "b", "hello")
	<-p.calls

	for range 2 {
		w = w.crash(runhub.Options{}, newPuppet("claude"))
		for _, tt := range []struct {
			name string
			id   wire.ChatID
			want catalog.Spent
		}{
			{"the first run", first, catalog.Spent{Tokens: 10, CostUSD: 1}},
			{"the second run", second, catalog.Spent{Tokens: 30, CostUSD: 2}},
			{"with a run that was taken out", rewound, catalog.Spent{Tokens: 30, CostUSD: 2}},
			{"the fork", fork, catalog.Spent{}},
			{"a run without an end", open, catalog.Spent{Tokens: 10, CostUSD: 1, Unknown: 1}},
		} {
			m, err := w.chats.Get(tt.id)
			if err != nil {
				t.Fatal(err)
			}
			all, day := m.UsedBy(time.Now())
			all.MS, day.MS = 0, 0 // as long as it took here
			if all != tt.want || day != tt.want {
				t.Errorf("%s: used %+v, today %+v; want %+v", tt.name, all, day, tt.want)
			}
		}
	}
}

func lastOrNil(w *world, id wire.ChatID) wire.Event {
	if len(w.events(id)) == 0 {
		return nil
	}
	return w.last(id)
}

// A run without an end that Recover could not complete is completed by the next
// prompt.
func TestPrompt_completesTheRunBefore(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	l, err := w.store.Log(id)
	if err != nil {
		t.Fatal(err)
	}
	d, err := wire.NewDraft("r_old", wire.User{Text: "old", ClientID: "old", By: bob})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(d); err != nil {
		t.Fatal(err)
	}
	w.prompt(id, "a", "hello")
	(<-p.calls).ok()
	w.settled(id)
	if got := w.types(id); got != "user complete user run_started complete" {
		t.Errorf("log = %s", got)
	}
	if e := w.events(id)[1]; e.Run != "r_old" || e.ev.(wire.Complete).Status != wire.StatusInterrupted {
		t.Errorf("complete = %+v", e)
	}
}

// A chat that cannot be read does not keep the others from being put right.
func TestRecover_damagedChat(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	bad, good := w.chat(), w.chat()
	for _, id := range []wire.ChatID{bad, good} {
		w.prompt(id, "a", "hello")
		<-p.calls
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, mustRel(t, w.dir, w.store.Dir(bad)), "events.jsonl")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	after := startIn(t, dir, runhub.Options{}, newPuppet("claude"))
	if got := after.types(good); got != "user run_started complete" {
		t.Errorf("log of the good chat = %s", got)
	}
	if _, err := after.hub.Prompt(t.Context(), bad, ann, runhub.Prompt{Text: "a"}); err == nil {
		t.Error("a prompt to the damaged chat was taken")
	}
}

// A start reads a log from its end until it knows how the last run went, however far
// that is and whatever happened to the file: the run that was cut off is ended once, and
// the chat takes prompts.
func TestRecover_ofWhatLiesFarBack(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	run := c.req.Run
	for i := range 40 {
		c.emit(t,
			wire.ToolUseStart{ToolID: fmt.Sprint(i), Name: "Read"},
			wire.ToolUseEnd{ToolID: fmt.Sprint(i), OK: true, Output: strings.Repeat("a long line ", 2000)},
		)
	}
	line := func(b []byte, n int) (from, to int) { // where line n is, from the end where n is negative
		lines := bytes.SplitAfter(b, []byte("\n"))
		n = (n + len(lines)) % len(lines)
		from = len(bytes.Join(lines[:n], nil))
		return from, from + len(lines[n])
	}
	over := func(b []byte, from, to int) []byte {
		for i := from; i < to; i++ {
			b[i] = 0
		}
		return b
	}
	for _, tt := range []struct {
		name   string
		change func([]byte) []byte
	}{
		{"as it was", func(b []byte) []byte { return b }},
		{"a line that is not whole", func(b []byte) []byte { return append(b, `{"seq":`...) }},
		{"half a line of a megabyte", func(b []byte) []byte {
			return append(append(b, `{"seq":83,"t":"`...), bytes.Repeat([]byte("x"), 1<<20)...)
		}},
		{"nothing but zeros at the end", func(b []byte) []byte { return append(b, make([]byte, 300<<10)...) }},
		{"zeros in place of the last lines", func(b []byte) []byte {
			from, _ := line(b, -20)
			return over(b, from, len(b))
		}},
		{"a hole in the middle", func(b []byte) []byte { return over(b, len(b)/4, 3*len(b)/4) }},
		{"every other line is damaged", func(b []byte) []byte {
			for n := 3; n < 80; n += 2 {
				from, to := line(b, n)
				b = over(b, from, to-1)
			}
			return b
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(w.dir)); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, mustRel(t, w.dir, w.store.Dir(id)), "events.jsonl")
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, tt.change(b), 0o600); err != nil {
				t.Fatal(err)
			}
			p := newPuppet("claude")
			after := startIn(t, dir, runhub.Options{}, p)
			after.prompt(id, "b", "again")
			(<-p.calls).ok()
			after.settled(id)
			var ends []string
			seq := uint64(0)
			for _, e := range after.events(id) {
				if done, ok := e.ev.(wire.Complete); ok {
					ends = append(ends, fmt.Sprint(e.Run == run, " ", done.Status))
				}
				if ep, ok := e.ev.(wire.Epoch); e.Seq != seq+1 && (!ok || ep.Keep != seq) {
					t.Errorf("event %d follows %d", e.Seq, seq)
				}
				seq = e.Seq
			}
			if diff := cmp.Diff([]string{"true interrupted", "false ok"}, ends); diff != "" {
				t.Errorf("ends (-want +got):\n%s", diff)
			}
		})
	}
}

func mustRel(t *testing.T, base, path string) string {
	t.Helper()
	rel, err := filepath.Rel(base, path)
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

// A start with many chats reads the end of each log alone. The time is reported,
// not asserted.
func TestRecover_manyChats(t *testing.T) {
	const chats, open = 1_000, 10
	dir := t.TempDir()
	ended, cutOff := templates(t, dir)
	ids := make([]wire.ChatID, chats)
	for i := range ids {
		ids[i] = wire.ChatID(id.New("c_"))
		from := ended
		if i < open {
			from = cutOff
		}
		copyChat(t, dir, from, ids[i])
	}

	begun := time.Now()
	store, err := eventlog.Open(dir, eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opened := time.Now()
	list, err := catalog.Open(store, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	listed := time.Now()
	agents, err := agent.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	stop := runStore(t, store)
	if err := runhub.New(store, list, agents, runhub.Options{}).Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d chats: store %v, list %v, recovery %v", chats, opened.Sub(begun), listed.Sub(opened), time.Since(listed))
	for i, id := range ids {
		want := wire.StatusInterrupted
		if i >= open {
			want = wire.StatusOK
		}
		if m, err := list.Get(id); err != nil || m.Verdict != want {
			t.Fatalf("chat %d: verdict %q, %v; want %q", i, m.Verdict, err, want)
		}
	}
	stop()
}

// templates makes a chat whose run ended and one whose run was cut off.
func templates(t *testing.T, dir string) (ended, cutOff wire.ChatID) {
	t.Helper()
	p := newPuppet("claude")
	w := startIn(t, dir, runhub.Options{}, p)
	ended, cutOff = w.chat(), w.chat()
	w.prompt(ended, "a", "hello")
	(<-p.calls).ok()
	w.settled(ended)
	l, err := w.store.Log(cutOff)
	if err != nil {
		t.Fatal(err)
	}
	d, err := wire.NewDraft("r_1", wire.User{Text: "hello", ClientID: "a", By: ann})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(d); err != nil {
		t.Fatal(err)
	}
	w.stop()
	return ended, cutOff
}

func copyChat(t *testing.T, dir string, from, to wire.ChatID) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "chats", string(to)), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"meta.json", "events.jsonl"} {
		b, err := os.ReadFile(filepath.Join(dir, "chats", string(from), name))
		if err != nil {
			t.Fatal(err)
		}
		b = bytes.ReplaceAll(b, []byte(from), []byte(to))
		if err := os.WriteFile(filepath.Join(dir, "chats", string(to), name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// runStore serves the store's syncs until it is stopped.
func runStore(t *testing.T, store *eventlog.Store) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = store.Run(ctx) })
	return func() {
		cancel()
		wg.Wait()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}
