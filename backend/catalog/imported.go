package catalog

import "signalbox/backend/wire"

// Imported returns the chats that were made of agents' sessions, by the session.
// Those in the trash are not among them.
func (c *Catalog) Imported() map[string]wire.ChatID {
	c.mu.RLock()
	defer c.mu.RUnlock()
	all := map[string]wire.ChatID{}
	for id, e := range c.chats {
		if m := e.meta; m.Imported != "" && m.Trashed == nil {
			all[m.Imported] = id
		}
	}
	return all
}
