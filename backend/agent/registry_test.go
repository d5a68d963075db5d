package agent_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// stub is a provider whose probe is a function.
type stub struct {
	id    wire.AgentID
	probe func(ctx context.Context) agent.Status
}

func (s stub) Info() agent.Info { return agent.Info{ID: s.id, Name: "The " + string(s.id)} }

func (s stub) Probe(ctx context.Context) agent.Status { return s.probe(ctx) }

func (s stub) Run(context.Context, agent.Request, agent.Host) (agent.Result, error) {
	return agent.Result{Status: wire.StatusOK}, nil
}

func ready(context.Context) agent.Status { return agent.Status{State: agent.StateReady} }

func TestNewRegistry_refusesTwoOfOneID(t *testing.T) {
	t.Parallel()
	if _, err := agent.NewRegistry(stub{id: "a"}, stub{id: "a"}); err == nil {
		t.Error("two agents with one id were accepted")
	}
	if _, err := agent.NewRegistry(stub{}); err == nil {
		t.Error("an agent without an id was accepted")
	}
}

func TestRegistry_Get(t *testing.T) {
	t.Parallel()
	r := registry(t, stub{id: "b", probe: ready}, stub{id: "a", probe: ready})
	p, err := r.Get("a")
	if err != nil || p.Info().ID != "a" {
		t.Errorf("Get(a) = %v, %v", p, err)
	}
	if _, err := r.Get("c"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Get(c): %v, want a fault not_found", err)
	}
	if all := r.All(); len(all) != 2 || all[0].Info().ID != "b" || all[1].Info().ID != "a" {
		t.Errorf("All() = %v, want b and a", all)
	}
}

func TestRegistry_probesOnceUntilRefreshed(t *testing.T) {
	t.Parallel()
	var probes atomic.Int32
	r := registry(t, stub{id: "a", probe: func(context.Context) agent.Status {
		probes.Add(1)
		return agent.Status{State: agent.StateReady, Version: "1"}
	}})
	for range 3 {
		if s := r.Statuses(t.Context()); len(s) != 1 || s[0].Status.Version != "1" || s[0].Info.Name != "The a" {
			t.Fatalf("Statuses() = %+v", s)
		}
	}
	if n := probes.Load(); n != 1 {
		t.Errorf("%d probes, want 1", n)
	}
	r.Refresh(t.Context())
	if n := probes.Load(); n != 2 {
		t.Errorf("%d probes after a refresh, want 2", n)
	}
}

// Who asks what is known waits for no probe.
func TestRegistry_KnownWaitsForNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := registry(t, stub{id: "a", probe: func(ctx context.Context) agent.Status {
			time.Sleep(time.Second)
			return agent.Status{State: agent.StateReady}
		}})
		var round sync.WaitGroup
		round.Go(func() { r.Refresh(t.Context()) })
		synctest.Wait()
		if s := r.Known()[0].Status; s.State != agent.StateUnknown || s.Message == "" || s.Checked != nil {
			t.Errorf("before the probe has answered it is %+v", s)
		}
		round.Wait()
		if s := r.Known()[0].Status; s.State != agent.StateReady || s.Checked == nil || !s.Checked.Equal(time.Now()) {
			t.Errorf("afterwards it is %+v", s)
		}
	})
}

func TestRegistry_callersShareOneRound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var probes atomic.Int32
		r := registry(t, stub{id: "a", probe: func(context.Context) agent.Status {
			probes.Add(1)
			time.Sleep(time.Second) // fake time
			return agent.Status{State: agent.StateReady}
		}})
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() { r.Statuses(t.Context()) })
		}
		wg.Wait()
		if n := probes.Load(); n != 1 {
			t.Errorf("%d probes for five callers, want 1", n)
		}
	})
}

func TestRegistry_oneAgentNeverSpoilsTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := registry(t,
			stub{id: "good", probe: ready},
			stub{id: "panics", probe: func(context.Context) agent.Status { panic("oops") }},
			stub{id: "hangs", probe: func(ctx context.Context) agent.Status {
				<-ctx.Done()
				return agent.Status{State: agent.StateNotInstalled}
			}})
		start := time.Now()
		got := r.Statuses(t.Context())
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("took %v", d)
		}
		want := []agent.State{agent.StateReady, agent.StateBroken, agent.StateBroken}
		for i, d := range got {
			if d.Status.State != want[i] {
				t.Errorf("%s is %q, want %q", d.Info.ID, d.Status.State, want[i])
			}
			if d.Status.State != agent.StateReady && (d.Status.Message == "" || d.Status.Hint == "") {
				t.Errorf("%s says neither what is wrong nor what to do: %+v", d.Info.ID, d.Status)
			}
		}
	})
}

func TestRegistry_aCallerWhoGivesUpLeavesNoVerdict(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan agent.Status, 1)
		r := registry(t, stub{id: "a", probe: func(ctx context.Context) agent.Status {
			select {
			case s := <-answers:
				return s
			case <-ctx.Done():
				return agent.Status{State: agent.StateNotInstalled}
			}
		}})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if s := r.Statuses(ctx); s[0].Status.State != agent.StateUnknown {
			t.Errorf("who gave up is told %+v", s[0].Status)
		}
		answers <- agent.Status{State: agent.StateReady}
		if s := r.Statuses(t.Context()); s[0].Status.State != agent.StateReady {
			t.Errorf("the next caller is told %+v", s[0].Status)
		}
		r.Refresh(ctx)
		if s := r.Known(); s[0].Status.State != agent.StateReady {
			t.Errorf("after another gave up it is %+v", s[0].Status)
		}
	})
}

func registry(t *testing.T, p ...agent.Provider) *agent.Registry {
	t.Helper()
	r, err := agent.NewRegistry(p...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRegistry_anEmptyListIsNoNull(t *testing.T) {
	t.Parallel()
	for _, d := range registry(t, stub{id: "a", probe: ready}).Statuses(t.Context()) {
		if d.Info.Models == nil || d.Info.Efforts == nil || d.Info.Tiers == nil {
			t.Errorf("%+v has a list that is missing", d.Info)
		}
	}
}
