package catalog

import (
	"context"
	"sync"

	"signalbox/backend/wire"
)

// Watcher tells one person what changes in the list. It holds which chats
// changed, not how: a chat that changed often while nobody asked is told once,
// as it then is. One goroutine uses Next; any may Close.
type Watcher struct {
	c      *Catalog
	viewer wire.UserID
	// woken holds one value when changed may not be empty. The catalog sends
	// and never waits: a full channel says all there is to say.
	woken chan struct{}

	mu      sync.Mutex
	changed map[wire.ChatID]struct{}
	order   []wire.ChatID // the keys of changed, first change first
}

// Watch begins to watch on behalf of viewer. What changed before is not told:
// whoever wants the whole list watches first and then asks for it.
func (c *Catalog) Watch(viewer wire.UserID) *Watcher {
	w := &Watcher{c: c, viewer: viewer, woken: make(chan struct{}, 1), changed: map[wire.ChatID]struct{}{}}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers[w] = struct{}{}
	return w
}

// Next waits until something changed and returns it, or the cause of ctx's end.
func (w *Watcher) Next(ctx context.Context) ([]wire.Frame, error) {
	for {
		if frames := w.take(); len(frames) > 0 {
			return frames, nil
		}
		select {
		case <-w.woken:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Close ends the watch. It may be called more than once.
func (w *Watcher) Close() {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	delete(w.c.watchers, w)
}

func (w *Watcher) take() []wire.Frame {
	const atOnce = 64 // so that a long list does not become one long message
	w.mu.Lock()
	n := min(len(w.order), atOnce)
	ids := append([]wire.ChatID(nil), w.order[:n]...)
	w.order = append(w.order[:0], w.order[n:]...)
	for _, id := range ids {
		delete(w.changed, id)
	}
	w.mu.Unlock()

	frames := make([]wire.Frame, 0, n)
	for _, id := range ids {
		if s, err := w.c.Summary(id, w.viewer); err == nil {
			frames = append(frames, wire.ChatChanged{Chat: s})
		} else {
			frames = append(frames, wire.ChatRemoved{ID: id})
		}
	}
	return frames
}

// notifyLocked tells every watcher that the chat changed.
func (c *Catalog) notifyLocked(id wire.ChatID) {
	for w := range c.watchers {
		w.note(id)
	}
}

func (w *Watcher) note(id wire.ChatID) {
	w.mu.Lock()
	if _, ok := w.changed[id]; !ok {
		w.changed[id] = struct{}{}
		w.order = append(w.order, id)
	}
	w.mu.Unlock()
	select {
	case w.woken <- struct{}{}:
	default:
	}
}
