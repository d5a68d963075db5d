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

// watchAgents looks at the agents at once and again until ctx ends: every hour at all of
// them, and in between, more often, at those that somebody may just be installing or
// signing in to.
func watchAgents(ctx context.Context, agents *agent.Registry) error {
	const (
		missing = time.Minute     // which costs next to nothing
		signIn  = 2 * time.Minute // which starts the agent
		all     = time.Hour
	)
	agents.Refresh(ctx)
	for minutes := 1; ; minutes++ {
		select {
		case <-time.After(missing):
		case <-ctx.Done():
			return nil
		}
		switch since := time.Duration(minutes) * missing; {
		case since%all == 0:
			agents.Refresh(ctx)
		case since%signIn == 0:
			agents.RefreshSome(ctx, func(s agent.Status) bool {
				return s.State != agent.StateReady || s.SignIn == agent.SignInMissing
			})
		default:
			agents.RefreshSome(ctx, func(s agent.Status) bool { return s.State != agent.StateReady && s.SignIn == "" })
		}
	}
}

// mcpServers are the MCP servers of the settings, as agents are given them.
func mcpServers(cfg *config.Config) []agent.MCPServer {
	var list []agent.MCPServer
	for _, name := range slices.Sorted(maps.Keys(cfg.MCP)) {
		s := cfg.MCP[name]
		server := agent.MCPServer{Name: name, Skill: s.Skill, URL: s.URL, Env: plain(s.Env), Headers: plain(s.Headers)}
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
