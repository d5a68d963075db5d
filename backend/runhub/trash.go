package runhub

import (
	"context"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Trash stops the chat's run, waits until its lock is free and puts the chat into
// the trash. Who follows it is told that it is gone. Queue, drafts and all else
// of the chat go with it, and come back with it.
//
// Faults: not_found; busy where processes of the run cannot be ended, or ctx ends
// before they are. The chat is then as it was.
func (h *Hub) Trash(ctx context.Context, chat wire.ChatID, by wire.Person) error {
	room, err := h.listed(chat)
	if err != nil {
		return err
	}
	if err := room.leave(ctx, by); err != nil {
		return err
	}
	h.log.Info("chat deleted", "chat", chat, "user", by.ID)
	return nil
}

// Untrash takes the chat out of the trash (fault not_found when it is not there).
func (h *Hub) Untrash(chat wire.ChatID, by wire.Person) error {
	if err := h.chats.Untrash(chat); err != nil {
		return err
	}
	if _, err := h.listed(chat); err != nil { // with its queue
		h.log.Error("chat from the trash not opened", "chat", chat, "err", err)
	}
	h.log.Info("chat taken out of the trash", "chat", chat, "user", by.ID)
	return nil
}

// Purge deletes a chat that lies in the trash for good.
func (h *Hub) Purge(chat wire.ChatID, by wire.Person) error {
	if err := h.chats.Purge(chat); err != nil {
		return err
	}
	h.log.Info("chat deleted for good", "chat", chat, "user", by.ID)
	return nil
}

func errGone() error {
	return fault.New(fault.NotFound, "The chat was deleted.").WithHint("It may still be in the trash.")
}

// leave empties the room for good. With an error all is as it was.
func (r *room) leave(ctx context.Context, by wire.Person) error {
	r.lean(1) // nothing starts from here on
	err := r.vacate(ctx, by)
	r.lean(-1)
	if err != nil {
		r.door.Lock()
		defer r.door.Unlock()
		r.advance(context.WithoutCancel(ctx)) // what would have been sent meanwhile
	}
	return err
}

// leaves reports whether the chat is in the trash or about to go there: nothing
// may start any more. The door is held.
func (r *room) leaves() bool { return r.leaving > 0 || r.gone }

func (r *room) lean(n int) {
	r.door.Lock()
	defer r.door.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leaving += n
}

// vacate stops what runs and puts the chat into the trash.
func (r *room) vacate(ctx context.Context, by wire.Person) error {
	for {
		changed, err := r.stop(by)
		if err != nil {
			return err
		}
		if changed == nil {
			return r.close(by)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fault.New(fault.Busy, "The chat's run does not end, so the chat was not deleted.").
				WithHint("Wait until it has ended, then delete the chat again.").Because(context.Cause(ctx))
		}
	}
}

// stop stops what runs and returns what is closed when that has come further; nil
// when nothing runs.
func (r *room) stop(by wire.Person) (<-chan struct{}, error) {
	r.door.Lock()
	defer r.door.Unlock()
	if r.run == nil {
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run.phase == wire.PhaseHeld {
		err := errBusy(r.run)
		return nil, err.WithHint("The chat was not deleted. End them, then delete it again.")
	}
	if order(r.run.phase) < order(wire.PhaseStopping) {
		r.run.cancel(&stopped{by: by})
		r.enterLocked(r.run, wire.PhaseStopping)
	}
	return r.changed, nil
}

// close puts the chat, in which nothing runs, into the trash.
func (r *room) close(by wire.Person) error {
	r.door.Lock()
	defer r.door.Unlock()
	if r.gone {
		return errGone()
	}
	if err := r.hub.chats.Trash(r.id, by); err != nil {
		return err
	}
	r.mu.Lock()
	r.gone = true
	r.mu.Unlock()
	r.hub.clock.set(r.id, nil)
	r.hub.forget(r)
	r.board.close(errGone())
	return nil
}

// forget makes the chat's next room another one.
func (h *Hub) forget(r *room) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rooms[r.id] == r {
		delete(h.rooms, r.id)
	}
}
