package catalog_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"signalbox/backend/catalog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

const day = 24 * time.Hour

func wantCode(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Errorf("%s = %v, want code %q", what, err, code)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A95: read and unread, pins and the archive, to each person.
func TestMeta_marks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := open(t, dir)
	id := f.create(ann, catalog.New{Title: "chat"}).ID
	_, err := f.Update(id, func(m *catalog.Meta) error {
		m.MarkRead(bob.ID)
		m.Pin(bob.ID, true)
		m.MarkUnread(ann.ID)
		m.Archived = true
		return nil
	})
	must(t, err)
	f.close()
	f = open(t, dir)
	for who, want := range map[wire.UserID]wire.ChatSummary{
		ann.ID: {Unread: true, Archived: true},
		bob.ID: {Pinned: true, Archived: true},
	} {
		s, err := f.Summary(id, who)
		must(t, err)
		if s.Unread != want.Unread || s.Pinned != want.Pinned || s.Archived != want.Archived {
			t.Errorf("to %s it is %+v", who, s)
		}
	}
	m, err := f.Update(id, func(m *catalog.Meta) error { m.Pin(bob.ID, false); return nil })
	must(t, err)
	if len(m.Pins) != 0 {
		t.Errorf("pins = %v", m.Pins)
	}
	// What is given out is a copy, down to the last field.
	m.Pins = map[wire.UserID]wire.Time{ann.ID: catalog.Now()}
	if s, err := f.Summary(id, ann.ID); err != nil || s.Pinned {
		t.Errorf("a copy changed the chat: %+v, %v", s, err)
	}
}

// Every field of the metadata that the file has is one of this version: none is
// kept as another's and written twice.
func TestMeta_writesEachFieldOnce(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	id := f.create(ann, catalog.New{Title: "chat"}).ID
	now := catalog.Now()
	_, err := f.Update(id, func(m *catalog.Meta) error {
		m.Archived, m.Verdict = true, wire.StatusOK
		m.ForkOf = &wire.Origin{Chat: "c_0", Seq: 1}
		m.Pin(ann.ID, true)
		m.Trashed, m.TrashedBy = &now, &bob
		return nil
	})
	must(t, err)
	b, err := os.ReadFile(f.metaFile(id))
	must(t, err)
	var m catalog.Meta
	must(t, m.UnmarshalJSON(b))
	again, err := m.MarshalJSON()
	must(t, err)
	var twice catalog.Meta
	must(t, twice.UnmarshalJSON(again))
	if !reflect.DeepEqual(m, twice) || !m.Archived || m.ForkOf == nil || m.Trashed == nil || m.TrashedBy == nil {
		t.Errorf("%s became %s", b, again)
	}
}

func TestTrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := open(t, dir)
	first, second := f.create(ann, catalog.New{Title: "first"}).ID, f.create(bob, catalog.New{Title: "second"}).ID
	w := f.Watch(ann.ID)
	defer w.Close()
	must(t, f.Trash(first, bob))
	frames, err := w.Next(t.Context())
	must(t, err)
	if len(frames) != 1 || frames[0] != (wire.ChatRemoved{ID: first}) {
		t.Errorf("who watches is told %+v", frames)
	}
	must(t, f.Trash(second, bob))
	wantCode(t, "trash it again", f.Trash(first, ann), fault.NotFound)
	_, err = f.Get(first)
	wantCode(t, "get it", err, fault.NotFound)
	_, err = f.Update(first, func(*catalog.Meta) error { return nil })
	wantCode(t, "change it", err, fault.NotFound)
	f.SetPhase(first, wire.PhaseIdle)
	f.close()

	f = open(t, dir)
	if list := f.List(ann.ID); len(list) != 0 {
		t.Errorf("listed are %+v", list)
	}
	trash := f.Trashed(ann.ID)
	if len(trash) != 2 || trash[0].ID != second || trash[1].ID != first || trash[1].Trashed == nil {
		t.Errorf("in the trash are %+v", trash)
	}
	if m, err := f.InTrash(first); err != nil || *m.TrashedBy != bob || m.Owner != ann {
		t.Errorf("the first is %+v, %v", m, err)
	}
	must(t, f.Untrash(first))
	wantCode(t, "take it out again", f.Untrash(first), fault.NotFound)
	if m, err := f.Get(first); err != nil || m.Title != "first" || m.Trashed != nil || m.TrashedBy != nil {
		t.Errorf("taken out it is %+v, %v", m, err)
	}
	wantCode(t, "purge what is not in the trash", f.Purge(first), fault.NotFound)
	must(t, f.Purge(second))
	wantCode(t, "purge it again", f.Purge(second), fault.NotFound)
	if _, err := os.Stat(f.store.Dir(second)); !os.IsNotExist(err) {
		t.Errorf("its folder: %v", err)
	}
}

// What an agent left in the working folder goes, too: links without what they lead
// to.
func TestPurge_followsNoLinks(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	m := f.create(ann, catalog.New{})
	outside := filepath.Join(t.TempDir(), "outside")
	must(t, os.Mkdir(outside, 0o700))
	must(t, os.WriteFile(filepath.Join(outside, "file"), nil, 0o600))
	must(t, os.Symlink(outside, filepath.Join(m.Cwd, "link")))
	must(t, f.Trash(m.ID, ann))
	must(t, f.Purge(m.ID))
	if _, err := os.Stat(filepath.Join(outside, "file")); err != nil {
		t.Errorf("what a link leads to: %v", err)
	}
}

// A folder without a log is removed only once nothing can be about to fill it.
func TestTidy_bareFolders(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	used := f.create(ann, catalog.New{})
	bare := f.store.Dir("c_00000000000000000000000000")
	must(t, os.MkdirAll(filepath.Join(bare, "work"), 0o700))
	strange := f.store.Dir("c_00000000000000000000000001")
	must(t, os.MkdirAll(strange, 0o700))
	must(t, os.WriteFile(filepath.Join(strange, "note"), nil, 0o600))
	there := func(dir string) bool {
		_, err := os.Stat(dir)
		return err == nil
	}
	must(t, f.Tidy(t.Context(), time.Now()))
	if !there(bare) {
		t.Error("a folder that was just made is gone")
	}
	must(t, f.Tidy(t.Context(), time.Now().Add(2*day)))
	if there(bare) || !there(strange) || !there(used.Cwd) {
		t.Errorf("bare %v, with something in it %v, of a chat %v", there(bare), there(strange), there(used.Cwd))
	}
}

func TestForks(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	id := f.create(ann, catalog.New{Title: "chat"}).ID
	fork := func() wire.ChatID {
		return f.create(bob, catalog.New{Title: "fork", ForkOf: &wire.Origin{Chat: id}, MakeLog: func(to wire.ChatID) error {
			_, err := f.store.Fork(id, to, 0)
			return err
		}}).ID
	}
	first, second := fork(), fork()
	if got := f.Forks(id); len(got) != 2 || got[0].ID != first || got[1].ID != second {
		t.Errorf("Forks = %+v", got)
	}
	must(t, f.Trash(first, bob))
	if got := f.Forks(id); len(got) != 1 || got[0].ID != second {
		t.Errorf("without the deleted one Forks = %+v", got)
	}
	_, err := f.Create(bob, catalog.New{ForkOf: &wire.Origin{Chat: id}, MakeLog: func(wire.ChatID) error {
		return fault.New(fault.Unavailable, "on purpose")
	}})
	wantCode(t, "a fork that cannot be made", err, fault.Unavailable)
	if ids, err := f.store.Chats(); err != nil || len(ids) != 3 {
		t.Errorf("%d folders are left, %v", len(ids), err)
	}
}

// A fork whose metadata is lost still does not pass for the owner of the sessions
// that its events tell of.
func TestOpen_rebuildsAFork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := open(t, dir)
	parent := f.create(ann, catalog.New{Title: "chat"})
	add := func(id wire.ChatID) uint64 {
		t.Helper()
		l, err := f.store.Log(id)
		must(t, err)
		d, err := wire.NewDraft("r_1", wire.User{Text: "hello", ClientID: "a", By: ann})
		must(t, err)
		seq, err := l.Append(d)
		must(t, err)
		return seq
	}
	last := add(parent.ID)
	// The fork is made later than what it has.
	later := time.NewTimer(5 * time.Millisecond)
	<-later.C
	fork := f.create(bob, catalog.New{Cwd: parent.Cwd, ForkOf: &wire.Origin{Chat: parent.ID, Seq: last}, MakeLog: func(to wire.ChatID) error {
		_, err := f.store.Fork(parent.ID, to, 0)
		return err
	}}).ID
	add(fork)
	f.close()
	must(t, os.Remove(f.metaFile(fork)))
	f = open(t, dir)
	m, err := f.Get(fork)
	must(t, err)
	if m.ForkOf == nil || m.ForkOf.Seq != last {
		t.Errorf("its origin = %+v, want the event %d", m.ForkOf, last)
	}
	if st, err := os.Stat(m.Cwd); err != nil || !st.IsDir() {
		t.Errorf("its folder: %v", err)
	}
	if s, err := f.Summary(fork, ann.ID); err != nil || s.ForkOf != nil {
		t.Errorf("it is listed as a fork of %+v, %v", s.ForkOf, err)
	}
	if m, err := f.Get(parent.ID); err != nil || m.ForkOf != nil {
		t.Errorf("the parent = %+v, %v", m, err)
	}
}
