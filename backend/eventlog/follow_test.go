package eventlog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/eventlog"
	"signalbox/backend/wire"
)

// The table of docs/protocol.md: T7, A reconnect.
func TestLog_Follow_answersEveryPosition(t *testing.T) {
	t.Parallel()
	// A log with a rewind hole: 1..10, then the epoch event 31 (keep 10), then
	// events to the end.
	build := func(end int) *eventlog.Log {
		l := newLog(t)
		addTexts(t, l, 1, 10)
		add(t, l, prompt(t, "11"))
		addTexts(t, l, 12, 30)
		if err := l.Rewind(11, nil); err != nil {
			t.Fatal(err)
		}
		add(t, l, prompt(t, "32"))
		addTexts(t, l, 33, end)
		return l
	}
	short, long := build(50), build(600)
	all := append(span(1, 10), span(31, 600)...)
	page := span(32, 600) // it reaches back to the prompt
	for _, tt := range []struct {
		name   string
		log    *eventlog.Log
		since  *wire.Position
		reason string
		want   []uint64
	}{
		{name: "absent", log: long, want: page},
		{name: "absent, short log", log: short, want: append(span(1, 10), span(31, 50)...)},
		{name: "current, held", log: long, since: at(2, 500), want: span(501, 600)},
		{name: "current, the first", log: long, since: at(2, 1), want: all[1:]},
		{name: "current, before the hole", log: long, since: at(2, 10), want: all[10:]},
		{name: "current, the epoch event", log: long, since: at(2, 31), want: span(32, 600)},
		{name: "current, last", log: long, since: at(2, 600)},
		{name: "zero, short log", log: short, since: at(2, 0), want: append(span(1, 10), span(31, 50)...)},
		{name: "zero, long log", log: long, since: at(2, 0), reason: wire.ResetTooFar, want: page},
		{name: "one beyond", log: long, since: at(2, 601), reason: wire.ResetAhead, want: page},
		{name: "far beyond", log: long, since: at(2, 1<<40), reason: wire.ResetAhead, want: page},
		{name: "first of the hole", log: long, since: at(2, 11), reason: wire.ResetHole, want: page},
		{name: "last of the hole", log: long, since: at(2, 30), reason: wire.ResetHole, want: page},
		{name: "earlier epoch", log: long, since: at(1, 5), reason: wire.ResetStale, want: page},
		{name: "later epoch", log: long, since: at(3, 5), reason: wire.ResetStale, want: page},
		{name: "epoch 0", log: long, since: at(0, 0), reason: wire.ResetStale, want: page},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := follow(t, tt.log, tt.since)
			resets, evs := drain(t, f)
			var want []wire.Reset
			if tt.reason != "" {
				want = []wire.Reset{{Reason: tt.reason, Epoch: 2}}
			}
			if diff := cmp.Diff(want, resets); diff != "" {
				t.Errorf("resets (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, seqs(evs)); diff != "" {
				t.Errorf("events (-want +got)\n%s", diff)
			}
			if got := next(t, f).Upto; got != tt.log.End() {
				t.Errorf("follower is at %v, want the end %v", got, tt.log.End())
			}
		})
	}
}

func TestLog_Follow_emptyLog(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	for _, since := range []*wire.Position{nil, at(1, 0)} {
		f := follow(t, l, since)
		if resets, evs := drain(t, f); resets != nil || evs != nil {
			t.Errorf("since %v: got %v, %v of an empty log", since, resets, evs)
		}
	}
	f := follow(t, l, at(1, 1))
	if resets, _ := drain(t, f); len(resets) != 1 || resets[0].Reason != wire.ResetAhead {
		t.Errorf("since 1:1: resets %v", resets)
	}
}

func TestFollower_batchesAreBounded(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	live := follow(t, l, at(1, 0))
	var drafts []wire.Draft
	for range 1000 {
		drafts = append(drafts, text(t, strings.Repeat("x", 300)))
	}
	// Strings so short that the line stays whole, but longer than a batch.
	wide := draft(t, wire.Approval{Paths: strings.Fields(strings.Repeat(strings.Repeat("p", 1000)+" ", 100))})
	add(t, l, append(drafts, wide, text(t, "after"))...)
	for name, f := range map[string]*eventlog.Follower{"live": live, "replay": follow(t, l, at(1, 1))} {
		seen := 0
		for {
			b := next(t, f)
			if len(b.Lines) == 0 {
				break
			}
			n := strings.Count(string(b.Lines), "\n")
			if b.Lines[len(b.Lines)-1] != '\n' {
				t.Errorf("%s: a batch ends inside a line", name)
			}
			if len(b.Lines) > eventlog.BatchBytes && n > 1 {
				t.Errorf("%s: a batch of %d lines has %d bytes", name, n, len(b.Lines))
			}
			seen += n
		}
		if seen < 1001 {
			t.Errorf("%s: %d lines, want all", name, seen)
		}
	}
}

func TestFollower_Next_waitsForAppend(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t, dir, eventlog.Options{})
		l, err := s.Create(newChat())
		if err != nil {
			t.Fatal(err)
		}
		f := follow(t, l, nil)
		got := make(chan string, 1)
		read := func() {
			b, err := f.Next(t.Context())
			got <- fmt.Sprintf("%d lines, %v, %v", strings.Count(string(b.Lines), "\n"), b.Upto, err)
		}
		go read()
		synctest.Wait()
		if n := l.Waiting(); n != 1 || len(got) != 0 {
			t.Fatalf("%d followers wait, %d are back", n, len(got))
		}
		add(t, l, text(t, "a"), text(t, "b"))
		if g := <-got; g != "2 lines, 1:2, <nil>" {
			t.Error(g)
		}
		go read()
		synctest.Wait()
		f.Wake()
		if g := <-got; g != "0 lines, 1:2, <nil>" {
			t.Errorf("after Wake: %s", g)
		}
		f.Wake() // remembered for the next call
		read()
		if g := <-got; g != "0 lines, 1:2, <nil>" {
			t.Errorf("after an early Wake: %s", g)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		cancel(stop)
		if _, err := f.Next(ctx); !errors.Is(err, stop) {
			t.Errorf("Next = %v after cancel, want the cause", err)
		}
		if n := l.Waiting(); n != 0 {
			t.Errorf("%d followers wait after the one gave up", n)
		}
		go read()
		synctest.Wait()
		f.Close()
		if g := <-got; !strings.Contains(g, eventlog.ErrClosed.Error()) {
			t.Errorf("after Close: %s", g)
		}
		f = follow(t, l, nil)
		if b := next(t, f); len(b.Lines) == 0 {
			t.Error("no page before the store closes")
		}
		go read()
		synctest.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if g := <-got; !strings.Contains(g, "unavailable") {
			t.Errorf("after the store closed: %s", g)
		}
		if _, err := l.Append(text(t, "late")); !errors.Is(err, eventlog.ErrClosed) {
			t.Errorf("Append after close: %v", err)
		}
	})
}

// T5: a client that had a cursor before a rewind ends with exactly the view of
// one that has it all.
func TestFollower_rewindWhileFollowing(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	addTexts(t, l, 1, 9)
	for n := 10; n <= 40; n += 10 {
		add(t, l, prompt(t, fmt.Sprint(n)))
		addTexts(t, l, n+1, n+9)
	}
	ahead := follow(t, l, at(1, 40))  // has all
	middle := follow(t, l, at(1, 15)) // has some of what is taken out
	behind := follow(t, l, at(1, 3))  // has none of it
	asleep := follow(t, l, nil)       // has read nothing
	views := map[*eventlog.Follower][]event{}
	read := func(f *eventlog.Follower) {
		resets, evs := drain(t, f)
		if resets != nil {
			views[f] = nil
		}
		for _, e := range evs {
			if keep, ok := epochKeep(e); ok {
				for i, have := range views[f] {
					if have.Seq > keep {
						views[f] = views[f][:i]
						break
					}
				}
			}
			views[f] = append(views[f], e)
		}
	}
	for _, f := range []*eventlog.Follower{ahead, middle} {
		views[f] = all(t, l)
		if f == middle {
			views[f] = views[f][:15]
		}
	}
	views[behind] = all(t, l)[:3]
	views[ahead] = views[ahead][:40]
	read(ahead)

	if err := l.Rewind(20, nil); err != nil {
		t.Fatal(err)
	}
	add(t, l, prompt(t, "again"))
	read(middle)
	addTexts(t, l, 52, 60)
	if err := l.Rewind(10, nil); err != nil {
		t.Fatal(err)
	}
	add(t, l, prompt(t, "once more"))
	want := all(t, l)
	for name, f := range map[string]*eventlog.Follower{"ahead": ahead, "middle": middle, "behind": behind, "asleep": asleep} {
		read(f)
		if diff := cmp.Diff(want, views[f]); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// epochKeep returns the keep of an epoch event.
func epochKeep(e event) (uint64, bool) {
	var epoch, keep uint64
	var cause string
	n, _ := fmt.Sscanf(e.Text, "%d %s keep %d", &epoch, &cause, &keep)
	return keep, e.Type == wire.TypeEpoch && n == 3
}

func TestFollower_restoreAndClearReset(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	add(t, l, prompt(t, "1"), text(t, "2"), prompt(t, "3"), text(t, "4"))
	f := follow(t, l, at(1, 4))
	if err := l.Rewind(3, nil); err != nil {
		t.Fatal(err)
	}
	if err := l.Restore(); err != nil {
		t.Fatal(err)
	}
	resets, evs := drain(t, f)
	if diff := cmp.Diff([]wire.Reset{{Reason: wire.ResetRestore, Epoch: 3}}, resets); diff != "" {
		t.Errorf("resets (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]uint64{1, 2, 3, 4, 6}, seqs(evs)); diff != "" {
		t.Errorf("after restore (-want +got)\n%s", diff)
	}
	if err := l.Clear(); err != nil {
		t.Fatal(err)
	}
	add(t, l, prompt(t, "new"))
	resets, evs = drain(t, f)
	if diff := cmp.Diff([]wire.Reset{{Reason: wire.ResetClear, Epoch: 4}}, resets); diff != "" {
		t.Errorf("resets (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]event{{7, "epoch", "4 clear keep 0"}, {8, "user", "new"}}, evs); diff != "" {
		t.Errorf("after clear (-want +got)\n%s", diff)
	}
}
