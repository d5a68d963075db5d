package app

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/backend/agent"
)

// installable is an agent that is installed at some time.
type installable struct {
	agent.Provider

	at     time.Time
	signIn agent.SignIn
	probes int
}

func (p *installable) Info() agent.Info { return agent.Info{ID: "late"} }

func (p *installable) Probe(context.Context) agent.Status {
	p.probes++
	if time.Now().Before(p.at) {
		return agent.Status{State: agent.StateNotInstalled}
	}
	return agent.Status{State: agent.StateReady, SignIn: p.signIn}
}

func TestWatchAgents_seesOneThatIsInstalledLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &installable{at: time.Now().Add(5 * time.Minute)}
		agents, err := agent.NewRegistry(p)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- watchAgents(ctx, agents) }()
		state := func() agent.State {
			synctest.Wait()
			return agents.Statuses(ctx)[0].Status.State
		}
		if got := state(); got != agent.StateNotInstalled {
			t.Errorf("at first it is %q", got)
		}
		time.Sleep(6 * time.Minute) // the bubble's clock
		if got := state(); got != agent.StateReady {
			t.Errorf("a minute after its installation it is %q", got)
		}
		before := p.probes
		p.signIn = agent.SignInFound
		time.Sleep(50 * time.Minute)
		synctest.Wait()
		if n := p.probes - before; n > 1 {
			t.Errorf("one that is ready was looked at %d times within the hour", n)
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
