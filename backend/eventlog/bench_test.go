package eventlog_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// line300 is an event whose line has about 300 bytes.
func line300(t testing.TB) wire.Draft { return text(t, strings.Repeat("x", 200)) }

// bareFile is a file to measure the limits of the same run with.
func bareFile(b *testing.B, content []byte) *os.File {
	b.Helper()
	f, err := os.OpenFile(filepath.Join(b.TempDir(), "bare"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	if _, err := f.Write(content); err != nil {
		b.Fatal(err)
	}
	return f
}

// Append against one write(2) of the same bytes for each event, in turns.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 16} {
		b.Run(fmt.Sprintf("batch=%d", n), func(b *testing.B) {
			l := newLog(b)
			d := line300(b)
			batch := make([]wire.Draft, n)
			for i := range batch {
				batch[i] = d
			}
			bare := bareFile(b, nil)
			raw := d.AppendLine(nil, 1_000_000, wire.Time{Time: time.Now()})
			const turn = 256
			var ours, theirs time.Duration
			events := 0
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				for range turn / n {
					if _, err := l.Append(batch...); err != nil {
						b.Fatal(err)
					}
				}
				middle := time.Now()
				for range turn {
					if _, err := bare.Write(raw); err != nil {
						b.Fatal(err)
					}
				}
				ours += middle.Sub(start)
				theirs += time.Since(middle)
				events += turn
			}
			b.ReportMetric(float64(ours.Nanoseconds())/float64(events), "ns/event")
			b.ReportMetric(float64(theirs.Nanoseconds())/float64(events), "ns/write")
			b.ReportMetric(float64(theirs)/float64(ours), "x-bare-write")
		})
	}
}

// Append while the group sync runs, against without.
func BenchmarkAppend_syncing(b *testing.B) {
	dir := b.TempDir()
	s := openStore(b, dir, eventlog.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Run(ctx); err != nil {
			b.Error(err)
		}
	})
	b.Cleanup(func() { cancel(); wg.Wait() })
	l, err := s.Create(newChat())
	if err != nil {
		b.Fatal(err)
	}
	d := line300(b)
	for b.Loop() {
		if _, err := l.Append(d); err != nil {
			b.Fatal(err)
		}
	}
}

// filled returns a log of n events of about 300 bytes, written by an earlier
// process, with a prompt every 100.
func filled(b *testing.B, n int) (*eventlog.Log, *eventlog.Store, wire.ChatID) {
	b.Helper()
	dir, chat := b.TempDir(), newChat()
	var file bytes.Buffer
	file.WriteString(headerLine(chat, 1, 0))
	at := wire.Time{Time: time.Date(2026, 11, 30, 17, 0, 0, 0, time.UTC)}
	var buf []byte
	d, p := line300(b), prompt(b, strings.Repeat("x", 200))
	for i := range n {
		if i%100 == 0 {
			buf = p.AppendLine(buf[:0], uint64(i+1), at)
		} else {
			buf = d.AppendLine(buf[:0], uint64(i+1), at)
		}
		file.Write(buf)
	}
	writeLog(b, dir, chat, file.String())
	s := openStore(b, dir, eventlog.Options{})
	l, err := s.Log(chat)
	if err != nil {
		b.Fatal(err)
	}
	return l, s, chat
}

// Replay of a log against ReadAt of the same bytes, in turns. The first replay,
// which checks every line, is reported apart.
func BenchmarkReplay(b *testing.B) {
	l, s, chat := filled(b, 100_000)
	bare, err := os.Open(filepath.Join(s.Dir(chat), "events.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { bare.Close() })
	replay := func() time.Duration {
		start := time.Now()
		f, err := l.Follow(at(1, 1))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		for {
			batch, err := f.Next(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			if batch.Upto == l.End() {
				return time.Since(start)
			}
		}
	}
	read := func(buf func() []byte) time.Duration {
		start := time.Now()
		for off := int64(0); ; off += 64 << 10 {
			if _, err := bare.ReadAt(buf(), off); err == io.EOF {
				return time.Since(start)
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
	first := replay()
	var ours, kept, theirs time.Duration
	n := 0
	one := make([]byte, 64<<10)
	for b.Loop() {
		ours += replay()
		theirs += read(func() []byte { return one })
		// A batch may be kept, so it has memory of its own.
		kept += read(func() []byte { return make([]byte, 64<<10) })
		n++
	}
	b.ReportMetric(float64(theirs)/float64(ours), "x-read-into-one-buffer")
	b.ReportMetric(float64(kept)/float64(ours), "x-read-to-keep")
	b.ReportMetric(float64(first.Microseconds())/1000, "ms-first")
	b.ReportMetric(float64(ours.Microseconds())/1000/float64(n), "ms-replay")
}

// Fan-out in memory: appends until every follower has every event.
func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("followers=%d", n), func(b *testing.B) {
			l := newLog(b)
			d := line300(b)
			const events = 2000
			deliveries := 0
			for b.Loop() {
				last := l.End().Seq + events
				var wg sync.WaitGroup
				for range n {
					end := l.End()
					f, err := l.Follow(&end)
					if err != nil {
						b.Fatal(err)
					}
					wg.Go(func() {
						defer f.Close()
						for {
							batch, err := f.Next(context.Background())
							if err != nil {
								b.Error(err)
								return
							}
							if batch.Upto.Seq >= last {
								return
							}
						}
					})
				}
				for range events {
					if _, err := l.Append(d); err != nil {
						b.Fatal(err)
					}
				}
				wg.Wait()
				deliveries += events * n
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(deliveries), "ns/delivery")
		})
	}
}

// The last page of a chat just opened costs the same whatever its length.
func BenchmarkLastPage(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("events=%d", n), func(b *testing.B) {
			_, s, chat := filled(b, n)
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
			dir := filepath.Dir(filepath.Dir(s.Dir(chat)))
			for b.Loop() {
				s, err := eventlog.Open(dir, eventlog.Options{BootID: "boot-1"})
				if err != nil {
					b.Fatal(err)
				}
				l, err := s.Log(chat)
				if err != nil {
					b.Fatal(err)
				}
				p, err := l.Page(nil, 0)
				if err != nil || len(p.Events) < 200 {
					b.Fatal(len(p.Events), err)
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A position in the middle of a long log, found without what was learned before.
func BenchmarkFollow_position(b *testing.B) {
	l, _, _ := filled(b, 100_000)
	seq := uint64(1)
	for b.Loop() {
		seq = (seq*6364136223846793005 + 1442695040888963407) % 99_999
		f, err := l.Follow(at(1, seq+1))
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// Starting with 1,000 chats: the last event of each.
func BenchmarkBackward_1000chats(b *testing.B) {
	dir := b.TempDir()
	for range 1000 {
		chat := newChat()
		writeLog(b, dir, chat, headerLine(chat, 1, 0)+userLine(1)+textLine(2))
	}
	for b.Loop() {
		s, err := eventlog.Open(dir, eventlog.Options{BootID: "boot-1"})
		if err != nil {
			b.Fatal(err)
		}
		chats, err := s.Chats()
		if err != nil {
			b.Fatal(err)
		}
		for _, chat := range chats {
			l, err := s.Log(chat)
			if err != nil {
				b.Fatal(err)
			}
			for _, err := range l.Backward() {
				if err != nil {
					b.Fatal(err)
				}
				break
			}
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAppend_allocations(t *testing.T) {
	l := newLog(t)
	d := line300(t)
	f := follow(t, l, at(1, 0))
	add(t, l, d)
	drain(t, f)
	for name, tt := range map[string]struct {
		most float64
		do   func()
	}{
		"append without followers' work": {0, func() {
			if _, err := l.Append(d); err != nil {
				t.Fatal(err)
			}
		}},
		"append and one delivery": {0, func() {
			if _, err := l.Append(d); err != nil {
				t.Fatal(err)
			}
			if b, err := f.Next(t.Context()); err != nil || len(b.Lines) == 0 {
				t.Fatal(err)
			}
		}},
	} {
		// A chunk of the tail is one allocation for some 200 events.
		if poolsLeak {
			tt.most += 3
		}
		if got := testing.AllocsPerRun(2000, tt.do); got > tt.most {
			t.Errorf("%s: %v allocations, want at most %v", name, got, tt.most)
		}
	}
}
