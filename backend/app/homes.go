package app

import (
	"os"

	"signalbox/backend/config"
	"signalbox/backend/history"
	"signalbox/backend/wire"
)

// homes returns where agents keep their sessions.
func homes(cfg *config.Config) map[wire.AgentID]string { return history.Homes(variable(cfg)) }

// variable returns a variable of the agents' environment: as the settings tell it,
// else as the daemon's own has it.
func variable(cfg *config.Config) func(name string) string {
	return func(name string) string {
		for _, p := range cfg.Providers {
			if v, ok := p.Env[name]; ok && v != "" {
				return v.Reveal()
			}
		}
		return os.Getenv(name)
	}
}
