package runhub

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"signalbox/backend/catalog"
	"signalbox/backend/fault"
	"signalbox/backend/internal/atomicfile"
	"signalbox/backend/queue"
	"signalbox/backend/wire"
)

// loadQueue takes over what an earlier daemon left in queue.json, once for each
// room. What the log holds already was sent; the rest waits for somebody to resume
// it.
func (r *room) loadQueue() {
	r.door.Lock()
	defer r.door.Unlock()
	q, err := r.readQueue()
	if err != nil {
		// Nothing is written over a file that may be whole.
		r.hub.log.Error("queue not read", "chat", r.id, "err", err)
		r.queueErr = fault.New(fault.Unavailable, "The queue of this chat cannot be read.").
			WithHint("Nothing was queued. What is wrong is in the daemon's log.").Because(err)
		return
	}
	if q.Len() > 0 {
		r.mu.Lock()
		err = r.catchUpLocked()
		r.mu.Unlock()
		if err != nil {
			r.hub.log.Error("log not read for the queue", "chat", r.id, "err", err)
			r.queueErr = err
			return
		}
		q = q.Restarted(func(clientID string) bool {
			_, logged := r.state.Prompt(clientID)
			return logged
		}, catalog.Now())
	}
	if q.Rev() > 0 {
		r.put(q)
	}
}

// readQueue returns what queue.json holds. One that is damaged is kept aside, and
// the chat told.
func (r *room) readQueue() (queue.Queue, error) {
	path := r.queuePath()
	b, err := atomicfile.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return queue.Queue{}, nil
	case errors.Is(err, fault.ErrNotPlain):
		return queue.Queue{}, r.setAside(err)
	case err != nil:
		return queue.Queue{}, err
	}
	if err := atomicfile.Sweep(path); err != nil {
		r.hub.log.Warn("temporary files not removed", "chat", r.id, "err", err)
	}
	q, err := queue.Decode(b)
	if _, newer := errors.AsType[*queue.NewerError](err); newer {
		return queue.Queue{}, err
	}
	if err != nil {
		return queue.Queue{}, r.setAside(err)
	}
	return q, nil
}

func (r *room) setAside(damage error) error {
	kept, err := putAside(r.queuePath())
	if err != nil {
		return fmt.Errorf("keep damaged queue: %w", errors.Join(err, damage))
	}
	r.hub.log.Error("queue was damaged and is kept aside", "chat", r.id, "file", kept, "err", damage)
	d, err := wire.NewDraft("", wire.System{
		Level: wire.LevelWarn, Code: "queue_damaged",
		Text: "The queue of this chat could not be read, so that prompts which waited are not sent. The file is kept as " + filepath.Base(kept) + ".",
	})
	if err != nil {
		return err
	}
	if _, err := r.log.Append(d); err != nil {
		r.hub.log.Error("damage of the queue not told", "chat", r.id, "err", err)
	}
	return nil
}

// putAside gives what cannot be read another name, so that nothing is written over
// it, and returns that.
func putAside(path string) (kept string, err error) {
	kept = fmt.Sprintf("%s.damaged-%s", path, time.Now().UTC().Format("20060102T150405.000"))
	return kept, os.Rename(path, kept)
}
