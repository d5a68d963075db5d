package eventlog_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/backend/eventlog"
)

func TestStore_opensFewFiles(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), eventlog.Options{MaxOpen: 8})
	var logs []*eventlog.Log
	for range 100 {
		l, err := s.Create(newChat())
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, l)
	}
	for range 3 {
		for i, l := range logs {
			add(t, l, text(t, "a"))
			if err := l.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			f := follow(t, l, at(1, 0))
			if _, evs := drain(t, f); len(evs) == 0 {
				t.Errorf("log %d gives its follower nothing", i)
			}
			if n := s.OpenFiles(); n > 8 {
				t.Fatalf("%d files are open, want at most 8", n)
			}
		}
	}
}

// A log that rests has no open file, no marker and nothing in memory, and goes
// on where it was.
func TestStore_idleLogsRest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t, dir, eventlog.Options{})
		running(t, s)
		chat := newChat()
		l, err := s.Create(chat)
		if err != nil {
			t.Fatal(err)
		}
		f := follow(t, l, nil)
		add(t, l, prompt(t, "1"), text(t, "2"))
		marker := filepath.Join(s.Dir(chat), "open")
		if _, err := os.Stat(marker); err != nil {
			t.Errorf("a log that was appended to has no marker: %v", err)
		}
		for range 3 {
			<-time.After(eventlog.RestAfter) // the clock of the bubble
			synctest.Wait()
		}
		if n := s.OpenFiles(); n != 0 {
			t.Errorf("%d files are open", n)
		}
		if _, err := os.Stat(marker); !os.IsNotExist(err) {
			t.Errorf("the marker of a log that rests: %v", err)
		}
		if n := l.TailBytes(); n != 0 {
			t.Errorf("%d bytes are in memory", n)
		}
		if _, evs := drain(t, f); len(evs) != 2 {
			t.Errorf("the follower got %v", evs)
		}
		add(t, l, text(t, "3"))
		if _, evs := drain(t, f); len(evs) != 1 || evs[0].Seq != 3 {
			t.Errorf("then the follower got %v", evs)
		}
		if _, err := os.Stat(marker); err != nil {
			t.Errorf("no marker after the next append: %v", err)
		}
	})
}

// An event's time is never before that of the one before it.
func TestLog_clockJumpsBack(t *testing.T) {
	t.Parallel()
	dir, chat := t.TempDir(), newChat()
	writeLog(t, dir, chat, headerLine(chat, 1, 0)+textLine(1))
	synctest.Test(t, func(t *testing.T) { // its clock begins in the year 2000
		l, err := openStore(t, dir, eventlog.Options{}).Log(chat)
		if err != nil {
			t.Fatal(err)
		}
		add(t, l, text(t, "2"))
		if raw := lastLine(t, l); string(raw[:len(`{"seq":2,"t":"`)+len(stamp)]) != `{"seq":2,"t":"`+stamp {
			t.Errorf("event after the clock jumped back: %s, want the time %s", raw, stamp)
		}
	})
}

// What idle chats and followers cost.
func TestStore_memory(t *testing.T) {
	dir := t.TempDir()
	const chats, followers = 200, 5000
	for range chats {
		chat := newChat()
		writeLog(t, dir, chat, headerLine(chat, 1, 0)+userLine(1)+textLine(2))
	}
	s := openStore(t, dir, eventlog.Options{})
	ids, err := s.Chats()
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	for _, id := range ids {
		l, err := s.Log(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range l.Backward() {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	perChat := (heap() - before) / chats
	l, err := s.Log(ids[0])
	if err != nil {
		t.Fatal(err)
	}
	before = heap()
	keep := make([]*eventlog.Follower, followers)
	for i := range keep {
		keep[i] = follow(t, l, at(1, 2))
	}
	perFollower := (heap() - before) / followers
	runtime.KeepAlive(keep)
	t.Logf("an idle chat costs %d bytes, a dead follower %d", perChat, perFollower)
	if perChat > 10_000 || perFollower > 1_000 {
		t.Errorf("an idle chat costs %d bytes (goal 10,000), a dead follower %d (goal 1,000)", perChat, perFollower)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
