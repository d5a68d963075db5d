package runhub_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

func TestFeed_order(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	res := w.prompt(id, "a", "hello")
	c := <-p.calls
	c.emit(t, wire.AssistantText{Item: "i", Delta: "x"})

	v := w.follow(id, bob, nil)
	defer v.feed.Close()
	v.upto(3)
	if got := strings.Join(v.frames, " "); got != "connected sync queue presence lines" {
		t.Errorf("frames = %s", got)
	}
	if v.sync.Run != res.Run || v.sync.Phase != wire.PhaseRunning {
		t.Errorf("sync = %+v", v.sync)
	}
	if diff := cmp.Diff([]wire.Person{bob}, v.presence.People); diff != "" {
		t.Errorf("presence (-want +got):\n%s", diff)
	}
	c.ok()
	v.until(func() bool { return v.sync.Phase == wire.PhaseIdle })
	// Complete is seen before the lock is free.
	if got := v.frames[len(v.frames)-1]; got != "sync" || v.pos.Seq != 4 {
		t.Errorf("last is %s after event %d", got, v.pos.Seq)
	}
}

func TestFeed_connected(t *testing.T) {
	t.Parallel()
	w, id, _ := running(t)
	f, err := w.hub.Follow(id, bob, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := f.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"type":"connected","chat":%q,"epoch":1,"lastSeq":2,"running":true,"person":{"id":%q,"name":"Bob"},"version":"1.2.3"}`, id, bob.ID)
	if got := string(b.Frames[0]); got != want {
		t.Errorf("connected = %s\nwant %s", got, want)
	}
	if _, err := w.hub.Follow("c_01ARZ3NDEKTSV4RRFFQ69G5FAV", bob, nil); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Follow of no chat = %v", err)
	}
}

// T6: a person counts once, from the first of their feeds to the last.
func TestFeed_presence(t *testing.T) {
	t.Parallel()
	w := start(t, newPuppet("claude"))
	id := w.chat()
	watcher := w.follow(id, ann, nil)
	defer watcher.feed.Close()
	people := func(want ...wire.Person) {
		t.Helper()
		watcher.until(func() bool { return slices.Equal(watcher.presence.People, want) })
	}
	people(ann)
	s1 := w.follow(id, bob, nil)
	people(ann, bob)
	s2 := w.follow(id, bob, nil)
	s1.feed.Close()
	s1.feed.Close()

	// S2 still receives, and the person was there all the time.
	before := len(watcher.frames)
	carl := w.follow(id, wire.Person{ID: "u_3", Name: "Carl"}, nil)
	people(ann, bob, wire.Person{ID: "u_3", Name: "Carl"})
	if got := watcher.frames[before:]; len(got) != 1 {
		t.Errorf("frames for one who came = %v", got)
	}
	s2.until(func() bool { return len(s2.presence.People) == 3 })
	s2.feed.Close()
	people(ann, wire.Person{ID: "u_3", Name: "Carl"})
	carl.feed.Close()
	people(ann)
}

// T4: followers with any cursor see every event that follows it, once, in order.
func TestFeed_everyFollowerSeesEveryEvent(t *testing.T) {
	t.Parallel()
	const events, followers = 10_000, 50
	w, id, c := running(t)
	c.emit(t, wire.Todo{})
	var wg sync.WaitGroup
	views := make([]*view, followers)
	ctx := t.Context()
	for i := range followers {
		wg.Go(func() {
			since := &wire.Position{Epoch: 1, Seq: 1 + rand.Uint64N(3)}
			v := w.follow(id, ann, since)
			v.pos.Seq = since.Seq
			views[i] = v
			for v.pos.Seq < events/2+rand.Uint64N(events/2) {
				if err := v.next(ctx); err != nil {
					t.Error(err)
					return
				}
				if rand.IntN(40) == 0 { // drop and come back
					v.feed.Close()
					again := w.follow(id, ann, &v.pos)
					v.feed = again.feed
				}
			}
			for v.pos.Seq < events || v.sync.Phase != wire.PhaseIdle {
				if err := v.next(ctx); err != nil {
					t.Error(err)
					return
				}
			}
			v.feed.Close()
		})
	}
	for range events - 4 {
		c.emit(t, wire.Thinking{Item: "i", Final: "x"})
	}
	c.ok()
	wg.Wait()
	want := map[uint64][]byte{}
	for _, e := range w.events(id) {
		want[e.Seq] = nil
	}
	if len(want) != events {
		t.Fatalf("log holds %d events, want %d", len(want), events)
	}
	for i, v := range views {
		if len(v.resets) > 0 {
			continue // it came with a cursor beyond the end of that moment
		}
		if v.pos.Seq != events || len(v.lines) < events-4 {
			t.Errorf("follower %d: %d events up to %d", i, len(v.lines), v.pos.Seq)
		}
	}
}

// T7: what a cursor is answered with.
func TestFeed_cursor(t *testing.T) {
	t.Parallel()
	w := start(t, scriptOf(newPuppet("claude")))
	id := w.chat()
	w.prompt(id, "a", "hello")
	w.settled(id)
	for _, tt := range []struct {
		name  string
		since *wire.Position
		reset string
		want  int // events
	}{
		{name: "absent", want: 3},
		{name: "the start of a short log", since: &wire.Position{Epoch: 1}, want: 3},
		{name: "in the middle", since: &wire.Position{Epoch: 1, Seq: 2}, want: 1},
		{name: "the last", since: &wire.Position{Epoch: 1, Seq: 3}},
		{name: "beyond the last", since: &wire.Position{Epoch: 1, Seq: 4}, reset: wire.ResetAhead, want: 3},
		{name: "far beyond", since: &wire.Position{Epoch: 1, Seq: 1 << 40}, reset: wire.ResetAhead, want: 3},
		{name: "another epoch", since: &wire.Position{Epoch: 9, Seq: 1}, reset: wire.ResetStale, want: 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := w.follow(id, bob, tt.since)
			defer v.feed.Close()
			if tt.want == 0 {
				v.until(func() bool { return v.presence.People != nil })
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				for { // presence of the others may come
					if err := v.next(ctx); err != nil {
						break
					}
				}
			} else {
				v.until(func() bool { return len(v.lines) >= tt.want })
			}
			var resets []string
			if tt.reset != "" {
				resets = []string{tt.reset}
			}
			if len(v.lines) != tt.want || !slices.Equal(v.resets, resets) {
				t.Errorf("%d events, resets %v; want %d, %v", len(v.lines), v.resets, tt.want, resets)
			}
		})
	}
}

// T5: a rewind while A is away; A comes back with its old cursor.
func TestFeed_rewindWhileAway(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	ask := func(clientID string, events int) wire.PromptResult {
		t.Helper()
		res := w.prompt(id, clientID, "hello")
		c := <-p.calls
		c.emit(t, wire.Session{Agent: "claude", SessionID: "s-" + clientID})
		for range events - 4 {
			c.emit(t, wire.Todo{})
		}
		c.ok()
		w.settled(id)
		return res
	}
	ask("a", 10)
	second := ask("b", 30)
	a := w.follow(id, ann, nil)
	a.upto(40)
	a.feed.Close()
	b := w.follow(id, bob, nil)
	defer b.feed.Close()
	b.upto(40)

	if _, err := w.hub.Rewind(id, bob, second.Seq); err != nil {
		t.Fatal(err)
	}
	third := w.prompt(id, "c", "hello")
	c := <-p.calls
	if c.req.Session != "" {
		t.Errorf("session %q is resumed after a rewind", c.req.Session)
	}
	c.ok()
	w.settled(id)

	back := w.follow(id, ann, &a.pos)
	defer back.feed.Close()
	back.upto(third.Seq + 3)
	b.upto(third.Seq + 3)
	if len(back.resets) != 1 {
		t.Errorf("A was told to reset %v", back.resets)
	}
	if diff := cmp.Diff(b.lines, back.lines); diff != "" {
		t.Errorf("A's view differs from B's:\n%s", diff)
	}

	// T10: the client id of the rewound prompt is still taken.
	if got := w.prompt(id, "b", "hello"); got != second {
		t.Errorf("rewound prompt again = %+v, want %+v", got, second)
	}
	if _, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{ClientID: "b", Text: "other"}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("rewound client id with other text = %v", err)
	}
}

// One feed that never reads costs the others nothing and little memory.
func TestFeed_oneNeverReads(t *testing.T) {
	const followers, events = 50, 400
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	dead := w.follow(id, bob, nil)
	defer dead.feed.Close()
	w.prompt(id, "a", "hello")
	c := <-p.calls
	var ready, wg sync.WaitGroup
	ready.Add(followers)
	for range followers {
		wg.Go(func() {
			v := w.follow(id, ann, nil)
			defer v.feed.Close()
			ready.Done()
			for v.pos.Seq < events+3 || v.sync.Phase != wire.PhaseIdle {
				if err := v.next(t.Context()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	ready.Wait()
	for i := range events {
		c.emit(t, wire.Todo{Items: []wire.TodoItem{{Text: strings.Repeat("x", 500)}}})
		c.host.Remark(wire.ToolUseInput{ToolID: fmt.Sprint(i), Tail: strings.Repeat("y", 500)})
	}
	c.ok()
	wg.Wait()
	dead.upto(events + 3)
	if len(dead.resets) > 0 {
		t.Errorf("the one that never read was told to reset: %v", dead.resets)
	}
	if got := count(dead.frames, func(f string) bool { return f == "tool_use_input" }); got > 64 {
		t.Errorf("%d passing frames were kept for it", got)
	}
}

// The way of an event from the agent to a feed: what it allocates.
func TestFeed_allocations(t *testing.T) {
	done := make(chan float64)
	w := start(t, scripted(func(_ context.Context, _ agent.Request, h agent.Host) (agent.Result, error) {
		runtime.GC()
		const n = 5_000
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range n {
			if err := h.Emit(wire.Thinking{Item: "i", Final: "some words of thought"}); err != nil {
				return agent.Result{}, err
			}
		}
		runtime.ReadMemStats(&after)
		done <- float64(after.Mallocs-before.Mallocs) / n
		return agent.Result{Status: wire.StatusOK}, nil
	}))
	id := w.chat()
	f, err := w.hub.Follow(id, ann, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			if _, err := f.Next(ctx); err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
		}
	})
	w.prompt(id, "a", "hello")
	perEvent := <-done
	w.settled(id)
	cancel()
	wg.Wait()
	t.Logf("%.1f allocations for an event", perEvent)
	if perEvent > 20 {
		t.Errorf("%.1f allocations for an event, want at most 20", perEvent)
	}
}

// A last page that begins in the middle of something comes with the starts of what
// its first events belong to, before them.
func TestFeed_open(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	c.emit(t, wire.ToolUseStart{ToolID: "shell", Name: "Bash", Input: []byte(`{}`)})
	for range 50 { // more than a page holds
		c.emit(t, wire.AssistantText{Item: "i", Delta: strings.Repeat("x", 30_000)})
	}
	c.emit(t, wire.ToolUseEnd{ToolID: "shell", OK: true})
	v := w.follow(id, bob, nil)
	defer v.feed.Close()
	v.until(func() bool { return len(v.lines) > 0 })
	if got := strings.Join(v.frames, " "); got != "connected sync queue presence open lines" {
		t.Fatalf("frames = %s", got)
	}
	var types []string
	for _, raw := range v.open.Events {
		_, ev, err := wire.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, string(ev.Type()))
	}
	if got := strings.Join(types, " "); got != "tool_use_start assistant_text" {
		t.Errorf("open has %s", got)
	}
}
