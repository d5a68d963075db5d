package eventlog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

func TestLog_appendsAndReads(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	if got := add(t, l, prompt(t, "hello")); got != 1 {
		t.Errorf("first seq = %d, want 1", got)
	}
	if got := add(t, l, text(t, "a"), text(t, "b")); got != 3 {
		t.Errorf("last seq of a batch = %d, want 3", got)
	}
	want := []event{{1, "user", "hello"}, {2, "assistant_text", "a"}, {3, "assistant_text", "b"}}
	if diff := cmp.Diff(want, all(t, l)); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
	if got := l.End(); got != *at(1, 3) {
		t.Errorf("End = %v, want 1:3", got)
	}
	if err := l.Sync(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestLog_keepsEventsOverReopen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, eventlog.Options{})
	chat := newChat()
	l, err := s.Create(chat)
	if err != nil {
		t.Fatal(err)
	}
	addTexts(t, l, 1, 10)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	l, err = openStore(t, dir, eventlog.Options{BootID: "boot-2"}).Log(chat)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.End(); got != *at(1, 10) {
		t.Errorf("End = %v, want 1:10: a clean close must keep the epoch", got)
	}
	if got := add(t, l, text(t, "11")); got != 11 {
		t.Errorf("next seq = %d, want 11", got)
	}
}

func TestStore_refusesASecondDaemon(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, eventlog.Options{})
	_, err := eventlog.Open(dir, eventlog.Options{})
	wantCode(t, err, fault.Unavailable)
	if err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v does not name the folder", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "lock")); err != nil {
		t.Errorf("the lock's file is gone: %v", err)
	}
	openStore(t, dir, eventlog.Options{})
}

func TestStore_Log_unknownChat(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), eventlog.Options{})
	for _, chat := range []wire.ChatID{newChat(), "", "..", "c_../../etc", "c_1"} {
		_, err := s.Log(chat)
		wantCode(t, err, fault.NotFound)
		_, err = s.Log(chat)
		wantCode(t, err, fault.NotFound)
	}
}

func TestStore_Create_refusesAnExistingChat(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), eventlog.Options{})
	chat := newChat()
	l, err := s.Create(chat)
	if err != nil {
		t.Fatal(err)
	}
	add(t, l, text(t, "a"))
	_, err = s.Create(chat)
	wantCode(t, err, fault.Conflict)
	if got := l.End().Seq; got != 1 {
		t.Errorf("the log ends at %d after a refused Create, want 1", got)
	}
	chats, err := s.Chats()
	if diff := cmp.Diff([]wire.ChatID{chat}, chats); diff != "" || err != nil {
		t.Errorf("Chats (-want +got) %v\n%s", err, diff)
	}
}

func TestFollower_replaysAndGoesOnLive(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	addTexts(t, l, 1, 500)
	f := follow(t, l, at(1, 100))
	_, evs := drain(t, f)
	if diff := cmp.Diff(span(101, 500), seqs(evs)); diff != "" {
		t.Errorf("replay (-want +got)\n%s", diff)
	}
	addTexts(t, l, 501, 900)
	_, evs = drain(t, f)
	if diff := cmp.Diff(span(501, 900), seqs(evs)); diff != "" {
		t.Errorf("live (-want +got)\n%s", diff)
	}
}
