package eventlog_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// countingDisk counts what is read.
type countingDisk struct {
	eventlog.Disk

	read  atomic.Int64
	store *eventlog.Store
	chat  wire.ChatID
}

func (d *countingDisk) OpenFile(name string, flag int) (eventlog.File, error) {
	f, err := d.Disk.OpenFile(name, flag)
	if err != nil {
		return nil, err
	}
	return countingFile{f, d}, nil
}

type countingFile struct {
	eventlog.File

	d *countingDisk
}

func (f countingFile) ReadAt(b []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(b, off)
	f.d.read.Add(int64(n))
	return n, err
}

// counted returns a log of events of about 300 bytes on a disk that counts, and
// the size of its file.
func counted(t *testing.T, events int) (*eventlog.Log, *countingDisk, int64) {
	t.Helper()
	dir, chat := t.TempDir(), newChat()
	if err := os.Mkdir(filepath.Join(dir, "chats"), 0o700); err != nil {
		t.Fatal(err)
	}
	real, err := eventlog.RealDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := &countingDisk{Disk: real}
	s, err := eventlog.OpenOn(dir, d, eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	d.store, d.chat = s, chat
	l, err := s.Create(chat)
	if err != nil {
		t.Fatal(err)
	}
	drafts := make([]wire.Draft, events)
	for i := range drafts {
		drafts[i] = line300(t)
	}
	if _, err := l.Append(drafts...); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(filepath.Join(s.Dir(chat), "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return l, d, st.Size()
}

// A start opens every log, and reads of each its two ends alone, whatever its size.
func TestStore_openingReadsTheEnds(t *testing.T) {
	t.Parallel()
	l, d, size := counted(t, 5000)
	end := l.End()
	if err := d.store.Release(d.chat); err != nil {
		t.Fatal(err)
	}
	before := d.read.Load()
	l, err := d.store.Log(d.chat)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.End(); got != end {
		t.Errorf("the log ends at %+v, want %+v", got, end)
	}
	const most = 24 << 10
	if got := d.read.Load() - before; got > most || size < 20*most {
		t.Errorf("opening read %d bytes of a file of %d", got, size)
	}
}

// Ten that come back at the same time cost the disk about what one does, and each
// gets every event.
func TestFollower_thoseBehindReadTheFileOnce(t *testing.T) {
	t.Parallel()
	const events, followers = 5000, 10
	l, d, size := counted(t, events)
	fs := make([]*eventlog.Follower, followers)
	upto := make([]uint64, followers)
	for i := range fs {
		fs[i], upto[i] = follow(t, l, at(1, uint64(i+1))), uint64(i+1)
	}
	before := d.read.Load()
	for done := 0; done < followers; {
		done = 0
		for i, f := range fs {
			if upto[i] == events {
				done++
				continue
			}
			b, err := f.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, ev := range decodeAll(t, b.Lines) {
				if ev.Seq != upto[i]+1 {
					t.Fatalf("follower %d got event %d after %d", i, ev.Seq, upto[i])
				}
				upto[i] = ev.Seq
			}
		}
	}
	if got := d.read.Load() - before; got > 2*size {
		t.Errorf("%d followers read %d bytes of a file of %d", followers, got, size)
	}
}

// A replay takes its memory again and again.
func TestFollower_replayTakesNoFreshMemory(t *testing.T) {
	const events = 5000
	l, _, size := counted(t, events)
	most := uint64(size) / 4
	if poolsLeak {
		most = uint64(size)
	}
	replay := func() (allocated uint64) {
		var before, after runtime.MemStats
		f := follow(t, l, at(1, 1))
		runtime.ReadMemStats(&before)
		for upto := uint64(1); upto < events; {
			b, err := f.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			upto = b.Upto.Seq
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	replay()
	if got := replay(); got > most {
		t.Errorf("%d bytes were allocated to read %d", got, size)
	}
}

// A follower that is closed by another goroutine while its lines are being sent
// leaves them as they are.
func TestFollower_linesOutliveAClose(t *testing.T) {
	t.Parallel()
	const events = 2000
	l, _, _ := counted(t, events)
	f := follow(t, l, at(1, 1))
	b, err := f.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := string(b.Lines)
	f.Close()
	other := follow(t, l, at(1, 300))
	for upto := uint64(300); upto < events; {
		b, err := other.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		upto = b.Upto.Seq
	}
	if string(b.Lines) != want {
		t.Error("the lines changed after the follower was closed")
	}
	if _, err := f.Next(t.Context()); !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("Next of a closed follower: %v", err)
	}
}

// One that took a batch and never asks again holds that block alone, however much
// others read and is written meanwhile: far less than the 1 MB that a client may cost.
func TestFollower_oneThatStopsHoldsABlock(t *testing.T) {
	const events, atOnce = 5_000, 100
	l, _, _ := counted(t, events)
	live := follow(t, l, at(1, 1))
	if _, err := readTo(t.Context(), live, events); err != nil {
		t.Fatal(err)
	}
	held := func() uint64 {
		runtime.GC()
		runtime.GC() // what pools held is gone after the second
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	dead := follow(t, l, at(1, 1))
	b, err := dead.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	drafts := make([]wire.Draft, atOnce)
	for i := range drafts {
		drafts[i] = line300(t)
	}
	for n := events; n < 2*events; n += atOnce {
		last := add(t, l, drafts...)
		if _, err := readTo(t.Context(), live, last); err != nil {
			t.Fatal(err)
		}
	}
	const most = 1 << 20
	if after := held(); after > before+most {
		t.Errorf("with a client that stopped %d bytes more are held", after-before)
	}
	if first, err := readTo(t.Context(), dead, 2*events); err != nil || first != b.Upto.Seq+1 {
		t.Errorf("after event %d came event %d, %v", b.Upto.Seq, first, err)
	}
}
