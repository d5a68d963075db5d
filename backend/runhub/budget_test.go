package runhub_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

func usage(tokens int64, cost float64) wire.Usage {
	return wire.Usage{Input: tokens / 2, Output: tokens - tokens/2, CostUSD: &cost, CostKind: wire.CostExact}
}

// A run that goes over a limit is stopped, and its verdict says which; the queue
// then rests.
func TestBudget_stopsTheRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		chat, own wire.Limits // of the chat, of the person
		used      []wire.Usage
		code      string
	}{
		{name: "tokens", chat: wire.Limits{Tokens: 100}, used: []wire.Usage{usage(100, 9), usage(101, 9)}, code: wire.CodeBudgetTokens},
		{name: "tokens beyond what can be counted", chat: wire.Limits{Tokens: 100}, used: []wire.Usage{{Input: 1<<63 - 1, Output: 1<<63 - 1}}, code: wire.CodeBudgetTokens},
		{name: "tokens of which some are negative", chat: wire.Limits{Tokens: 100}, used: []wire.Usage{{Input: 101, CacheRead: -1 << 62}}, code: wire.CodeBudgetTokens},
		{name: "money", chat: wire.Limits{CostUSD: 1.5}, used: []wire.Usage{usage(1000, 1.5), usage(2000, 1.51)}, code: wire.CodeBudgetCost},
		{name: "of the person", own: wire.Limits{Tokens: 100}, used: []wire.Usage{usage(101, 0)}, code: wire.CodeBudgetTokens},
		{name: "the chat's come before the person's", chat: wire.Limits{Minutes: 100}, own: wire.Limits{Tokens: 1}, used: []wire.Usage{usage(101, 9)}},
		{name: "a cost that is not known", chat: wire.Limits{CostUSD: 0.1}, used: []wire.Usage{{Input: 1 << 40}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPuppet("claude")
			w := startIn(t, t.TempDir(), runhub.Options{Settings: func(wire.UserID) wire.Settings {
				return wire.Settings{Limits: tt.own}
			}}, p)
			id := w.chat()
			if _, err := w.chats.Update(id, func(m *catalog.Meta) error {
				if tt.chat != (wire.Limits{}) {
					m.Limits = &tt.chat
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			w.prompt(id, "a", "hello")
			c := <-p.calls
			w.enqueue(id, "b")
			v := w.follow(id, bob, nil)
			defer v.feed.Close()
			for _, u := range tt.used {
				c.host.Remark(wire.RunUsage{Usage: u})
			}
			if tt.code == "" {
				c.ok()
				(<-p.calls).ok()
				w.settled(id)
				w.wantQueue(id, "", "")
				return
			}
			w.settled(id)
			done, ok := w.last(id).(wire.Complete)
			if !ok || done.Status != wire.StatusMaxIterations || done.Code != tt.code || !strings.Contains(done.Notice, "limit") {
				t.Errorf("complete = %+v", done)
			}
			w.wantQueue(id, "b", string(wire.StatusMaxIterations))
		})
	}
}

// What the agent tells only at the end stops nothing, and is said.
func TestBudget_toldTooLate(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := startIn(t, t.TempDir(), runhub.Options{Settings: func(wire.UserID) wire.Settings {
		return wire.Settings{Limits: wire.Limits{Tokens: 100}}
	}}, p)
	id := w.chat()
	w.prompt(id, "a", "hello")
	c := <-p.calls
	u := usage(500, 1)
	c.end <- func() (agent.Result, error) { return agent.Result{Status: wire.StatusOK, Usage: &u}, nil }
	w.settled(id)
	if done := w.last(id).(wire.Complete); done.Status != wire.StatusOK || !strings.Contains(done.Notice, "500") {
		t.Errorf("complete = %+v", done)
	}
}

func TestBudget_time(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet("claude")
		w := startIn(t, t.TempDir(), runhub.Options{Settings: func(wire.UserID) wire.Settings {
			return wire.Settings{Limits: wire.Limits{Minutes: 30}}
		}}, p)
		id := w.chat()
		w.prompt(id, "a", "hello")
		<-p.calls
		// Nothing else happens: the clock moves on to what is next.
		v := w.follow(id, bob, nil)
		v.until(func() bool { return v.sync.Phase == wire.PhaseIdle })
		v.feed.Close()
		done, ok := w.last(id).(wire.Complete)
		if !ok || done.Status != wire.StatusMaxIterations || done.Code != wire.CodeBudgetTime || done.MS != 30*60*1000 {
			t.Errorf("complete = %+v", done)
		}
		w.stop()
	})
}

// Limits of a chat as a whole and of a day count what its runs used before, also those
// that a rewind took out. They stop the run that goes over them, and let none begin
// once they are used up: the prompt is refused, one that waits stays.
func TestBudget_ofAChatAndADay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		limits wire.Limits
		first  wire.Usage // of a run that ends well
		then   wire.Usage // of the next one, which is stopped
		code   string
		says   string
	}{
		{"tokens of a chat", wire.Limits{Chat: wire.Amounts{Tokens: 100}}, usage(60, 0), usage(41, 0), wire.CodeBudgetChat, "101 tokens"},
		{"money of a chat", wire.Limits{Chat: wire.Amounts{CostUSD: 1}}, usage(1, 0.75), usage(1, 0.5), wire.CodeBudgetChat, "$1.25"},
		{"tokens of a day", wire.Limits{Day: wire.Amounts{Tokens: 100}}, usage(60, 0), usage(41, 0), wire.CodeBudgetDay, "today"},
		{"a cost that is not known", wire.Limits{Chat: wire.Amounts{CostUSD: 1}}, wire.Usage{Input: 9}, usage(1, 1.5), wire.CodeBudgetChat, "at least $1.50"},
		{"the run's own", wire.Limits{Tokens: 50, Chat: wire.Amounts{Tokens: 1000}}, usage(50, 0), usage(51, 0), wire.CodeBudgetTokens, "51 tokens"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPuppet("claude")
			w := startIn(t, t.TempDir(), runhub.Options{Settings: func(wire.UserID) wire.Settings {
				return wire.Settings{Limits: tt.limits}
			}}, p)
			id := w.chat()
			res := w.prompt(id, "a", "hello")
			c := <-p.calls
			c.end <- func() (agent.Result, error) { return agent.Result{Status: wire.StatusOK, Usage: &tt.first}, nil }
			w.settled(id)
			if _, err := w.hub.Rewind(id, ann, res.Seq); err != nil {
				t.Fatal(err)
			}
			w.prompt(id, "b", "hello")
			c = <-p.calls
			w.enqueue(id, "c")
			c.host.Remark(wire.RunUsage{Usage: tt.then})
			<-c.ctx.Done()
			w.settled(id)
			done, ok := w.last(id).(wire.Complete)
			if !ok || done.Status != wire.StatusMaxIterations || done.Code != tt.code || !strings.Contains(done.Notice, tt.says) {
				t.Errorf("complete = %+v", done)
			}
			w.wantQueue(id, "c", string(wire.StatusMaxIterations))
		})
	}
}

func TestBudget_usedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := wire.Limits{Day: wire.Amounts{Tokens: 100}}
		p := newPuppet("claude")
		w := startIn(t, t.TempDir(), runhub.Options{Settings: func(wire.UserID) wire.Settings {
			return wire.Settings{Limits: limits}
		}}, p)
		id := w.chat()
		w.prompt(id, "a", "hello")
		c := <-p.calls
		w.enqueue(id, "b")
		u := usage(100, 0)
		c.end <- func() (agent.Result, error) { return agent.Result{Status: wire.StatusOK, Usage: &u}, nil }
		w.settled(id)
		// What waits is not sent, and says why; nor is what somebody sends now.
		w.wantQueue(id, "b", wire.PauseNotSent)
		if e := w.queue(id).Items[0].Error; e == nil || !strings.Contains(e.Message, "100 tokens today") {
			t.Errorf("the prompt that waits says %+v", e)
		}
		if _, err := w.send(id, bob, "x", ""); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("a prompt = %v", err)
		}
		// The next day it goes on.
		time.Sleep(24 * time.Hour)
		if _, err := w.hub.ResumeQueue(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		(<-p.calls).ok()
		w.settled(id)
		if got := w.sent(id); got != "a b" {
			t.Errorf("sent = %s", got)
		}
		w.stop()
	})
}

// The time that a chat has left is that of its limit without what its runs took.
func TestBudget_timeOfAChat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet("claude")
		w := startIn(t, t.TempDir(), runhub.Options{Settings: func(wire.UserID) wire.Settings {
			return wire.Settings{Limits: wire.Limits{Minutes: 30, Chat: wire.Amounts{Minutes: 45}}}
		}}, p)
		id := w.chat()
		for i, want := range []struct {
			minutes int64
			code    string
		}{{30, wire.CodeBudgetTime}, {15, wire.CodeBudgetChat}} {
			w.prompt(id, string(rune('a'+i)), "hello")
			<-p.calls
			v := w.follow(id, bob, nil)
			v.until(func() bool { return v.sync.Phase == wire.PhaseIdle })
			v.feed.Close()
			done, ok := w.last(id).(wire.Complete)
			if !ok || done.Code != want.code || done.MS != want.minutes*60*1000 {
				t.Errorf("run %d: complete = %+v", i, done)
			}
		}
		if _, err := w.send(id, ann, "x", ""); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "45 minutes") {
			t.Errorf("a prompt = %v", err)
		}
		w.stop()
	})
}

// limitedChat starts a daemon with a chat that has limits and has used tokens, of which its
// last run was stopped.
func limitedChat(t *testing.T, l wire.Limits, tokens int64) (*world, *puppet, wire.ChatID) {
	t.Helper()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	w.limit(id, l)
	w.prompt(id, "a", "hello")
	c := <-p.calls
	c.emit(t, wire.Session{Agent: "claude", SessionID: "s1"})
	w.enqueue(id, "b", "c")
	c.host.Remark(wire.RunUsage{Usage: usage(tokens, 0)})
	<-c.ctx.Done()
	w.settled(id)
	return w, p, id
}

func (w *world) limit(id wire.ChatID, l wire.Limits) {
	w.t.Helper()
	if _, err := w.chats.Update(id, func(m *catalog.Meta) error { m.Limits = &l; return nil }); err != nil {
		w.t.Fatal(err)
	}
}

// wantUsedUp takes an error as that of a limit that lets nothing begin.
func wantUsedUp(t *testing.T, doing string, err error) {
	t.Helper()
	if fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "its limit") {
		t.Errorf("%s = %v, want that a limit is used up", doing, err)
	}
}

// A queue that meets a limit rests and says so at the prompt that is next, as often as
// it is told to go on; with room under the limit it goes on, in order.
func TestBudget_ofAQueue(t *testing.T) {
	t.Parallel()
	w, p, id := limitedChat(t, wire.Limits{Chat: wire.Amounts{Tokens: 100}}, 101)
	w.wantQueue(id, "b c", string(wire.StatusMaxIterations))
	for range 2 {
		if _, err := w.hub.ResumeQueue(t.Context(), id); err != nil {
			wantUsedUp(t, "resume", err)
		}
		w.wantQueue(id, "b c", wire.PauseNotSent)
		if e := w.queue(id).Items[0].Error; e == nil || !strings.Contains(e.Message, "101 tokens") {
			t.Errorf("the prompt that waits says %+v", e)
		}
	}
	w.limit(id, wire.Limits{Chat: wire.Amounts{Tokens: 1000}})
	if _, err := w.hub.ResumeQueue(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	(<-p.calls).ok()
	(<-p.calls).ok()
	w.settled(id)
	w.wantQueue(id, "", "")
	if got := w.sent(id); got != "a b c" {
		t.Errorf("sent = %s", got)
	}
}

// Going on with a run is a run: where the limit is used up it is refused, and changes
// nothing.
func TestBudget_ofWhatIsContinued(t *testing.T) {
	t.Parallel()
	for _, l := range []wire.Limits{{Chat: wire.Amounts{Tokens: 100}}, {Day: wire.Amounts{Tokens: 100}}} {
		w, p, id := limitedChat(t, l, 101)
		before := w.types(id)
		_, err := w.hub.Continue(t.Context(), id, ann, runhub.Now)
		wantUsedUp(t, "continue", err)
		w.wantQueue(id, "b c", string(wire.StatusMaxIterations))
		if got := w.types(id); got != before {
			t.Errorf("log = %s\nwant %s", got, before)
		}
		w.limit(id, wire.Limits{})
		if _, err := w.hub.Continue(t.Context(), id, ann, runhub.Now); err != nil {
			t.Fatal(err)
		}
		c := <-p.calls
		if c.req.Session != "s1" {
			t.Errorf("goes on in session %q", c.req.Session)
		}
		c.ok()
		w.settled(id)
	}
}

// A fork begins with nothing used, and with no limits of its own; what it uses counts
// for it alone.
func TestBudget_ofAFork(t *testing.T) {
	t.Parallel()
	w, p, id := limitedChat(t, wire.Limits{Day: wire.Amounts{Tokens: 100}}, 101)
	fork := w.fork(id, runhub.Fork{})
	w.limit(fork, wire.Limits{Chat: wire.Amounts{Tokens: 50}})
	w.prompt(fork, "x", "hello")
	c := <-p.calls
	u := usage(50, 0)
	c.end <- func() (agent.Result, error) { return agent.Result{Status: wire.StatusOK, Usage: &u}, nil }
	w.settled(fork)
	for chat, want := range map[wire.ChatID]int64{id: 101, fork: 50} {
		m, err := w.chats.Get(chat)
		if err != nil {
			t.Fatal(err)
		}
		if all, day := m.UsedBy(time.Now()); all.Tokens != want || day.Tokens != want {
			t.Errorf("chat used %d, today %d; want %d", all.Tokens, day.Tokens, want)
		}
		_, err = w.send(chat, ann, "y", "")
		wantUsedUp(t, "a prompt", err)
	}
}

// Going on at the reset of a rate limit is judged by the day on which that is, and again
// when the time has come. A run counts for the day on which it began.
func TestBudget_atMidnight(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		began, resets time.Duration // after midnight
		waits         bool
	}{
		{"resets the same day", -2 * time.Hour, -time.Hour, false},
		{"resets the next day", -2 * time.Hour, time.Hour, true},
		{"began the day before", -time.Minute, 3 * time.Hour, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPuppet("claude")
			w := start(t, p)
			defer w.stop()
			id := w.chat()
			w.limit(id, wire.Limits{Day: wire.Amounts{Tokens: 100}})
			now := time.Now().Local()
			midnight := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.Local)
			time.Sleep(time.Until(midnight.Add(tt.began)))
			w.prompt(id, "a", "hello")
			c := <-p.calls
			time.Sleep(10 * time.Minute)
			at := wire.Time{Time: midnight.Add(tt.resets).UTC()}
			c.emit(t, wire.RateLimit{Scope: "five_hour", ResetsAt: &at})
			u := usage(100, 0)
			c.end <- func() (agent.Result, error) {
				return agent.Result{Status: wire.StatusFailed, Code: agent.CodeRateLimited, Usage: &u}, nil
			}
			w.settled(id)
			_, err := w.hub.Continue(t.Context(), id, ann, runhub.AtReset)
			if !tt.waits {
				wantUsedUp(t, tt.name, err)
				w.wantQueue(id, "", "")
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			(<-p.calls).ok()
			w.settled(id)
			w.wantQueue(id, "", "")
			if late := time.Since(at.Time); late < 0 || late > 2*time.Minute {
				t.Errorf("%s: it goes on %v after the reset", tt.name, late)
			}
		})
	}
}
