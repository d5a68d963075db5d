package runhub

import (
	"os"
	"path/filepath"

	"signalbox/backend/wire"
)

// privatePath is the folder for what the agent of a run must be told on no command
// line. It holds secrets, so it lasts no longer than the run: the run's supervisor
// removes it, too, where the daemon is dead.
func (h *Hub) privatePath(chat wire.ChatID, run wire.RunID) string {
	return filepath.Join(h.privateRoot(chat), string(run))
}

func (h *Hub) privateRoot(chat wire.ChatID) string { return filepath.Join(h.logs.Dir(chat), "private") }

// clearPrivate removes those folders, also one that a dead daemon left.
func (h *Hub) clearPrivate(chat wire.ChatID) {
	if err := os.RemoveAll(h.privateRoot(chat)); err != nil {
		h.log.Warn("private folder of a run not removed", "chat", chat, "err", err)
	}
}
