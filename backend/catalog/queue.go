package catalog

import "signalbox/backend/wire"

// SetQueue says how many prompts wait in the chat, and whether they wait for
// somebody to resume the queue. It is kept in memory only. An unknown chat is
// ignored.
func (c *Catalog) SetQueue(id wire.ChatID, waiting int, paused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.chats[id]
	if !ok || e.waiting == waiting && e.paused == paused {
		return
	}
	e.waiting, e.paused = waiting, paused
	c.notifyLocked(id)
}
