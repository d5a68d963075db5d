package eventlog_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/tidwall/gjson"

	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// readTo reads a follower until the event last, and checks that the seqs rise
// by one. It returns the first.
func readTo(ctx context.Context, f *eventlog.Follower, last uint64) (first uint64, err error) {
	var prev uint64
	for prev < last {
		b, err := f.Next(ctx)
		if err != nil {
			return first, err
		}
		if b.Reset != nil {
			prev, first = 0, 0
		}
		for raw := range bytes.Lines(b.Lines) {
			seq := gjson.GetBytes(raw, "seq").Uint()
			if prev != 0 && seq != prev+1 {
				return first, fmt.Errorf("event %d follows %d", seq, prev)
			}
			if first == 0 {
				first = seq
			}
			prev = seq
		}
		if len(b.Lines) > 0 && b.Upto.Seq != prev {
			return first, fmt.Errorf("batch is up to %d, its last event is %d", b.Upto.Seq, prev)
		}
	}
	return first, nil
}

// T4: while 10,000 events are appended, 50 clients with random cursors see each
// once, rising, without a hole.
func TestFollower_everyClientSeesEveryEvent(t *testing.T) {
	t.Parallel()
	const events, clients = 10_000, 50
	s := openStore(t, t.TempDir(), eventlog.Options{})
	running(t, s)
	l, err := s.Create(newChat())
	if err != nil {
		t.Fatal(err)
	}
	addTexts(t, l, 1, 100)
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range rand.IntN(20) {
				runtime.Gosched() // they come at different times
			}
			since := wire.Position{Epoch: 1, Seq: rand.Uint64N(l.End().Seq) + 1}
			f, err := l.Follow(&since)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			first, err := readTo(t.Context(), f, events)
			if err != nil || first != since.Seq+1 {
				t.Errorf("since %v: first event %d, %v", since, first, err)
			}
		})
	}
	d := text(t, "some text that an agent wrote")
	for n := 100; n < events; {
		k := min(1+n%3, events-n)
		add(t, l, slices.Repeat([]wire.Draft{d}, k)...)
		n += k
	}
	wg.Wait()
}

// A follower that never reads costs the others nothing, and little memory.
func TestFollower_oneNeverReads(t *testing.T) {
	t.Parallel()
	const events, clients = 5_000, 199
	l := newLog(t)
	dead := follow(t, l, nil)
	var wg sync.WaitGroup
	for range clients {
		f := follow(t, l, at(1, 0))
		wg.Go(func() {
			if first, err := readTo(t.Context(), f, events); err != nil || first != 1 {
				t.Errorf("first event %d, %v", first, err)
			}
		})
	}
	d := text(t, strings.Repeat("x", 300))
	for range events / 5 {
		add(t, l, d, d, d, d, d)
	}
	wg.Wait()
	if n := l.TailBytes(); n > 256<<10 {
		t.Errorf("the log holds %d bytes for its followers", n)
	}
	// It comes back, and gets what it missed.
	if _, err := readTo(t.Context(), dead, events); err != nil {
		t.Error(err)
	}
}

// Rewinds while clients follow: each ends with the log as it is (T5).
func TestFollower_rewindsWhileClientsFollow(t *testing.T) {
	t.Parallel()
	const clients = 50
	l := newLog(t)
	add(t, l, prompt(t, "1"))
	var wg sync.WaitGroup
	views := make([][]string, clients)
	for i := range clients {
		f := follow(t, l, nil)
		wg.Go(func() {
			var view []string
			for {
				b, err := f.Next(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if b.Reset != nil {
					view = nil
				}
				for raw := range strings.Lines(string(b.Lines)) {
					if gjson.Get(raw, "type").Str == "epoch" {
						keep := gjson.Get(raw, "keep").Uint()
						view = slices.DeleteFunc(view, func(have string) bool { return gjson.Get(have, "seq").Uint() > keep })
					}
					view = append(view, strings.TrimSpace(raw))
					if strings.Contains(raw, `"text":"the end"`) {
						views[i] = view
						return
					}
				}
			}
		})
	}
	for n := range 30 {
		seq := add(t, l, prompt(t, fmt.Sprint("prompt ", n)))
		for range 20 {
			add(t, l, text(t, "x"), text(t, "y"))
		}
		var err error
		switch n % 4 {
		case 1, 3:
			err = l.Rewind(seq, nil)
		case 2:
			if err = l.Rewind(seq, nil); err == nil {
				err = l.Restore()
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add(t, l, prompt(t, "the end"))
	wg.Wait()
	var want []string
	for raw, err := range l.Events(0) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, string(raw))
	}
	for i, view := range views {
		// A client that was reset to a page does not have the beginning.
		if len(view) < 100 || len(view) > len(want) || !slices.Equal(view, want[len(want)-len(view):]) {
			t.Errorf("client %d ends with %d events, which are not the end of the log's %d: %.200q", i, len(view), len(want), view)
		}
	}
}

// Append and Next are linearizable: there is one order of all calls in which
// each append takes the next seqs and each read gives what follows its cursor.
func TestLog_isLinearizable(t *testing.T) {
	t.Parallel()
	type input struct {
		append []string // nil for a read
		after  uint64
	}
	type output struct {
		last  uint64
		texts []string
	}
	model := porcupine.Model{
		Init: func() any { return []string(nil) },
		Step: func(st, in, out any) (bool, any) {
			log, i, o := st.([]string), in.(input), out.(output)
			if i.append != nil {
				next := append(slices.Clip(log), i.append...)
				return o.last == uint64(len(next)), next
			}
			n := uint64(len(o.texts))
			return n > 0 && i.after+n <= uint64(len(log)) && slices.Equal(log[i.after:i.after+n], o.texts), log
		},
		Equal: func(a, b any) bool { return slices.Equal(a.([]string), b.([]string)) },
	}
	l := newLog(t)
	var mu sync.Mutex
	var history []porcupine.Operation
	start := time.Now()
	done := func(client int, in input, called time.Duration, out output) {
		returned := time.Since(start)
		mu.Lock()
		defer mu.Unlock()
		history = append(history, porcupine.Operation{ClientId: client, Input: in, Call: int64(called), Output: out, Return: int64(returned)})
	}
	const writers, each, readers = 4, 60, 4
	total := uint64(0)
	for i := range writers * each {
		total += uint64(1 + i%3)
	}
	var wg sync.WaitGroup
	var count atomic.Int64
	for w := range writers {
		wg.Go(func() {
			for {
				i := count.Add(1) - 1
				if i >= writers*each {
					return
				}
				var in input
				var drafts []wire.Draft
				for k := range 1 + i%3 {
					s := fmt.Sprint(i, ".", k)
					in.append = append(in.append, s)
					drafts = append(drafts, text(t, s))
				}
				called := time.Since(start)
				last, err := l.Append(drafts...)
				if err != nil {
					t.Error(err)
					return
				}
				done(w, in, called, output{last: last})
			}
		})
	}
	for r := range readers {
		f := follow(t, l, at(1, 0))
		wg.Go(func() {
			for after := uint64(0); after < total; {
				called := time.Since(start)
				b, err := f.Next(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				var out output
				for raw := range strings.Lines(string(b.Lines)) {
					out.texts = append(out.texts, gjson.Get(raw, "delta").Str)
				}
				done(writers+r, input{after: after}, called, out)
				after = b.Upto.Seq
			}
		})
	}
	wg.Wait()
	// Checking may take long in the worst case, never on a history that is right.
	if res := porcupine.CheckOperationsTimeout(model, history, time.Minute); res != porcupine.Ok {
		t.Errorf("history of %d calls: %v", len(history), res)
	}
}

// The parts that can be called at any time are called at once.
func TestStore_allAtOnce(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), eventlog.Options{MaxOpen: 2})
	running(t, s)
	var chats []wire.ChatID
	for range 6 {
		chat := newChat()
		if _, err := s.Create(chat); err != nil {
			t.Fatal(err)
		}
		chats = append(chats, chat)
	}
	var wg sync.WaitGroup
	for n := range 12 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			for range 60 {
				l, err := s.Log(chats[r.IntN(len(chats))])
				if err != nil {
					t.Error(err)
					return
				}
				switch r.IntN(8) {
				case 0:
					_, err = l.Page(nil, 10)
				case 1:
					err = l.Sync(t.Context())
				case 2:
					var seq uint64
					if seq, err = l.Append(prompt(t, "p")); err == nil && r.IntN(3) == 0 {
						_ = l.Rewind(seq, nil) // another may have been faster
					}
				case 3:
					for _, e := range l.Backward() {
						err = e
						break
					}
				case 4:
					_, err = s.Fork(chats[0], newChat(), 0)
				case 5:
					var f *eventlog.Follower
					if f, err = l.Follow(nil); err == nil {
						f.Wake()
						_, err = f.Next(t.Context())
						f.Close()
					}
				default:
					_, err = l.Append(text(t, "a"), text(t, big("b", 33_000)))
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, chat := range chats {
		l, err := s.Log(chat)
		if err != nil {
			t.Fatal(err)
		}
		all(t, l)
	}
}
