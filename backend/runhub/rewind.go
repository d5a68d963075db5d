package runhub

import (
	"slices"
	"strings"

	"signalbox/backend/catalog"
	"signalbox/backend/chat"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Rewind takes the prompt with the event seq and all that follows out of the
// chat, where it is kept for 7 days. The agents' sessions end with it: a next
// run goes on in a copy, or begins a new one.
//
// Faults: not_found where the chat has no such prompt; busy while a run holds
// the chat.
func (h *Hub) Rewind(chat wire.ChatID, by wire.Person, seq uint64) (wire.Cut, error) {
	room, err := h.listed(chat)
	if err != nil {
		return wire.Cut{}, err
	}
	cut, err := room.rewind(by, seq)
	if err != nil {
		return wire.Cut{}, err
	}
	h.log.Info("chat rewound", "chat", chat, "user", by.ID, "seq", seq, "epoch", cut.Epoch)
	return cut, nil
}

// Restore brings back what the cut took out that began the epoch, 0 the last
// one. Faults: not_found where nothing is kept of it; conflict where prompts were
// sent since; busy while a run holds the chat.
func (h *Hub) Restore(chat wire.ChatID, by wire.Person, epoch uint64) error {
	room, err := h.listed(chat)
	if err != nil {
		return err
	}
	if err := room.restore(by, epoch); err != nil {
		return err
	}
	h.log.Info("chat restored", "chat", chat, "user", by.ID, "epoch", epoch)
	return nil
}

// free says why the log cannot be changed now. The door is held, so that no run
// begins before the change is made; one that starts holds the chat already.
func (r *room) free() error {
	switch {
	case r.gone:
		return errGone()
	case r.run == nil:
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err := errBusy(r.run)
	err.Hint = strings.Replace(err.Hint, "Nothing was sent.", "Nothing was changed.", 1)
	return err
}

func (r *room) rewind(by wire.Person, seq uint64) (wire.Cut, error) {
	r.door.Lock()
	defer r.door.Unlock()
	if err := r.free(); err != nil {
		return wire.Cut{}, err
	}
	cut, err := r.cutOff(by, seq)
	if err == nil && r.queue.Len() > 0 {
		// What waits was meant for a chat that went on otherwise.
		r.put(r.queue.Pause(wire.QueuePause{Reason: wire.PauseRewound, Since: catalog.Now(), By: &by}))
	}
	return cut, err
}

func (r *room) cutOff(by wire.Person, seq uint64) (wire.Cut, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.catchUpLocked(); err != nil {
		return wire.Cut{}, err
	}
	prompts := r.state.Prompts()
	at := slices.IndexFunc(prompts, func(p wire.OutlinePrompt) bool { return p.Seq == seq })
	if at < 0 {
		return wire.Cut{}, fault.New(fault.NotFound, "The prompt to go back to is no longer part of the chat.").
			WithHint("Load the chat again.")
	}
	if err := r.spend(r.state.From(seq)); err != nil {
		return wire.Cut{}, err
	}
	if err := r.log.Rewind(seq, r.state.Sessions()); err != nil {
		return wire.Cut{}, err
	}
	epoch := r.log.End().Epoch
	text := cutText{}
	for _, p := range prompts[at:] {
		text = append(text, wire.CutPrompt{Seq: p.Seq, T: p.T, Line: p.Line})
	}
	r.cuts[epoch] = text
	r.backLocked(seq)
	r.changedLocked(by)
	list, err := r.cutsLocked()
	if i := slices.IndexFunc(list, func(c wire.Cut) bool { return c.Epoch == epoch }); i >= 0 {
		return list[i], nil
	}
	if err == nil {
		err = fault.New(fault.Internal, "What was taken out cannot be found.")
	}
	return wire.Cut{}, err
}

func (r *room) restore(by wire.Person, epoch uint64) error {
	r.door.Lock()
	defer r.door.Unlock()
	if err := r.free(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.catchUpLocked(); err != nil {
		return err
	}
	list, err := r.log.Rewound()
	i := 0
	if epoch > 0 {
		i = slices.IndexFunc(list, func(t eventlog.Rewound) bool { return t.Epoch == epoch })
	}
	switch {
	case i >= 0 && i < len(list) && list[i].Restorable:
	case i > 0:
		return fault.New(fault.Conflict, "The chat was changed since, so what was taken out can't return to it.").
			WithHint("Bring back what was taken out later first, or bring this back as a new chat.")
	case i == 0 && len(list) > 0:
		return fault.New(fault.Conflict, "A prompt was sent since, so what was taken out can't return to this chat.").
			WithHint("Bring it back as a new chat.")
	case err != nil:
		return err
	default:
		return errNoCut()
	}
	if err := r.log.Restore(); err != nil {
		return err
	}
	// The tail follows what there is; the sessions are as they were before the
	// last prompt of that.
	if prompts := r.state.Prompts(); len(prompts) > 0 {
		r.backLocked(prompts[len(prompts)-1].Seq)
	}
	r.changedLocked(by)
	return nil
}

func errNoCut() error {
	return fault.New(fault.NotFound, "Nothing is kept of what was taken out there.").
		WithHint("What a rewind takes out is kept for 7 days.")
}

// changedLocked makes the list of chats agree with a log that was changed. It is
// done already, so that what fails here is only logged.
func (r *room) changedLocked(by wire.Person) {
	if err := r.catchUpLocked(); err != nil {
		r.hub.log.Error("changed log not read", "chat", r.id, "err", err)
		return
	}
	present := r.board.present()
	_, err := r.hub.chats.Update(r.id, func(m *catalog.Meta) error {
		m.Happened()
		for _, p := range append(present, by) {
			m.MarkRead(p.ID)
		}
		m.Verdict = r.state.Last().Verdict
		if prompts := r.state.Prompts(); m.TitleSource != catalog.TitleByUser {
			m.Title, m.TitleSource = "", ""
			if len(prompts) > 0 {
				m.Title, m.TitleSource = chat.Title(prompts[0].Line), catalog.TitleAuto
			}
		}
		return nil
	})
	if err != nil {
		r.hub.log.Warn("chat's metadata not updated", "chat", r.id, "err", err)
	}
}
