package eventlog

import (
	"sync"

	"signalbox/backend/wire"
)

// changes are the logs that changed since somebody last asked. A log that changes
// often is in it once, so it is bounded by the number of logs.
type changes struct {
	// wake holds one signal that logs may not be empty; more would add nothing.
	wake chan struct{}

	mu   sync.Mutex
	logs []*Log
}

// note adds l, once. It costs a log that is noted already one look.
func (c *changes) note(l *Log) {
	if !l.noted.CompareAndSwap(false, true) {
		return
	}
	c.mu.Lock()
	c.logs = append(c.logs, l)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Changed returns a channel that has a value when [Store.TakeChanged] may return
// something. It is for one reader.
func (s *Store) Changed() <-chan struct{} { return s.changes.wake }

// TakeChanged returns the chats whose logs were appended to, replaced or forked
// since the last call, each once. What happens to one after that is in the next.
func (s *Store) TakeChanged() []wire.ChatID {
	s.changes.mu.Lock()
	logs := s.changes.logs
	s.changes.logs = nil
	s.changes.mu.Unlock()
	chats := make([]wire.ChatID, len(logs))
	for i, l := range logs {
		chats[i] = l.chat
		l.noted.Store(false) // before the caller reads the log
	}
	return chats
}
