package app

import (
	"log/slog"
	"os"

	"signalbox/backend/agent"
	"signalbox/backend/agent/claude"
	"signalbox/backend/agent/demo"
	"signalbox/backend/config"
	"signalbox/backend/wire"
)

// AgentIDs are the agents that have settings.
func AgentIDs() []wire.AgentID { return []wire.AgentID{claude.ID} }

// newAgents returns the agents in the order in which they are offered.
func newAgents(cfg *config.Config, exe string, log *slog.Logger) (*agent.Registry, error) {
	set := cfg.Providers[claude.ID]
	c := claude.New(claude.Options{Path: set.Path, Env: revealed(set), Log: log})

	if exe == "" {
		var err error
		if exe, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	d, err := demo.New(demo.Options{Command: []string{exe, "demo-agent"}})
	if err != nil {
		return nil, err
	}
	return agent.NewRegistry(c, d)
}

// revealed is what the settings add to an agent's environment.
func revealed(p config.Provider) map[string]string {
	env := make(map[string]string, len(p.Env))
	for name, value := range p.Env {
		env[name] = value.Reveal()
	}
	return env
}
