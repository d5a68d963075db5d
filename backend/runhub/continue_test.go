package runhub_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

func (c *call) limited(t *testing.T, resets time.Time) {
	t.Helper()
	share := 1.0
	at := wire.Time{Time: resets.UTC().Truncate(time.Millisecond)}
	c.emit(t, wire.RateLimit{Scope: "five_hour", UsedShare: &share, ResetsAt: &at})
	c.end <- func() (agent.Result, error) {
		return agent.Result{Status: wire.StatusFailed, Code: agent.CodeRateLimited}, nil
	}
}

// A run that did not end well is continued in the agent's session, by a prompt
// that says so.
func TestContinue_resumesTheSession(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(*testing.T, *world, wire.ChatID, *call)
	}{
		{"failed", func(_ *testing.T, _ *world, _ wire.ChatID, c *call) { c.fail() }},
		{"cancelled", func(t *testing.T, w *world, id wire.ChatID, _ *call) {
			if err := w.hub.Cancel(t.Context(), id, ann, ""); err != nil {
				t.Error(err)
			}
		}},
		{"at a rate limit", func(t *testing.T, _ *world, _ wire.ChatID, c *call) { c.limited(t, time.Now().Add(time.Hour)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, id, c := running(t)
			run := c.req.Run
			c.emit(t, wire.Session{Agent: "claude", SessionID: "s1"})
			tt.end(t, w, id, c)
			w.settled(id)
			res, err := w.hub.Continue(t.Context(), id, bob, runhub.Now)
			if err != nil {
				t.Fatal(err)
			}
			c = <-c.next
			if c.req.Session != "s1" || c.req.Run != res.Run {
				t.Errorf("resumes session %q in run %s, want s1 in %s", c.req.Session, c.req.Run, res.Run)
			}
			// Asking again while it goes on is asking once.
			if again, err := w.hub.Continue(t.Context(), id, ann, runhub.Now); err != nil || again != res {
				t.Errorf("again = %+v, %v; want %+v", again, err, res)
			}
			all := w.events(id)
			i := slices.IndexFunc(all, func(e entry) bool { return e.Run == res.Run })
			if u, ok := all[i].ev.(wire.User); !ok || u.Continues != run || u.By != bob || u.Text == "" || len(u.Text) > 100 {
				t.Errorf("the prompt is %+v", all[i].ev)
			}
			c.ok()
			w.settled(id)
			if _, err := w.hub.Continue(t.Context(), id, bob, runhub.Now); fault.CodeOf(err) != fault.Conflict {
				t.Errorf("after a run that ended well = %v", err)
			}
		})
	}
}

func TestContinue_afterARestart(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	c.emit(t, wire.Session{Agent: "claude", SessionID: "s1"})
	p := newPuppet("claude")
	again := w.crash(runhub.Options{}, p)
	if _, err := again.hub.Continue(t.Context(), id, ann, runhub.Now); err != nil {
		t.Fatal(err)
	}
	if c := <-p.calls; c.req.Session != "s1" {
		t.Errorf("resumes session %q", c.req.Session)
	}
}

// A run that never reached its agent is not gone on with but asked again, and the
// log says so.
func TestContinue_ofWhatNeverReachedTheAgent(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	c.fail()
	w.settled(id)
	if _, err := w.hub.Continue(t.Context(), id, ann, runhub.Now); err != nil {
		t.Fatal(err)
	}
	c = <-c.next
	if !strings.HasSuffix(c.req.Text, "hello") || w.notices(id, "asked_again") != 1 {
		t.Errorf("the agent is told %q, with %d notices", c.req.Text, w.notices(id, "asked_again"))
	}
}

// Nor is one whose agent was killed before it answered anything: it may not have
// written down what it was asked. One that answered, or ended by itself, is.
func TestContinue_ofWhatWasKilledAtItsBeginning(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		said  []wire.Event
		kill  bool
		again int
	}{
		{name: "killed with a session alone", kill: true, again: 1},
		{name: "killed after a word", said: []wire.Event{wire.Thinking{Item: "i", Final: "well"}}, kill: true},
		{name: "failed with a session alone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, id, c := running(t)
			c.emit(t, wire.Session{Agent: "claude", SessionID: "s1"})
			c.emit(t, tt.said...)
			next := c.next
			if tt.kill {
				p := newPuppet("claude")
				w, next = w.crash(runhub.Options{}, p), p.calls
			} else {
				c.fail()
				w.settled(id)
			}
			if _, err := w.hub.Continue(t.Context(), id, ann, runhub.Now); err != nil {
				t.Fatal(err)
			}
			c = <-next
			if asked := strings.HasSuffix(c.req.Text, "hello"); asked != (tt.again > 0) || w.notices(id, "asked_again") != tt.again || c.req.Session != "s1" {
				t.Errorf("the agent is told %q in %q, with %d notices", c.req.Text, c.req.Session, w.notices(id, "asked_again"))
			}
		})
	}
}

func TestContinue_refused(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	if _, err := w.hub.Continue(t.Context(), id, ann, runhub.Now); fault.CodeOf(err) != fault.Busy {
		t.Errorf("while a run lives = %v", err)
	}
	c.fail()
	w.settled(id)
	if _, err := w.hub.Continue(t.Context(), id, ann, runhub.AtReset); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("at a reset that is not known = %v", err)
	}
	if _, err := w.hub.Continue(t.Context(), w.chat(), ann, runhub.Now); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("of an empty chat = %v", err)
	}
}

// At the reset of the limit what was to go on goes on, and what waits after it.
func TestContinue_atReset(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	w.enqueue(id, "b")
	c.emit(t, wire.Session{Agent: "claude", SessionID: "s1"})
	c.limited(t, time.Now().Add(time.Hour))
	w.settled(id)
	w.wantQueue(id, "b", wire.PauseRateLimit)
	res, err := w.hub.Continue(t.Context(), id, bob, runhub.AtReset)
	if err != nil || res.Queued != 1 {
		t.Fatalf("Continue = %+v, %v", res, err)
	}
	if again, err := w.hub.Continue(t.Context(), id, ann, runhub.AtReset); err != nil || again != res {
		t.Errorf("again = %+v, %v; want %+v", again, err, res)
	}
	w.wantQueue(id, res.ClientID+" b", wire.PauseRateLimit)
	q := w.queue(id)
	if q.Paused.Until == nil || time.Until(q.Paused.Until.Time) < 59*time.Minute || q.Items[0].Continues != c.req.Run {
		t.Errorf("queue = %+v, paused %+v", q.Items[0], q.Paused)
	}

	// It is durable.
	p := newPuppet("claude")
	again := w.crash(runhub.Options{}, p)
	again.wantQueue(id, res.ClientID+" b", wire.PauseRateLimit)
	if got := again.queue(id).Paused.Until; got == nil || !got.Equal(q.Paused.Until.Time) {
		t.Errorf("after a restart it goes on at %v", got)
	}
	// The time comes.
	again.hub.Due(id, q.Paused.Until.Add(time.Second))
	c = <-p.calls
	if !strings.Contains(c.req.Text, "Continue") {
		t.Errorf("the agent is told %q", c.req.Text)
	}
	c.ok()
	(<-p.calls).ok()
	again.settled(id)
	again.wantQueue(id, "", "")
}

// Who removes what waits takes it back; the rest of the queue then waits for
// somebody.
func TestContinue_takenBack(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	w.enqueue(id, "b")
	c.limited(t, time.Now().Add(time.Hour))
	w.settled(id)
	res, err := w.hub.Continue(t.Context(), id, ann, runhub.AtReset)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.hub.RemoveQueued(id, res.ClientID, 0); err != nil {
		t.Fatal(err)
	}
	w.wantQueue(id, "b", wire.PauseRateLimit)
	if p := w.queue(id).Paused; p.Until != nil {
		t.Errorf("the queue still moves on at %v", p.Until)
	}
	// A prompt that comes meanwhile goes on with the chat instead.
	if res, err = w.hub.Continue(t.Context(), id, ann, runhub.AtReset); err != nil {
		t.Fatal(err)
	}
	if _, err := w.send(id, bob, "x", ""); err != nil {
		t.Fatal(err)
	}
	(<-c.next).ok()
	w.settled(id)
	w.wantQueue(id, "b", wire.PauseRateLimit)
}

// It goes on by itself for those who want that.
func TestContinue_byItself(t *testing.T) {
	t.Parallel()
	for _, wanted := range []bool{true, false} {
		p := newPuppet("claude")
		w := startIn(t, t.TempDir(), runhub.Options{Settings: func(who wire.UserID) wire.Settings {
			return wire.Settings{ContinueAtReset: wanted && who == ann.ID}
		}}, p)
		id := w.chat()
		w.prompt(id, "a", "hello")
		resets := time.Now().Add(time.Hour)
		(<-p.calls).limited(t, resets)
		w.settled(id)
		q := w.queue(id)
		if !wanted {
			if len(q.Items) != 0 || q.Paused != nil {
				t.Errorf("not wanted, but queued: %+v", q)
			}
			continue
		}
		if len(q.Items) != 1 || q.Items[0].By != ann || q.Paused == nil || q.Paused.Until == nil || q.Paused.Until.Before(resets) {
			t.Fatalf("queue = %+v", q)
		}
		// One that hits the limit again rests for a while, whatever the agent says.
		w.hub.Due(id, q.Paused.Until.Time)
		(<-p.calls).limited(t, time.Now().Add(-time.Minute))
		w.settled(id)
		if q := w.queue(id); q.Paused == nil || q.Paused.Until == nil || time.Until(q.Paused.Until.Time) < 10*time.Minute {
			t.Errorf("queue = %+v", q)
		}
	}
}

// The hub looks by itself when the time has come.
func TestContinue_whenItsTimeComes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet("claude")
		w := start(t, p)
		defer w.stop()
		id := w.chat()
		w.prompt(id, "a", "hello")
		resets := time.Now().Add(5 * time.Hour)
		c := <-p.calls
		c.emit(t, wire.Session{Agent: "claude", SessionID: "s1"})
		c.limited(t, resets)
		w.settled(id)
		if _, err := w.hub.Continue(t.Context(), id, ann, runhub.AtReset); err != nil {
			t.Fatal(err)
		}
		(<-p.calls).ok()
		if late := time.Since(resets); late < 0 || late > 2*time.Minute {
			t.Errorf("it goes on %v after the reset", late)
		}
		w.settled(id)
		w.wantQueue(id, "", "")
	})
}
