package catalog

import (
	"context"

	"signalbox/backend/internal/latest"
	"signalbox/backend/wire"
)

// Watcher tells one person what changes in the list. It holds which chats
// changed, not how: a chat that changed often while nobody asked is told once,
// as it then is. One goroutine uses Next or Take; any may Close.
type Watcher struct {
	c       *Catalog
	viewer  wire.UserID
	changed *latest.Set[wire.ChatID]
}

// Watch begins to watch on behalf of viewer. What changed before is not told:
// whoever wants the whole list watches first and then asks for it.
func (c *Catalog) Watch(viewer wire.UserID) *Watcher {
	w := &Watcher{c: c, viewer: viewer, changed: latest.New[wire.ChatID]()}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers[w] = struct{}{}
	return w
}

// Next waits until something changed and returns it, or the cause of ctx's end.
func (w *Watcher) Next(ctx context.Context) ([]wire.Frame, error) {
	for {
		if frames := w.Take(); len(frames) > 0 {
			return frames, nil
		}
		select {
		case <-w.Woken():
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Woken returns a channel that has a value once there may be something to take.
func (w *Watcher) Woken() <-chan struct{} { return w.changed.Woken() }

// Take returns what changed, as it now is.
func (w *Watcher) Take() []wire.Frame {
	const atOnce = 64 // so that a long list does not become one long message
	ids := w.changed.Take(atOnce)
	frames := make([]wire.Frame, 0, len(ids))
	for _, id := range ids {
		if s, err := w.c.Summary(id, w.viewer); err == nil {
			frames = append(frames, wire.ChatChanged{Chat: s})
		} else {
			frames = append(frames, wire.ChatRemoved{ID: id})
		}
	}
	return frames
}

// Close ends the watch. It may be called more than once.
func (w *Watcher) Close() {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	delete(w.c.watchers, w)
}

// notifyLocked tells every watcher that the chat changed.
func (c *Catalog) notifyLocked(id wire.ChatID) {
	for w := range c.watchers {
		w.changed.Note(id)
	}
}
