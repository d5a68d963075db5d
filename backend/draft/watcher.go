package draft

import (
	"signalbox/backend/internal/latest"
	"signalbox/backend/wire"
)

// Watcher tells one person which of their drafts changed. Of one that changed
// often while nobody asked it tells the last. One goroutine uses Take; any may
// Close.
type Watcher struct {
	s       *Store
	who     wire.UserID
	changed *latest.Set[wire.ChatID]
}

// Watch begins to watch the person's drafts. What changed before is not told.
func (s *Store) Watch(who wire.UserID) *Watcher {
	w := &Watcher{s: s, who: who, changed: latest.New[wire.ChatID]()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchers[w] = struct{}{}
	return w
}

// Woken returns a channel that has a value once there may be something to take.
func (w *Watcher) Woken() <-chan struct{} { return w.changed.Woken() }

// Take returns what changed. A draft may have 1 MB, so it is one at a time.
func (w *Watcher) Take() []wire.Frame {
	for _, in := range w.changed.Take(1) {
		d, err := w.s.Get(in, w.who)
		if err == nil {
			return []wire.Frame{wire.DraftChanged{Chat: in, Draft: d}}
		}
		w.s.log.Warn("draft not told", "chat", in, "user", w.who, "err", err)
	}
	return nil
}

// Close ends the watch. It may be called more than once.
func (w *Watcher) Close() {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	delete(w.s.watchers, w)
}

func (s *Store) tell(in wire.ChatID, who wire.UserID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watchers {
		if w.who == who {
			w.changed.Note(in)
		}
	}
}
