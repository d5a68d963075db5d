package app

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/claude"
	"signalbox/backend/agent/codex"
	"signalbox/backend/agent/demo"
	"signalbox/backend/agent/kimi"
	"signalbox/backend/config"
	"signalbox/backend/wire"
)

// AgentIDs are the agents that have settings.
func AgentIDs() []wire.AgentID { return []wire.AgentID{claude.ID, codex.ID, kimi.ID} }

// newAgents returns the agents in the order in which they are offered.
func newAgents(cfg *config.Config, exe string, log *slog.Logger) (*agent.Registry, error) {
	set := cfg.Providers[claude.ID]
	c := claude.New(claude.Options{Path: set.Path, Env: revealed(set), Log: log})
	set = cfg.Providers[codex.ID]
	x := codex.New(codex.Options{Path: set.Path, Env: revealed(set), Log: log})
	set = cfg.Providers[kimi.ID]
	k := kimi.New(kimi.Options{Path: set.Path, Env: revealed(set), Log: log})

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
	return agent.NewRegistry(c, x, k, d)
}

// watchAgents looks at the agents at once and again until ctx ends: soon where
// one is not ready, since somebody may just be installing it.
func watchAgents(ctx context.Context, agents *agent.Registry) error {
	const (
		soon = time.Minute
		late = time.Hour
	)
	for {
		agents.Refresh(ctx)
		wait := late
		for _, d := range agents.Statuses(ctx) {
			if d.Status.State != agent.StateReady {
				wait = soon
			}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
	}
}

// mcpServers are the MCP servers of the settings, as agents are given them.
func mcpServers(cfg *config.Config) []agent.MCPServer {
	var list []agent.MCPServer
	for _, name := range slices.Sorted(maps.Keys(cfg.MCP)) {
		s := cfg.MCP[name]
		server := agent.MCPServer{Name: name, URL: s.URL, Env: plain(s.Env), Headers: plain(s.Headers)}
		if s.URL == "" {
			server.Command = append([]string{s.Command}, s.Args...)
		}
		list = append(list, server)
	}
	return list
}

// revealed is what the settings add to an agent's environment.
func revealed(p config.Provider) map[string]string { return plain(p.Env) }

// plain is what secrets hold.
func plain(secrets map[string]config.Secret) map[string]string {
	all := make(map[string]string, len(secrets))
	for name, value := range secrets {
		all[name] = value.Reveal()
	}
	return all
}
