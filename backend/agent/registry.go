package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// probeLimit is how long one probe may take: a CLI of several hundred megabytes
// on a cold disk needs some seconds to print its version.
const probeLimit = 20 * time.Second

// Described is an agent and whether it can run.
type Described struct {
	Info   Info   `json:"info"`
	Status Status `json:"status"`
}

// Registry holds the agents of this daemon in the order in which they are
// offered, and what the last probe of each found. It starts nothing by itself:
// a probe runs in the call that asks for it. All methods may be called from
// many goroutines.
type Registry struct {
	providers []Provider
	byID      map[wire.AgentID]Provider

	// probing holds one token, taken for a round of probes, so that rounds
	// never overlap.
	probing chan struct{}

	mu    sync.Mutex
	found map[wire.AgentID]Status
	round int // counts finished rounds
}

// NewRegistry returns a registry of the agents p. Two agents with one id, or an
// agent without one, are an error.
func NewRegistry(p ...Provider) (*Registry, error) {
	r := &Registry{
		providers: p,
		byID:      make(map[wire.AgentID]Provider, len(p)),
		probing:   make(chan struct{}, 1),
		found:     make(map[wire.AgentID]Status, len(p)),
	}
	for _, provider := range p {
		id := provider.Info().ID
		if id == "" {
			return nil, errors.New("register agents: an agent has no id")
		}
		if r.byID[id] != nil {
			return nil, fmt.Errorf("register agents: two agents have the id %q", id)
		}
		r.byID[id] = provider
	}
	return r, nil
}

// Get returns the agent with the id. An unknown id is a fault not_found.
func (r *Registry) Get(id wire.AgentID) (Provider, error) {
	p, ok := r.byID[id]
	if !ok {
		return nil, fault.New(fault.NotFound, "There is no agent %.40q.", id).
			WithHint("Choose one of the agents that are listed.")
	}
	return p, nil
}

// All returns the agents in their order.
func (r *Registry) All() []Provider {
	return append([]Provider(nil), r.providers...)
}

// Statuses returns every agent with what the last probe found. Where none was
// made yet it makes one, as [Registry.Refresh] does.
func (r *Registry) Statuses(ctx context.Context) []Described {
	r.mu.Lock()
	known := r.round > 0
	r.mu.Unlock()
	if !known {
		r.Refresh(ctx)
	}
	return r.described()
}

// Known returns every agent with what is known of it now. It waits for nothing: one
// that was not looked at yet is [StateUnknown].
func (r *Registry) Known() []Described { return r.described() }

// Refresh probes every agent, all at the same time, and returns when the last
// has answered or ctx has ended. Callers that come while a round is under way
// wait for that round and start no other.
func (r *Registry) Refresh(ctx context.Context) {
	r.mu.Lock()
	seen := r.round
	r.mu.Unlock()

	select {
	case r.probing <- struct{}{}:
		defer func() { <-r.probing }()
	case <-ctx.Done():
		return
	}
	r.mu.Lock()
	stale := r.round == seen
	r.mu.Unlock()
	if !stale {
		return
	}

	if !r.look(ctx, r.providers) {
		return // the caller gave up: the next one looks again
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.round++
}

// RefreshSome probes the agents of which which says so, as [Registry.Refresh] does all.
func (r *Registry) RefreshSome(ctx context.Context, which func(Status) bool) {
	var some []Provider
	for i, d := range r.described() {
		if which(d.Status) {
			some = append(some, r.providers[i])
		}
	}
	if len(some) == 0 {
		return
	}
	select {
	case r.probing <- struct{}{}:
		defer func() { <-r.probing }()
		r.look(ctx, some)
	case <-ctx.Done():
	}
}

// look probes some agents, and reports whether it was not broken off. The caller has
// the token.
func (r *Registry) look(ctx context.Context, some []Provider) bool {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	var wg sync.WaitGroup
	for _, p := range some {
		wg.Go(func() {
			s := probe(ctx, p)
			if ctx.Err() != nil && s.State != StateReady {
				// The probe was cut off: what it says is not the agent's state.
				if gaveUp(ctx) {
					return // and what was known stays
				}
				s = Status{
					State:   StateBroken,
					Message: p.Info().Name + " did not answer in time.",
					Hint:    "Look again in a moment.",
				}
			}
			s.Checked = &wire.Time{Time: time.Now().UTC().Truncate(time.Millisecond)}
			r.mu.Lock()
			defer r.mu.Unlock()
			r.found[p.Info().ID] = s
		})
	}
	wg.Wait()
	return !gaveUp(ctx)
}

// gaveUp reports whether who asked for a probe left before it was done, which
// says nothing about the agent.
func gaveUp(ctx context.Context) bool { return errors.Is(context.Cause(ctx), context.Canceled) }

// probe calls p.Probe; a panic in it makes that one agent broken.
func probe(ctx context.Context, p Provider) (s Status) {
	defer func() {
		if v := recover(); v != nil {
			s = Status{State: StateBroken, Message: fmt.Sprintf("The probe failed: %v", v), Hint: "Please report this."}
		}
	}()
	return p.Probe(ctx)
}

func (r *Registry) described() []Described {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Described, 0, len(r.providers))
	for _, p := range r.providers {
		info := p.Info()
		info.Models, info.Efforts, info.Tiers = listed(info.Models), listed(info.Efforts), listed(info.Tiers)
		s, ok := r.found[info.ID]
		if !ok {
			s = Status{State: StateUnknown, Message: "Signalbox is looking whether " + info.Name + " can run."}
		}
		list = append(list, Described{Info: info, Status: s})
	}
	return list
}

// listed makes a list that is missing an empty one: clients get no null.
func listed(choices []Choice) []Choice {
	if choices == nil {
		return []Choice{}
	}
	return choices
}
