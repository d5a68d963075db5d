package runhub

import (
	"os"
	"path/filepath"

	"signalbox/backend/wire"
)

// privatePath is the folder for what an agent must be told on no command line. It
// holds secrets, so it lasts no longer than the run.
func (h *Hub) privatePath(chat wire.ChatID) string { return filepath.Join(h.logs.Dir(chat), "private") }

// clearPrivate removes that folder, also one that a dead daemon left.
func (h *Hub) clearPrivate(chat wire.ChatID) {
	if err := os.RemoveAll(h.privatePath(chat)); err != nil {
		h.log.Warn("private folder of a run not removed", "chat", chat, "err", err)
	}
}
