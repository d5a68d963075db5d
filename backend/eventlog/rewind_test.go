package eventlog_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

func TestLog_Rewind(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	add(t, l, prompt(t, "1"), text(t, "2"), prompt(t, "3"), text(t, "4"), text(t, "5"))
	for _, tt := range []struct {
		seq  uint64
		code fault.Code
	}{{0, fault.NotFound}, {2, fault.Invalid}, {6, fault.NotFound}, {1 << 60, fault.NotFound}} {
		wantCode(t, l.Rewind(tt.seq, nil), tt.code)
	}
	if got := l.End(); got != *at(1, 5) {
		t.Errorf("End = %v after refused rewinds, want 1:5", got)
	}
	if err := l.Rewind(3, nil); err != nil {
		t.Fatal(err)
	}
	add(t, l, prompt(t, "7"))
	want := []event{{1, "user", "1"}, {2, "assistant_text", "2"}, {6, "epoch", "2 rewind keep 2"}, {7, "user", "7"}}
	if diff := cmp.Diff(want, all(t, l)); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
	for seq := range uint64(9) {
		if held, err := l.Holds(seq); err != nil || held != slices.Contains([]uint64{0, 1, 2, 6, 7}, seq) {
			t.Errorf("Holds(%d) = %v, %v", seq, held, err)
		}
	}
	wantCode(t, l.Rewind(3, nil), fault.NotFound) // in the hole
	wantCode(t, l.Rewind(6, nil), fault.Invalid)  // the epoch event
	if err := l.Rewind(1, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]event{{8, "epoch", "3 rewind keep 0"}}, all(t, l)); diff != "" {
		t.Errorf("events after a rewind to the first prompt (-want +got)\n%s", diff)
	}
}

func TestLog_Restore(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	wantCode(t, l.Restore(), fault.NotFound)
	add(t, l, prompt(t, "1"), text(t, "2"), prompt(t, "3"), text(t, "4"))
	before := all(t, l)
	if err := l.Rewind(3, nil); err != nil {
		t.Fatal(err)
	}
	add(t, l, draft(t, wire.System{Level: wire.LevelInfo, Code: "note"})) // no prompt
	if err := l.Restore(); err != nil {
		t.Fatal(err)
	}
	want := append(before, event{7, "epoch", "3 restore keep 4"})
	if diff := cmp.Diff(want, all(t, l)); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
	wantCode(t, l.Restore(), fault.NotFound) // it is back already

	if err := l.Rewind(3, nil); err != nil {
		t.Fatal(err)
	}
	add(t, l, prompt(t, "other"))
	wantCode(t, l.Restore(), fault.Conflict)
}

func TestLog_Restore_undoesOneCutAfterTheOther(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	add(t, l, prompt(t, "1"), text(t, "2"), prompt(t, "3"), text(t, "4"))
	if err := l.Rewind(3, nil); err != nil {
		t.Fatal(err)
	}
	if err := l.Clear(); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]event{
		{{1, "user", "1"}, {2, "assistant_text", "2"}, {5, "epoch", "2 rewind keep 2"}, {7, "epoch", "4 restore keep 5"}},
		{{1, "user", "1"}, {2, "assistant_text", "2"}, {3, "user", "3"}, {4, "assistant_text", "4"}, {8, "epoch", "5 restore keep 4"}},
	} {
		if err := l.Restore(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, all(t, l)); diff != "" {
			t.Errorf("events (-want +got)\n%s", diff)
		}
	}
}

func TestLog_Clear(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	if err := l.Clear(); err != nil || l.End() != *at(1, 0) {
		t.Errorf("Clear of an empty log: %v, %v", err, l.End())
	}
	addTexts(t, l, 1, 3)
	if err := l.Clear(); err != nil {
		t.Fatal(err)
	}
	addTexts(t, l, 5, 5)
	want := []event{{4, "epoch", "2 clear keep 0"}, {5, "assistant_text", "5"}}
	if diff := cmp.Diff(want, all(t, l)); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
}

// Kept lines, forked lines and restored lines are the same bytes.
func TestLog_changesKeepTheBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, eventlog.Options{})
	chat, fork := newChat(), newChat()
	l, err := s.Create(chat)
	if err != nil {
		t.Fatal(err)
	}
	add(t, l, prompt(t, "1"), text(t, "2"), prompt(t, "3"), text(t, "<&>\u2028"))
	lines := func(c wire.ChatID) []byte {
		b := []byte(readFile(t, s.Dir(c), "events.jsonl"))
		return b[len(firstLine(b)):]
	}
	before := lines(chat)
	if err := l.Rewind(3, nil); err != nil {
		t.Fatal(err)
	}
	if err := l.Restore(); err != nil {
		t.Fatal(err)
	}
	if got := lines(chat); string(got[:len(before)]) != string(before) {
		t.Errorf("after restore\n%s\nbefore\n%s", got, before)
	}
	if _, err := s.Fork(chat, fork, 4); err != nil {
		t.Fatal(err)
	}
	if got := lines(fork); string(got) != string(before) {
		t.Errorf("fork\n%s\nwant\n%s", got, before)
	}
}

func firstLine(b []byte) []byte {
	for i := range b {
		if b[i] == '\n' {
			return b[:i+1]
		}
	}
	return b
}

func TestLog_headerHasEpochAndHigh(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), eventlog.Options{})
	chat := newChat()
	l, err := s.Create(chat)
	if err != nil {
		t.Fatal(err)
	}
	header := func() (epoch, high uint64) {
		got, epoch, high, ok := eventlog.ReadHeader(firstLine([]byte(readFile(t, s.Dir(chat), "events.jsonl"))))
		if !ok || got != chat {
			t.Errorf("header of %s is not valid", got)
		}
		return epoch, high
	}
	if e, h := header(); e != 1 || h != 0 {
		t.Errorf("new log: epoch %d, high %d", e, h)
	}
	add(t, l, prompt(t, "1"), text(t, "2"))
	if err := l.Rewind(1, nil); err != nil {
		t.Fatal(err)
	}
	if e, h := header(); e != 2 || h != 3 {
		t.Errorf("after rewind: epoch %d, high %d, want 2, 3", e, h)
	}
}

func TestStore_Fork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, eventlog.Options{})
	src, err := s.Create(newChat())
	if err != nil {
		t.Fatal(err)
	}
	add(t, src, prompt(t, "1"), draft(t, wire.ToolUseEnd{Output: big("a", 40_000)}), prompt(t, "3"),
		draft(t, wire.ToolUseEnd{Output: big("b", 40_000)}))
	chat := chatOf(t, s)

	half := newChat()
	l, err := s.Fork(chat, half, 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all(t, src)[:2], all(t, l)); diff != "" {
		t.Errorf("fork at 2 (-want +got)\n%s", diff)
	}
	if got := l.End(); got != *at(1, 2) {
		t.Errorf("End = %v, want 1:2", got)
	}
	// The body is the same file, and later bodies are not given away.
	blobs, err := os.ReadDir(filepath.Join(s.Dir(half), "blobs"))
	if err != nil || len(blobs) != 1 {
		t.Fatalf("blobs of the fork: %v, %v; want one", blobs, err)
	}
	a, err1 := os.Stat(filepath.Join(s.Dir(half), "blobs", blobs[0].Name()))
	b, err2 := os.Stat(filepath.Join(s.Dir(chat), "blobs", blobs[0].Name()))
	if err1 != nil || err2 != nil || !os.SameFile(a, b) {
		t.Errorf("the body was copied, not linked: %v, %v", err1, err2)
	}
	if got := add(t, l, text(t, "own")); got != 3 {
		t.Errorf("next seq of the fork = %d, want 3", got)
	}
	if got := src.End().Seq; got != 4 {
		t.Errorf("the source ends at %d, want 4", got)
	}

	whole, err := s.Fork(chat, newChat(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all(t, src), all(t, whole)); diff != "" {
		t.Errorf("whole fork (-want +got)\n%s", diff)
	}
	_, err = s.Fork(chat, newChat(), 5)
	wantCode(t, err, fault.Invalid)
	_, err = s.Fork(chat, half, 0)
	wantCode(t, err, fault.Conflict)
	_, err = s.Fork(newChat(), newChat(), 0)
	wantCode(t, err, fault.NotFound)
}

func TestStore_Fork_keepsEpochEvents(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), eventlog.Options{})
	src, err := s.Create(newChat())
	if err != nil {
		t.Fatal(err)
	}
	add(t, src, prompt(t, "1"), text(t, "2"))
	if err := src.Rewind(1, nil); err != nil {
		t.Fatal(err)
	}
	add(t, src, prompt(t, "4"))
	l, err := s.Fork(chatOf(t, s), newChat(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.End(); got != *at(2, 4) {
		t.Errorf("End = %v, want 2:4: the epoch is that of the last epoch event", got)
	}
}

func TestStore_ForkRewound_bringsBackAnOldTail(t *testing.T) {
	t.Parallel()
	s, l := newStore(t)
	chat := chatOf(t, s)
	add(t, l, prompt(t, "1"), text(t, "2"), prompt(t, "3"), text(t, "4"))
	first := all(t, l)
	if err := l.Rewind(3, map[wire.AgentID]string{"a": "one"}); err != nil {
		t.Fatal(err)
	}
	add(t, l, prompt(t, "6"), text(t, "7"))
	second := all(t, l)
	if err := l.Rewind(1, map[wire.AgentID]string{"a": "two"}); err != nil {
		t.Fatal(err)
	}
	add(t, l, prompt(t, "9"))

	list, err := l.Rewound()
	if err != nil || len(list) != 2 || list[0].Epoch != 3 || list[1].Epoch != 2 || list[1].Keep != 2 || list[1].Last != 4 {
		t.Fatalf("Rewound = %+v, %v", list, err)
	}
	for epoch, want := range map[uint64][]event{2: first, 3: second, 0: second} {
		f, sessions, err := s.ForkRewound(chat, newChat(), epoch)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, all(t, f)); diff != "" {
			t.Errorf("tail of epoch %d (-want +got)\n%s", epoch, diff)
		}
		if want := map[uint64]string{2: "one", 3: "two", 0: "two"}[epoch]; sessions["a"] != want {
			t.Errorf("tail of epoch %d has session %q, want %q", epoch, sessions["a"], want)
		}
	}
	_, _, err = s.ForkRewound(chat, newChat(), 9)
	wantCode(t, err, fault.NotFound)
}

// What another of the chat's files names, as a queue and a draft do, is not loose.
func TestStore_Expire_keepsWhatOtherFilesName(t *testing.T) {
	t.Parallel()
	s, l := newStore(t)
	dir := s.Dir(chatOf(t, s))
	body := func(text string) wire.BlobRef {
		t.Helper()
		b, err := l.NewBlob()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		ref, err := b.Commit()
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	queued, begun, loose := body("queued"), body("begun"), body("loose")
	if err := os.Mkdir(filepath.Join(dir, "drafts"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, ref := range map[string]wire.BlobRef{"queue.json": queued, "drafts/u_1.json": begun} {
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, "{\n \"sha256\": %q}", ref.SHA256), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	add(t, l, prompt(t, "1"))
	if err := l.Rewind(1, nil); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(8 * 24 * time.Hour)
	stopping, stop := context.WithCancel(t.Context())
	stop()
	if err := s.Expire(stopping, later); !errors.Is(err, context.Canceled) {
		t.Errorf("a daemon that stops goes on deleting: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "blobs", loose.SHA256)); err != nil {
		t.Error(err)
	}
	if err := s.Expire(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[wire.BlobRef]bool{queued: true, begun: true, loose: false} {
		if _, err := os.Stat(filepath.Join(dir, "blobs", ref.SHA256)); (err == nil) != want {
			t.Errorf("body %s: %v, want it there: %v", ref.SHA256, err, want)
		}
	}
}

func TestLog_Rewound_listsWhatCanBeBroughtBack(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	tails := func() string {
		t.Helper()
		list, err := l.Rewound()
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, r := range list {
			n := 0
			for line, err := range l.RewoundEvents(r.Epoch) {
				if err != nil || len(line) == 0 {
					t.Errorf("tail %d yields %q, %v", r.Epoch, line, err)
				}
				n++
			}
			if !r.Expires().Equal(r.At.Add(7 * 24 * time.Hour)) {
				t.Errorf("tail %d expires at %v", r.Epoch, r.Expires())
			}
			fmt.Fprintf(&b, "%d:%d-%d of %d %v ", r.Epoch, r.Keep, r.Last, n, r.Restorable)
		}
		return strings.TrimSpace(b.String())
	}
	check := func(when, want string) {
		t.Helper()
		if got := tails(); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	rewind := func(seq uint64) {
		t.Helper()
		if err := l.Rewind(seq, nil); err != nil {
			t.Fatal(err)
		}
	}
	check("at first", "")
	add(t, l, prompt(t, "1"), text(t, "2"), prompt(t, "3"), text(t, "4"))
	rewind(3)
	check("after a rewind", "2:2-4 of 2 true")
	rewind(1)
	check("after another", "3:0-5 of 3 true 2:2-4 of 2 false")
	if err := l.Restore(); err != nil {
		t.Fatal(err)
	}
	check("once the last is restored", "2:2-4 of 2 true")
	add(t, l, prompt(t, "8"))
	check("after a prompt", "2:2-4 of 2 false")
	for range l.RewoundEvents(9) {
		t.Error("a tail that is not there has a line")
	}
}

// What was taken out is read page by page, each line as it was in the log.
func TestLog_RewoundPage(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	add(t, l, prompt(t, "1"), text(t, "2"), prompt(t, "3"))
	for range 50 {
		add(t, l, draft(t, wire.AssistantText{Item: "m", Delta: strings.Repeat("x", 30_000)}))
	}
	whole, err := l.Page(nil, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Rewind(3, nil); err != nil {
		t.Fatal(err)
	}
	want := whole.Events[len(whole.Events)-20:]
	var got []json.RawMessage
	pages := 0
	for after, more := uint64(0), true; more; pages++ {
		page, err := l.RewoundPage(2, after)
		if err != nil || page.Epoch != 2 || len(page.Events) == 0 {
			t.Fatalf("page after %d: epoch %d, %d events, %v", after, page.Epoch, len(page.Events), err)
		}
		got, more, after = append(got, page.Events...), page.HasMore, after+uint64(len(page.Events))
		if pages == 0 {
			after += 2 // it begins with event 3
		}
	}
	if pages != 2 || len(got) != 51 {
		t.Errorf("%d pages of %d events, want 2 of 51", pages, len(got))
	}
	if diff := cmp.Diff(want, got[len(got)-len(want):]); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
	if page, err := l.RewoundPage(2, 1<<60); err != nil || len(page.Events) != 0 || page.HasMore {
		t.Errorf("behind the end: %d events, more %v, %v", len(page.Events), page.HasMore, err)
	}
	_, err = l.RewoundPage(3, 0)
	wantCode(t, err, fault.NotFound)
}

func TestStore_Expire(t *testing.T) {
	t.Parallel()
	s, l := newStore(t)
	dir := s.Dir(chatOf(t, s))
	out := func(s string) wire.Draft { return draft(t, wire.ToolUseEnd{Output: big(s, 40_000)}) }
	add(t, l, prompt(t, "1"), out("kept"), prompt(t, "3"), out("taken out"))
	if err := l.Rewind(3, nil); err != nil {
		t.Fatal(err)
	}
	left, err := l.NewBlob()
	if err != nil {
		t.Fatal(err)
	}
	count := func() string {
		tails, err1 := filepath.Glob(filepath.Join(dir, "rewound", "*"))
		blobs, err2 := filepath.Glob(filepath.Join(dir, "blobs", "*"))
		return fmt.Sprintln(len(tails), len(blobs), err1, err2)
	}
	day := 24 * time.Hour
	for _, tt := range []struct {
		name  string
		after time.Duration
		want  string
	}{
		{"at once", 0, fmt.Sprintln(1, 3, nil, nil)},
		{"after two days", 2 * day, fmt.Sprintln(1, 2, nil, nil)}, // the unfinished body goes
		{"after eight days", 8 * day, fmt.Sprintln(0, 1, nil, nil)},
	} {
		if err := s.Expire(t.Context(), time.Now().Add(tt.after)); err != nil {
			t.Fatal(err)
		}
		if got := count(); got != tt.want {
			t.Errorf("%s: tails, bodies = %s, want %s", tt.name, got, tt.want)
		}
	}
	_ = left.Abort() // its file is gone already
	wantCode(t, l.Restore(), fault.NotFound)
	if evs := all(t, l); len(evs) != 3 {
		t.Errorf("events after Expire: %v", evs)
	}
}

// chatOf returns the first chat of a store.
func chatOf(t testing.TB, s *eventlog.Store) wire.ChatID {
	t.Helper()
	chats, err := s.Chats()
	if err != nil || len(chats) == 0 {
		t.Fatalf("no chats: %v", err)
	}
	return chats[0]
}

// big returns a text of n bytes that begins with s.
func big(s string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghij"[i%10]
	}
	copy(b, s)
	return string(b)
}
