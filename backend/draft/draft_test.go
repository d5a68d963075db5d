package draft_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"signalbox/backend/draft"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

const (
	one = wire.ChatID("c_01ARZ3NDEKTSV4RRFFQ69G5FAV")
	two = wire.ChatID("c_01ARZ3NDEKTSV4RRFFQ69G5FAW")
	ann = wire.UserID("u_01ARZ3NDEKTSV4RRFFQ69G5FAV")
	bob = wire.UserID("u_01ARZ3NDEKTSV4RRFFQ69G5FAW")
)

func open(t *testing.T, dir string) *draft.Store {
	t.Helper()
	for _, c := range []wire.ChatID{one, two} {
		if err := os.MkdirAll(filepath.Join(dir, string(c)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return draft.New(func(c wire.ChatID) string { return filepath.Join(dir, string(c)) },
		draft.Options{Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
}

func put(t *testing.T, s *draft.Store, c wire.ChatID, who wire.UserID, d wire.SavedDraft) wire.SavedDraft {
	t.Helper()
	got, err := s.Put(c, who, d)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A draft is of one person in one chat, and there after a restart.
func TestPut_isThereForItsPersonAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	want := wire.SavedDraft{
		Text: "half a \n<thought> 👩‍💻", Skills: []string{"review"},
		Attachments: []wire.Attachment{{Name: "a.png", Media: "image/png", SHA256: strings.Repeat("0", 64), Bytes: 3}},
	}
	drafts := filepath.Join(dir, string(one), "drafts")
	if err := os.MkdirAll(drafts, 0o700); err != nil {
		t.Fatal(err)
	}
	// What was being written when an earlier daemon was killed.
	if err := os.WriteFile(filepath.Join(drafts, "."+string(ann)+".json123"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	saved := put(t, s, one, ann, want)
	if files, err := os.ReadDir(drafts); err != nil || len(files) != 1 {
		t.Errorf("beside the draft lie %v, %v", files, err)
	}
	if saved.Rev != 1 || saved.At.IsZero() {
		t.Errorf("saved as %+v", saved)
	}
	got, err := open(t, dir).Get(one, ann)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(wire.SavedDraft{}, "Rev", "At")); diff != "" || err != nil || got.Rev != 1 {
		t.Errorf("after a restart, rev %d, %v (-want +got):\n%s", got.Rev, err, diff)
	}
	for _, other := range []struct {
		c   wire.ChatID
		who wire.UserID
	}{{one, bob}, {two, ann}} {
		if got, err := s.Get(other.c, other.who); err != nil || got.Rev != 0 || got.Text != "" {
			t.Errorf("draft of %s in %s = %+v, %v", other.who, other.c, got, err)
		}
	}
}

func TestPut_conflicts(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	first := put(t, s, one, ann, wire.SavedDraft{Text: "a"})
	second := put(t, s, one, ann, wire.SavedDraft{Text: "", Rev: first.Rev})
	_, err := s.Put(one, ann, wire.SavedDraft{Text: "b", Rev: first.Rev})
	if fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "at 2") {
		t.Errorf("a change of an older draft = %v", err)
	}
	if got, err := s.Get(one, ann); err != nil || got.Text != "" || got.Rev != second.Rev {
		t.Errorf("draft = %+v, %v", got, err)
	}

	// Of many at once that are based on the same, one wins.
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		wg.Go(func() { _, errs[i] = s.Put(one, bob, wire.SavedDraft{Text: "x"}) })
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if fault.CodeOf(err) != fault.Conflict {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d of %d won", won, len(errs))
	}
}

func TestPut_refuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	for _, tt := range []struct {
		name, text string
		c          wire.ChatID
		who        wire.UserID
		want       fault.Code
	}{
		{"1 MB", strings.Repeat("x", 1<<20), one, ann, ""},
		{"more", strings.Repeat("x", 1<<20+1), one, bob, fault.TooLarge},
		{"NUL", "a\x00", one, bob, fault.Invalid},
		{"no UTF-8", "a\xff", one, bob, fault.Invalid},
		{"a chat that is a path", "a", "../x", bob, fault.NotFound},
		{"a person who is a path", "a", one, "../../x", fault.NotFound},
		{"a chat without a folder", "a", "c_01ARZ3NDEKTSV4RRFFQ69G5FAX", bob, fault.Internal},
	} {
		_, err := s.Put(tt.c, tt.who, wire.SavedDraft{Text: tt.text})
		if got := fault.CodeOf(err); got != tt.want && (tt.want != fault.Internal || err == nil) {
			t.Errorf("%s: Put = %v, want code %q", tt.name, err, tt.want)
		}
	}
}

// A draft that cannot be read is kept aside, and its person begins anew.
func TestGet_damaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, one, ann, wire.SavedDraft{Text: "a"})
	path := filepath.Join(dir, string(one), "drafts", string(ann)+".json")
	if err := os.WriteFile(path, []byte(`{"text":"a`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(one, ann); err != nil || got.Rev != 0 {
		t.Errorf("Get = %+v, %v", got, err)
	}
	kept, err := filepath.Glob(path + ".damaged-*")
	if err != nil || len(kept) != 1 {
		t.Errorf("kept %v, %v", kept, err)
	}
	put(t, s, one, ann, wire.SavedDraft{Text: "b"})
}

// Browsers of the same person hear of the last state of each draft, others of none.
func TestWatcher(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	mine, theirs := s.Watch(ann), s.Watch(bob)
	defer theirs.Close()
	put(t, s, one, ann, wire.SavedDraft{Text: "a"})
	put(t, s, two, ann, wire.SavedDraft{Text: "b"})
	put(t, s, one, ann, wire.SavedDraft{Text: "c", Rev: 1})
	var got []string
	for range 2 {
		<-mine.Woken()
		for _, f := range mine.Take() {
			d := f.(wire.DraftChanged)
			got = append(got, string(d.Chat)+" "+d.Draft.Text)
		}
	}
	if diff := cmp.Diff([]string{string(one) + " c", string(two) + " b"}, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if frames := theirs.Take(); len(frames) > 0 {
		t.Errorf("another person was told %v", frames)
	}
	mine.Close()
	put(t, s, two, ann, wire.SavedDraft{Text: "d", Rev: 1})
	if frames := mine.Take(); len(frames) > 0 {
		t.Errorf("told after Close: %v", frames)
	}
}
