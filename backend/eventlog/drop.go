package eventlog

import (
	"time"

	"signalbox/backend/fault"
)

// DropRewound deletes what rewinds and clears took out of the log, and the bodies
// that only that referred to: it cannot be brought back any more.
func (l *Log) DropRewound() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	epochs, err := l.tails()
	if err != nil {
		return err
	}
	for _, e := range epochs {
		if err := l.store.disk.Remove(l.tailName(e)); err != nil {
			return fault.Disk("delete what was taken out of the chat", err)
		}
	}
	if len(epochs) == 0 {
		return nil
	}
	return fault.Disk("delete bodies", l.sweepLocked(time.Now()))
}
