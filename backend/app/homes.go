package app

import (
	"os"

	"signalbox/backend/config"
	"signalbox/backend/history"
	"signalbox/backend/wire"
)

// homes returns where agents keep their sessions: as the settings tell them, else
// as the daemon's environment does.
func homes(cfg *config.Config) map[wire.AgentID]string {
	return history.Homes(func(name string) string {
		for _, p := range cfg.Providers {
			if v, ok := p.Env[name]; ok && v != "" {
				return v.Reveal()
			}
		}
		return os.Getenv(name)
	})
}
