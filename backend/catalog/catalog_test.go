package catalog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"signalbox/backend/catalog"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/internal/id"
	"signalbox/backend/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	ann = wire.Person{ID: "u_1", Name: "Ann"}
	bob = wire.Person{ID: "u_2", Name: "Bob"}
)

type fixture struct {
	*catalog.Catalog

	t     *testing.T
	store *eventlog.Store
	log   *bytes.Buffer
	close func()
}

// open opens the catalog of a data folder; it is closed with the test.
func open(t *testing.T, dir string) *fixture {
	t.Helper()
	store, err := eventlog.Open(dir, eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = store.Run(ctx) })
	f := &fixture{t: t, store: store, log: &bytes.Buffer{}}
	f.close = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(f.close)
	f.Catalog, err = catalog.Open(store, catalog.Options{Log: slog.New(slog.NewTextHandler(f.log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) create(owner wire.Person, n catalog.New) catalog.Meta {
	f.t.Helper()
	m, err := f.Create(owner, n)
	if err != nil {
		f.t.Fatal(err)
	}
	return m
}

func (f *fixture) metaFile(id wire.ChatID) string { return filepath.Join(f.store.Dir(id), "meta.json") }

func (f *fixture) append(id wire.ChatID, run wire.RunID, evs ...wire.Event) {
	f.t.Helper()
	l, err := f.store.Log(id)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, ev := range evs {
		d, err := wire.NewDraft(run, ev)
		if err != nil {
			f.t.Fatal(err)
		}
		if _, err := l.Append(d); err != nil {
			f.t.Fatal(err)
		}
	}
}

var sameMeta = cmpopts.IgnoreUnexported(catalog.Meta{})

func TestCreate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := open(t, dir)
	m := f.create(ann, catalog.New{Title: "  Mine ", Selected: wire.Selection{Agent: "claude", Mode: wire.ModePlan}})
	if m.Title != "Mine" || m.TitleSource != catalog.TitleByUser || m.Owner != ann || m.Unread(ann.ID) || !m.Unread(bob.ID) {
		t.Errorf("Create = %+v", m)
	}
	if info, err := os.Stat(m.Cwd); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		t.Errorf("working folder: %v, %v", info, err)
	}
	if info, err := os.Stat(f.metaFile(m.ID)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("meta.json: %v, %v", info, err)
	}
	f.close()
	again, err := open(t, dir).Get(m.ID)
	if diff := cmp.Diff(m, again, sameMeta); diff != "" || err != nil {
		t.Errorf("after opening again: %v (-want +got):\n%s", err, diff)
	}
}

func TestCreate_refuses(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	for _, tt := range []struct {
		name string
		n    catalog.New
	}{
		{"a long title", catalog.New{Title: strings.Repeat("x", 201)}},
		{"a title of two lines", catalog.New{Title: "a\nb"}},
		{"a title that turns direction", catalog.New{Title: "a\u202eb"}},
		{"an unknown mode", catalog.New{Selected: wire.Selection{Mode: "x"}}},
		{"a long model", catalog.New{Selected: wire.Selection{Model: strings.Repeat("x", 201)}}},
	} {
		if _, err := f.Create(ann, tt.n); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v, want invalid", tt.name, err)
		}
	}
	if got := f.List(ann.ID); len(got) != 0 {
		t.Errorf("listed: %+v", got)
	}
}

// A50: what the person chose last is the default of the next chat, also after a
// restart.
func TestCreate_takesTheLastSelection(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := open(t, dir)
	a, b := wire.Selection{Agent: "claude", Model: "a"}, wire.Selection{Agent: "codex", Mode: wire.ModeChat}
	m := f.create(ann, catalog.New{Selected: a})
	other := f.create(bob, catalog.New{})
	if other.Selected != (wire.Selection{}) {
		t.Errorf("Bob begins with Ann's %+v", other.Selected)
	}
	if got := f.create(ann, catalog.New{}).Selected; got != a {
		t.Errorf("selected = %+v, want %+v", got, a)
	}
	// Bob chooses in Ann's chat: that is his, not hers.
	_, err := f.Update(m.ID, func(m *catalog.Meta) error {
		m.Selected, m.SelectedBy, m.SelectedAt = b, bob.ID, catalog.Now()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f.close()
	f = open(t, dir)
	if got := f.LastSelection(bob.ID); got != b {
		t.Errorf("Bob's last = %+v, want %+v", got, b)
	}
	if got := f.LastSelection(ann.ID); got != a {
		t.Errorf("Ann's last = %+v, want %+v", got, a)
	}
	if got := f.LastSelection("u_9"); got != (wire.Selection{}) {
		t.Errorf("somebody's last = %+v", got)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	m := f.create(ann, catalog.New{Title: "Old"})
	update := func(change func(*catalog.Meta) error) error {
		_, err := f.Update(m.ID, change)
		return err
	}
	why := errors.New("no")
	for _, tt := range []struct {
		name   string
		change func(*catalog.Meta) error
		want   func(error) bool
	}{
		{"an error of the change", func(m *catalog.Meta) error { m.Title = "New"; return why }, func(err error) bool { return errors.Is(err, why) }},
		{"an empty title", func(m *catalog.Meta) error { m.Title = " "; return nil }, isInvalid},
		{"an unknown mode", func(m *catalog.Meta) error { m.Selected.Mode = "x"; return nil }, isInvalid},
	} {
		if err := update(tt.change); !tt.want(err) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got, err := f.Get(m.ID); err != nil || !cmp.Equal(got, m, sameMeta) {
			t.Errorf("%s: metadata is now %+v, %v", tt.name, got, err)
		}
	}
	if err := update(func(m *catalog.Meta) error { m.Title, m.ID = "New", "c_x"; return nil }); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Get(m.ID); err != nil || got.Title != "New" || got.ID != m.ID {
		t.Errorf("metadata = %+v, %v", got, err)
	}
	if _, err := f.Update("c_x", func(*catalog.Meta) error { return nil }); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Update of no chat = %v", err)
	}
}

func isInvalid(err error) bool { return fault.CodeOf(err) == fault.Invalid }

// What a caller is given is a copy.
func TestGet_isACopy(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	m := f.create(ann, catalog.New{})
	m.MarkRead(bob.ID)
	got, err := f.Get(m.ID)
	if err != nil || !got.Unread(bob.ID) {
		t.Errorf("Get = %+v, %v", got, err)
	}
}

// A failed write changes nothing.
func TestUpdate_failedWrite(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	m := f.create(ann, catalog.New{Title: "Old"})
	path := f.metaFile(m.ID)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := f.Update(m.ID, func(m *catalog.Meta) error { m.Title = "New"; return nil })
	if fault.CodeOf(err) != fault.Unavailable {
		t.Fatalf("Update = %v, want unavailable", err)
	}
	if got, err := f.Get(m.ID); err != nil || got.Title != "Old" {
		t.Errorf("title = %q, %v", got.Title, err)
	}
}

func TestUpdate_keepsUnknownFields(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := open(t, dir)
	m := f.create(ann, catalog.New{Title: "Old"})
	path := f.metaFile(m.ID)
	f.close()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.Replace(b, []byte("{"), []byte(`{"hints":[{"allow":"x"}],"projectId":"p_1",`), 1)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f = open(t, dir)
	for _, title := range []string{"New", "Newer"} {
		if _, err := f.Update(m.ID, func(m *catalog.Meta) error { m.Title = title; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if b, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got["projectId"] != "p_1" || got["title"] != "Newer" || fmt.Sprint(got["hints"]) != "[map[allow:x]]" {
		t.Errorf("meta.json = %s", b)
	}
}

func TestOpen_rebuilds(t *testing.T) {
	t.Parallel()
	prompt := func(text string, s wire.Selection) wire.User {
		return wire.User{Text: text, ClientID: text, By: bob, Selection: s}
	}
	s1, s2 := wire.Selection{Agent: "claude"}, wire.Selection{Agent: "codex", Mode: wire.ModePlan}
	for _, tt := range []struct {
		name    string
		damage  []byte // nil removes the file
		events  []wire.Event
		want    *catalog.Meta
		sources int // files kept
	}{
		{
			name: "missing", events: []wire.Event{
				prompt("fix the build of the old branch", s1),
				wire.Complete{Status: wire.StatusOK},
				prompt("again", s2),
				wire.Complete{Status: wire.StatusCancelled},
			},
			want: &catalog.Meta{
				Title: "fix the build of the old", TitleSource: catalog.TitleAuto, Owner: bob,
				Selected: s2, SelectedBy: bob.ID, Verdict: wire.StatusCancelled,
			},
		},
		{
			name: "half of it", damage: []byte(`{"id":"c_`), events: []wire.Event{prompt("hi", s1), wire.Todo{}},
			want:    &catalog.Meta{Title: "hi", TitleSource: catalog.TitleAuto, Owner: bob, Selected: s1, SelectedBy: bob.ID},
			sources: 1,
		},
		{
			name: "another type", damage: []byte(`{"title":7}`), events: []wire.Event{prompt("hi", s1)},
			want:    &catalog.Meta{Title: "hi", TitleSource: catalog.TitleAuto, Owner: bob, Selected: s1, SelectedBy: bob.ID},
			sources: 1,
		},
		{
			name: "nothing in it", damage: []byte(`{}`), events: []wire.Event{prompt("hi", s1)},
			want:    &catalog.Meta{Title: "hi", TitleSource: catalog.TitleAuto, Owner: bob, Selected: s1, SelectedBy: bob.ID},
			sources: 1,
		},
		{name: "null, and an empty log", damage: []byte(`null`), want: &catalog.Meta{}, sources: 1},
		{name: "NULs, and an empty log", damage: make([]byte, 100), want: &catalog.Meta{}, sources: 1},
		{name: "missing, and an empty log: its creation was cut off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			f := open(t, dir)
			m, other := f.create(ann, catalog.New{Title: "Lost"}), f.create(ann, catalog.New{Title: "Whole"})
			path := f.metaFile(m.ID)
			f.append(m.ID, "r_1", tt.events...)
			f.close()
			if tt.damage == nil {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			} else if err := os.WriteFile(path, tt.damage, 0o600); err != nil {
				t.Fatal(err)
			}

			f = open(t, dir)
			got, err := f.Get(m.ID)
			if tt.want == nil {
				if fault.CodeOf(err) != fault.NotFound {
					t.Errorf("Get = %+v, %v; want not_found", got, err)
				}
			} else {
				tt.want.ID, tt.want.Cwd = m.ID, m.Cwd
				times := cmpopts.IgnoreTypes(wire.Time{})
				if diff := cmp.Diff(*tt.want, got, sameMeta, times); diff != "" || err != nil {
					t.Errorf("Get: %v (-want +got):\n%s", err, diff)
				}
				if got.Created.IsZero() || got.Active.IsZero() {
					t.Errorf("created %v, active %v", got.Created, got.Active)
				}
				if !strings.Contains(f.log.String(), "rebuilt") {
					t.Errorf("nothing is reported: %s", f.log)
				}
			}
			kept, err := filepath.Glob(path + ".damaged-*")
			if err != nil || len(kept) != tt.sources {
				t.Errorf("kept %v, %v; want %d", kept, err, tt.sources)
			}
			if o, err := f.Get(other.ID); err != nil || o.Title != "Whole" {
				t.Errorf("the other chat = %+v, %v", o, err)
			}
			f.close()
			if f = open(t, dir); strings.Contains(f.log.String(), "rebuilt") {
				t.Errorf("rebuilt again: %s", f.log)
			}
		})
	}
}

// A pipe, a folder or a link where metadata belongs neither stops the daemon nor
// hides the chat.
func TestOpen_notPlain(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"link":   func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			f := open(t, dir)
			m := f.create(ann, catalog.New{})
			f.append(m.ID, "r_1", wire.User{Text: "hi", ClientID: "1", By: ann})
			f.close()
			path := f.metaFile(m.ID)
			if err := errors.Join(os.Remove(path), put(path)); err != nil {
				t.Fatal(err)
			}
			if got, err := open(t, dir).Get(m.ID); err != nil || got.Title != "hi" {
				t.Errorf("Get = %+v, %v; want it made again", got, err)
			}
		})
	}
}

// A clock that was set back hides nothing: what happens then is later than what
// people have read, and what they read then is read.
func TestMeta_clockSetBack(t *testing.T) {
	t.Parallel()
	m := catalog.Meta{Active: wire.Time{Time: time.Now().Add(24 * time.Hour)}}
	m.MarkRead(bob.ID)
	if m.Unread(bob.ID) {
		t.Error("unread after it was read")
	}
	for range 2 {
		last := m.Active
		m.Happened()
		if !m.Unread(bob.ID) || !m.Active.After(last.Time) {
			t.Errorf("active %v after %v, read up to %v", m.Active, last, m.Reads[bob.ID])
		}
	}
	m.MarkRead(bob.ID)
	if m.Unread(bob.ID) {
		t.Error("unread after it was read again")
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	var ids []wire.ChatID
	now := catalog.Now()
	for i := range 5 {
		m := f.create(ann, catalog.New{})
		ids = append(ids, m.ID)
		if _, err := f.Update(m.ID, func(m *catalog.Meta) error {
			m.Active = wire.Time{Time: now.Add(time.Duration(i*7%5) * time.Second)}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	f.SetPhase(ids[0], wire.PhaseRunning)
	f.SetPhase(ids[1], wire.PhaseHeld)
	f.SetPhase("c_none", wire.PhaseRunning)
	list := f.List(ann.ID)
	for i, s := range list {
		if i > 0 && s.Active.After(list[i-1].Active.Time) {
			t.Errorf("chat %d is newer than the one before", i)
		}
		if want := s.ID == ids[0]; s.Running != want {
			t.Errorf("running = %v in phase %s", s.Running, s.Phase)
		}
	}
	if len(list) != 5 {
		t.Errorf("%d chats", len(list))
	}
}

func TestWatcher(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	w := f.Watch(bob.ID)
	defer w.Close()
	m := f.create(ann, catalog.New{Title: "One"})
	for _, p := range []wire.Phase{wire.PhaseStarting, wire.PhaseRunning, wire.PhaseIdle, wire.PhaseRunning} {
		f.SetPhase(m.ID, p)
	}
	frames, err := w.Next(t.Context())
	if err != nil || len(frames) != 1 {
		t.Fatalf("Next = %v, %v; want the chat once", frames, err)
	}
	if got := frames[0].(wire.ChatChanged).Chat; got.Title != "One" || got.Phase != wire.PhaseRunning || !got.Unread {
		t.Errorf("frame = %+v", got)
	}
	if _, err := f.Update(m.ID, func(m *catalog.Meta) error { return nil }); err != nil {
		t.Fatal(err)
	}
	f.SetPhase(m.ID, wire.PhaseRunning)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if frames, err := w.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Next after no change = %v, %v", frames, err)
	}
	w.Close()
	f.SetPhase(m.ID, wire.PhaseIdle)
	if frames, err := w.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Next after Close = %v, %v", frames, err)
	}
}

// Changes from many sides: each watcher ends with every chat as it then is, and
// holds no more than an id for each.
func TestWatcher_slowOnesMissNothing(t *testing.T) {
	t.Parallel()
	const chats, watchers, rounds = 20, 20, 5
	f := open(t, t.TempDir())
	ids := make([]wire.ChatID, chats)
	for i := range ids {
		ids[i] = f.create(ann, catalog.New{}).ID
	}
	ws := make([]*catalog.Watcher, watchers)
	for i := range ws {
		ws[i] = f.Watch(ann.ID)
		defer ws[i].Close()
	}
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() {
			for round := range rounds {
				f.SetPhase(id, wire.PhaseRunning)
				if _, err := f.Update(id, func(m *catalog.Meta) error { m.Title = fmt.Sprint(round); return nil }); err != nil {
					t.Error(err)
				}
			}
			f.SetPhase(id, wire.PhaseIdle)
		})
	}
	for _, w := range ws {
		wg.Go(func() {
			last := map[wire.ChatID]wire.ChatSummary{}
			done := func() bool {
				n := 0
				for _, s := range last {
					if s.Title == fmt.Sprint(rounds-1) && s.Phase == wire.PhaseIdle {
						n++
					}
				}
				return n == chats
			}
			for !done() {
				frames, err := w.Next(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				for _, fr := range frames {
					s := fr.(wire.ChatChanged).Chat
					last[s.ID] = s
				}
			}
		})
	}
	wg.Wait()
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(`{"id":"c_1","title":"x","reads":{"u":"2026-01-01T00:00:00Z"},"other":{"a":1}}`))
	f.Add([]byte(`{"title":"x","Title":"y","created":null}`))
	f.Add([]byte("{\"\xff\":1}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var m, again catalog.Meta
		if json.Unmarshal(b, &m) != nil {
			return
		}
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if err := json.Unmarshal(out, &again); err != nil {
			t.Fatalf("%s cannot be read back: %v", out, err)
		}
		twice, err := json.Marshal(again)
		if err != nil || !bytes.Equal(out, twice) {
			t.Errorf("written twice: %s and %s, %v", out, twice, err)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	const chats = 1_000
	dir := b.TempDir()
	for range chats {
		m := catalog.Meta{ID: wire.ChatID(id.New("c_")), Title: "A title of some words", Owner: ann, Created: catalog.Now(), Active: catalog.Now(), Cwd: dir}
		path := filepath.Join(dir, "chats", string(m.ID))
		if err := os.MkdirAll(path, 0o700); err != nil {
			b.Fatal(err)
		}
		j, err := json.Marshal(m)
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "meta.json"), j, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	store, err := eventlog.Open(dir, eventlog.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // nothing was written
	for b.Loop() {
		c, err := catalog.Open(store, catalog.Options{})
		if err != nil || len(c.List("u")) != chats {
			b.Fatal(err)
		}
	}
}

// What was being written when a daemon was killed is gone with the next start.
func TestOpen_sweepsUnfinishedWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := open(t, dir)
	m := f.create(ann, catalog.New{Title: "Whole"})
	path := f.metaFile(m.ID)
	f.close()
	left := filepath.Join(filepath.Dir(path), ".meta.json123")
	if err := os.WriteFile(left, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	f = open(t, dir)
	if _, err := os.Lstat(left); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if got, err := f.Get(m.ID); err != nil || got.Title != "Whole" {
		t.Errorf("Get = %+v, %v", got, err)
	}
}
