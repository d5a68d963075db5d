package runhub

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"signalbox/backend/catalog"
	"signalbox/backend/chat"
	"signalbox/backend/fault"
	"signalbox/backend/internal/atomicfile"
	"signalbox/backend/queue"
	"signalbox/backend/wire"
)

// Queue returns the prompts that wait for the chat's lock.
func (h *Hub) Queue(chat wire.ChatID) (wire.Queue, error) {
	room, err := h.listed(chat)
	if err != nil {
		return wire.Queue{}, err
	}
	room.mu.Lock()
	defer room.mu.Unlock()
	return room.queue.Frame(), nil
}

// Change is what becomes of a prompt that waits: of what is nil nothing.
type Change struct {
	Text *string // the text is then that of the person who changes it
	To   *int    // the place, from 1
	// Rev, if it is not 0, is that of the queue on which the change is based: if
	// the prompt, or for To the order, was changed since, it is a conflict.
	Rev uint64
}

// ChangeQueued changes a prompt that waits and returns the queue as it now is. A
// change is durable when it returns; with an error nothing has changed.
//
// Faults: invalid, too_large, not_found, conflict, busy where the queue has no room
// for the text, unavailable.
func (h *Hub) ChangeQueued(chatID wire.ChatID, by wire.Person, clientID string, c Change) (wire.Queue, error) {
	if c.Text == nil && c.To == nil {
		return wire.Queue{}, fault.New(fault.Invalid, "Nothing is said that should change.").
			WithHint("Send a text, a place, or both.")
	}
	if c.Text != nil {
		if err := chat.CheckText(*c.Text); err != nil {
			return wire.Queue{}, err
		}
	}
	return h.changeQueue(chatID, clientID, func(q queue.Queue) (_ queue.Queue, err error) {
		if c.To != nil {
			if q, err = q.Move(clientID, *c.To, c.Rev); err != nil {
				return q, err
			}
		}
		if c.Text != nil {
			return q.Edit(clientID, *c.Text, by, c.Rev)
		}
		return q, nil
	})
}

// RemoveQueued takes a prompt that waits out of the queue. Its client id then
// sends nothing more.
func (h *Hub) RemoveQueued(chat wire.ChatID, clientID string, rev uint64) (wire.Queue, error) {
	return h.changeQueue(chat, clientID, func(q queue.Queue) (queue.Queue, error) {
		return q.Remove(clientID, rev)
	})
}

// ResumeQueue makes a paused queue move on. One that moves on stays as it is.
func (h *Hub) ResumeQueue(ctx context.Context, chat wire.ChatID) (wire.Queue, error) {
	room, err := h.listed(chat)
	if err != nil {
		return wire.Queue{}, err
	}
	if err := h.begun(ctx); err != nil {
		return wire.Queue{}, err
	}
	room.door.Lock()
	defer room.door.Unlock()
	if err := room.keep(room.queue.Resume()); err != nil {
		return wire.Queue{}, err
	}
	room.advance(ctx)
	return room.queue.Frame(), nil
}

func (h *Hub) changeQueue(chat wire.ChatID, clientID string, change func(queue.Queue) (queue.Queue, error)) (wire.Queue, error) {
	room, err := h.listed(chat)
	if err != nil {
		return wire.Queue{}, err
	}
	room.door.Lock()
	defer room.door.Unlock()
	if room.sending != "" && room.sending == clientID {
		return wire.Queue{}, fault.New(fault.Conflict, "The prompt is being sent just now.").
			WithHint("Nothing was changed. Stop the run if it should not go on.")
	}
	next, err := change(room.queue)
	if err != nil {
		return wire.Queue{}, err
	}
	if err := room.keep(next); err != nil {
		return wire.Queue{}, err
	}
	return room.queue.Frame(), nil
}

// admit starts the run if the chat is free, and else does with its prompt what the
// sender wants: queue it, refuse it, or stop the live run for it. It returns the
// receipt to wait for, which is that of the same prompt if it came before.
func (r *room) admit(ctx context.Context, next *run) (*receipt, error) {
	if err := r.enterDoor(ctx); err != nil {
		return nil, err
	}
	defer r.door.Unlock()
	if earlier, err := r.earlier(&next.prompt); earlier != nil || err != nil {
		return earlier, err
	}
	if r.leaves() {
		return nil, errGone()
	}
	_, waits := r.queue.Next()
	switch {
	case r.run == nil && !waits:
		return r.beginInstead(next)
	case next.prompt.WhenBusy == whenBusyReject:
		return nil, r.refused()
	}
	place, err := r.enqueue(next)
	if err != nil {
		return nil, err
	}
	if next.prompt.WhenBusy == whenBusyInterrupt {
		r.interrupt(next.by)
	}
	return settled(wire.PromptResult{ClientID: next.prompt.ClientID, Queued: place}), nil
}

// refused says what holds the chat: a run, or prompts whose turn it is.
func (r *room) refused() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run != nil {
		return errBusy(r.run)
	}
	return fault.New(fault.Busy, "Prompts wait in this chat's queue.").
		WithHint("Nothing was sent. Queue it, or wait until they are sent.")
}

// beginInstead starts the run of a prompt that did not wait. What was to go on
// with an earlier run is left: the chat goes on by this prompt.
func (r *room) beginInstead(next *run) (*receipt, error) {
	if err := r.afford(next, time.Now()); err != nil {
		return nil, err
	}
	if err := r.keep(r.queue.DropContinuations()); err != nil {
		return nil, err
	}
	return r.begin(next)
}

func (r *room) enqueue(next *run) (int, error) {
	p := next.prompt
	q, place, err := r.queue.Add(wire.QueuedItem{
		ClientID: p.ClientID, Text: p.Text, By: next.by, At: catalog.Now(), Selection: next.selection,
		Skills: p.Skills, Attachments: p.Attachments, Continues: p.continues,
		Interrupts: p.WhenBusy == whenBusyInterrupt,
	})
	if err != nil {
		if f, ok := errors.AsType[*fault.Error](err); ok && r.run != nil {
			f.Run = string(r.run.id)
		}
		return 0, err
	}
	return place, r.keep(q)
}

// interrupt stops the live run for the sake of a prompt that waits.
func (r *room) interrupt(by wire.Person) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if live := r.run; live != nil && order(live.phase) < order(wire.PhaseStopping) {
		live.cancel(&stopped{by: by, instead: true})
		r.enterLocked(live, wire.PhaseStopping)
	}
}

// advance sends the first prompt that waits, if neither a run nor a pause holds it
// back. The door is held.
func (r *room) advance(ctx context.Context) {
	for r.run == nil && !r.leaves() {
		it, ok := r.queue.Next()
		if !ok {
			return
		}
		next, err := r.fromQueue(ctx, it)
		if err == nil {
			err = r.afford(next, time.Now())
		}
		switch {
		case errors.Is(err, errOvertaken):
			if err := r.keep(r.queue.DropContinuations()); err != nil {
				r.hub.log.Error("queue not saved", "chat", r.id, "err", err)
				return
			}
			continue
		case err != nil:
			r.refuse(it, err)
			return
		}
		if _, err := r.begin(next); err != nil {
			if r.hub.stopping() {
				return // the next daemon finds the queue as it is
			}
			r.refuse(it, err)
			return
		}
		r.sending = it.ClientID
	}
}

// errOvertaken says that a run was not continued in time: another came after it.
var errOvertaken = errors.New("another run came in between")

// fromQueue judges anew whether the prompt may be sent, and with what.
func (r *room) fromQueue(ctx context.Context, it wire.QueuedItem) (*run, error) {
	if it.Continues != "" {
		last, err := r.lastRun()
		if err != nil {
			return nil, err
		}
		if last.ID != it.Continues {
			return nil, errOvertaken
		}
	}
	if err := r.hub.may(it.By); err != nil {
		return nil, err
	}
	meta, err := r.hub.chats.Get(r.id)
	if err != nil {
		return nil, err
	}
	selection, provider, err := r.hub.choose(ctx, it.By, meta, it.Selection)
	if err != nil {
		return nil, err
	}
	next := &run{
		hub: r.hub, room: r, by: it.By, selection: selection, provider: provider, cwd: meta.Cwd, queued: true,
		prompt: Prompt{
			ClientID: it.ClientID, Text: it.Text, Selection: it.Selection,
			Skills: it.Skills, Attachments: it.Attachments, continues: it.Continues,
		},
	}
	return next, nil
}

// sent takes the live run's prompt out of the queue, as the log holds it.
func (r *room) sent(live *run) {
	r.door.Lock()
	defer r.door.Unlock()
	r.sending = ""
	r.put(r.queue.Sent(live.prompt.ClientID))
}

// refuse pauses the queue, as its first prompt cannot be sent.
func (r *room) refuse(it wire.QueuedItem, why error) {
	r.hub.log.Warn("queued prompt not sent", "chat", r.id, "err", why)
	r.put(r.queue.Refused(it.ClientID, faultOf(why), catalog.Now()))
}

// faultOf is err as clients may see it.
func faultOf(err error) wire.Fault {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		f = fault.New(fault.Internal, "The prompt could not be sent, through a fault of Signalbox.").
			WithHint("Resume the queue to try again; what happened is in the daemon's log.")
	}
	return wire.Fault{Code: string(f.Code), Message: f.Message, Hint: f.Hint, Run: wire.RunID(f.Run)}
}

// over frees the lock after the live run and sends what waits, so that nobody
// comes in between. complete is nil for a run that never began.
func (r *room) over(ctx context.Context, live *run, complete *wire.Complete, cause error) {
	r.door.Lock()
	defer r.door.Unlock()
	switch {
	case complete != nil:
		r.put(r.rest(live, *complete, cause))
	case live.queued:
		r.sending = ""
		r.refuse(wire.QueuedItem{ClientID: live.prompt.ClientID}, cause)
	}
	r.mu.Lock()
	r.run = nil
	r.mu.Unlock()
	r.advance(ctx)
	if r.run == nil {
		r.mu.Lock()
		r.showLocked(wire.Sync{Phase: wire.PhaseIdle})
		r.mu.Unlock()
	}
}

// rest is the queue after a run: it pauses unless that ended well, or was stopped
// for the prompt that is the first.
func (r *room) rest(live *run, complete wire.Complete, cause error) queue.Queue {
	q := r.queue
	if complete.Status == wire.StatusOK || q.Interrupts() {
		return q
	}
	pause := wire.QueuePause{Reason: string(complete.Status), Since: catalog.Now()}
	if person, ok := errors.AsType[*stopped](cause); ok {
		pause.By = &person.by
	}
	switch complete.Code {
	case codeShutdown:
		pause.Reason = wire.PauseRestart
	case codeRateLimited:
		pause.Reason = wire.PauseRateLimit
		q, pause.Until = r.continueAlone(q, live)
	}
	return q.Pause(pause)
}

// keep saves the queue and lets it count. With an error nothing has changed. The
// door is held.
func (r *room) keep(next queue.Queue) error {
	if next.Rev() == r.queue.Rev() {
		return nil
	}
	if err := r.saveQueue(next); err != nil {
		return err
	}
	r.setQueue(next)
	return nil
}

// put lets the queue count also if it cannot be saved: the next daemon finds it
// older, drops what the log holds, and pauses. The door is held.
func (r *room) put(next queue.Queue) {
	if next.Rev() == r.queue.Rev() {
		return
	}
	if err := r.saveQueue(next); err != nil {
		r.hub.log.Error("queue not saved", "chat", r.id, "err", err)
	}
	r.setQueue(next)
}

func (r *room) saveQueue(q queue.Queue) error {
	if r.gone {
		return errGone() // it may be back already, with another room
	}
	if r.queueErr != nil {
		return r.queueErr
	}
	b, err := q.Encode()
	if err != nil {
		return err
	}
	return atomicfile.Write(r.queuePath(), b, 0o600)
}

func (r *room) setQueue(q queue.Queue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = q
	var until *wire.Time
	if p := q.Paused(); p != nil {
		until = p.Until
	}
	r.hub.clock.set(r.id, until)
	r.hub.chats.SetQueue(r.id, q.Len(), q.Paused() != nil)
	r.board.queue(q.Frame(), r.log.End().Seq)
}

// queueName is the file of a chat's queue, in the chat's folder.
const queueName = "queue.json"

func (r *room) queuePath() string { return filepath.Join(r.hub.logs.Dir(r.id), queueName) }
