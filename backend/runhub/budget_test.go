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
