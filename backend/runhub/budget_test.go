package runhub_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
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
