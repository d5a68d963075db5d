package runhub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
	"signalbox/backend/chat"
	"signalbox/backend/fault"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// run is what one prompt starts. What is set before its goroutine begins is
// never changed.
type run struct {
	hub        *Hub
	room       *room
	id         wire.RunID
	by         wire.Person
	prompt     Prompt
	selection  wire.Selection
	provider   agent.Provider
	cwd        string
	session    string     // of the agent, to resume
	unfinished wire.RunID // an earlier run that has no complete
	started    wire.Time
	receipt    *receipt
	cancel     context.CancelCauseFunc
	// again makes a held run look whether its processes are gone. Whoever wants
	// that sends and never waits: one that lies there already is enough.
	again chan struct{}

	phase wire.Phase     // guarded by room.mu
	left  []proc.Process // guarded by room.mu

	// Of the run's goroutine.
	sink     *sink
	children *children
}

// stopped is the cause of a run that a person stopped.
type stopped struct{ by wire.Person }

func (s *stopped) Error() string { return "stopped by " + s.by.Name }

// unwritable is the cause of a run whose events the log refuses.
type unwritable struct{ err error }

func (u *unwritable) Error() string { return "write the log: " + u.err.Error() }
func (u *unwritable) Unwrap() error { return u.err }

// live is the run's goroutine, from the prompt to the free lock. ctx ends with
// the run, base when the daemon ends.
func (r *run) live(ctx, base context.Context) {
	log := r.hub.log.With("chat", r.room.id, "run", r.id, "agent", r.selection.Agent)
	r.sink = &sink{
		log: r.room.log, run: r.id, board: r.room.board,
		failed: func(err error) { r.cancel(&unwritable{err}) },
	}
	r.children = &children{run: r, log: log}
	saved, err := r.save(ctx)
	if !saved {
		log.Error("prompt not saved", "err", err)
		r.room.free()
		r.receipt.settle(wire.PromptResult{}, errNotSaved(err))
		return
	}
	log.Info("run started")
	r.note(log)

	var end ending
	if err != nil {
		end.err = err
	} else {
		end = r.converse(ctx, log)
	}
	r.room.enter(r, wire.PhaseStopping)
	end.left = r.children.end()
	end.cause = context.Cause(ctx)
	complete, events := end.verdict()
	complete.MS = time.Since(r.started.Time).Milliseconds()
	if !r.finish(base, log, append(events, complete)) {
		return // the daemon ends first: the next one completes the run
	}
	r.settle(base, log, complete, end.left)
	log.Info("run ended", "status", complete.Status, "code", complete.Code, "dur", time.Since(r.started.Time))
	r.room.free()
}

// save logs the prompt, makes it durable and answers its sender. It reports
// whether the prompt is in the log; with an error it is not durable there.
func (r *run) save(ctx context.Context) (bool, error) {
	var ds []wire.Draft
	if r.unfinished != "" {
		d, err := wire.NewDraft(r.unfinished, interrupted())
		if err != nil {
			return false, err
		}
		ds = append(ds, d)
	}
	d, err := wire.NewDraft(r.id, wire.User{
		Text: r.prompt.Text, ClientID: r.prompt.ClientID, By: r.by, Selection: r.selection,
	})
	if err != nil {
		return false, err
	}
	seq, err := r.room.log.Append(append(ds, d)...)
	if err != nil {
		return false, err
	}
	r.room.remember(d.AppendLine(nil, seq, r.started))
	// A prompt that is in the log is everybody's: stopping the run does not
	// stop it from becoming durable.
	if err := r.room.log.Sync(context.WithoutCancel(ctx)); err != nil {
		r.receipt.settle(wire.PromptResult{}, errNotSaved(err))
		return true, fmt.Errorf("sync prompt: %w", err)
	}
	r.receipt.settle(wire.PromptResult{ClientID: r.prompt.ClientID, Run: r.id, Seq: seq}, nil)
	return true, nil
}

func errNotSaved(err error) error {
	return fault.New(fault.Unavailable, "The prompt could not be saved.").
		WithHint("Look whether the disk is full or read-only, then send it again.").Because(err)
}

// interrupted is the end of a run of which nobody knows how it went on.
func interrupted() wire.Complete {
	return wire.Complete{Status: wire.StatusInterrupted, Notice: "Signalbox ended before the run did."}
}

// note tells the list of chats about the prompt.
func (r *run) note(log *slog.Logger) {
	_, err := r.hub.chats.Update(r.room.id, func(m *catalog.Meta) error {
		now := catalog.Now()
		m.Active = now
		m.MarkRead(r.by.ID, now)
		m.Selected, m.SelectedBy, m.SelectedAt = r.selection, r.by.ID, now
		if m.Title == "" {
			m.Title, m.TitleSource = chat.Title(r.prompt.Text), catalog.TitleAuto
		}
		return nil
	})
	if err != nil {
		log.Warn("chat's metadata not updated", "err", err)
	}
}

// finish logs the end of the run and makes it durable. It tries until the log
// takes it and gives up only when the daemon ends.
func (r *run) finish(base context.Context, log *slog.Logger, evs []wire.Event) bool {
	const first, most = 100 * time.Millisecond, 5 * time.Second
	for wait := first; ; wait = min(2*wait, most) {
		err := r.sink.finish(evs...)
		if err == nil {
			break
		}
		log.Error("end of run not logged", "err", err)
		select {
		case <-time.After(wait):
		case <-base.Done():
			return false
		}
	}
	if err := r.room.log.Sync(context.WithoutCancel(base)); err != nil {
		log.Error("end of run not synced", "err", err)
	}
	return true
}

// settle does what is left between the end of the run and the free lock.
func (r *run) settle(base context.Context, log *slog.Logger, c wire.Complete, left []proc.Process) {
	present := r.room.board.present()
	_, err := r.hub.chats.Update(r.room.id, func(m *catalog.Meta) error {
		now := catalog.Now()
		m.Verdict, m.Active = c.Status, now
		for _, p := range present {
			m.MarkRead(p.ID, now)
		}
		return nil
	})
	if err != nil {
		log.Warn("chat's metadata not updated", "err", err)
	}
	if len(left) > 0 && !r.hold(base, left) {
		return // the record stays, for the next daemon
	}
	if err := r.hub.removeRecord(r.room.id); err != nil {
		log.Warn("record of the run not removed", "err", err)
	}
}

// hold keeps the chat until the processes are gone; false if the daemon ends
// before.
func (r *run) hold(base context.Context, left []proc.Process) bool {
	const every = 2 * time.Second
	for {
		r.room.setLeft(r, left)
		r.room.enter(r, wire.PhaseHeld)
		select {
		case <-time.After(every):
		case <-r.again:
		case <-base.Done():
			return false
		}
		if left = living(left); len(left) == 0 {
			return true
		}
	}
}

func (r *room) setLeft(live *run, left []proc.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	live.left = left
}

// lookAgain is called with room.mu held.
func (r *run) lookAgain() {
	select {
	case r.again <- struct{}{}:
	default:
	}
}

// leftNames is called with room.mu held.
func (r *run) leftNames() string { return names(r.left) }

func names(ps []proc.Process) string {
	list := make([]string, len(ps))
	for i, p := range ps {
		list[i] = p.String()
	}
	return strings.Join(list, ", ")
}

// ending is how a run came to its end.
type ending struct {
	result agent.Result
	err    error          // a fault on our side
	cause  error          // why the run's context ended; nil if it did not
	left   []proc.Process // what could not be ended
}

// verdict returns the run's complete and the events that go before it.
func (e *ending) verdict() (wire.Complete, []wire.Event) {
	c := wire.Complete{
		Status: e.result.Status, Code: e.result.Code, Notice: e.result.Notice,
		Usage: e.result.Usage, Turn: e.result.Turn,
	}
	var evs []wire.Event
	fail := func(code, message, hint string) {
		c.Status, c.Code = wire.StatusFailed, code
		evs = append(evs, wire.Error{Code: code, Message: message, Hint: hint})
	}
	person, byPerson := errors.AsType[*stopped](e.cause)
	refused, byLog := errors.AsType[*unwritable](e.cause)
	switch {
	case len(e.left) > 0:
		fail("processes_left", "Processes of this run could not be ended: "+names(e.left)+".",
			"End them by hand; the chat is free again once they are gone.")
		c.Notice = "Left running: " + names(e.left) + "."
	case byLog:
		fail("log_refused", "The run was stopped, since its events could not be saved: "+plain(refused.err)+".",
			"Look whether the disk is full, then go on with another prompt.")
	case errors.Is(e.cause, errShutdown):
		c.Status, c.Code, c.Notice = wire.StatusInterrupted, "shutdown", "Signalbox was stopped during the run."
	case byPerson:
		c.Status, c.Code, c.Notice = wire.StatusCancelled, "", "Stopped by "+person.by.Name+"."
	case e.err != nil:
		f, ok := errors.AsType[*fault.Error](e.err)
		if !ok {
			f = fault.New(fault.Internal, "The agent could not be run, through a fault of Signalbox.").
				WithHint("Send the prompt again; what happened is in the daemon's log.")
		}
		fail(string(f.Code), f.Message, f.Hint)
	case !ended(e.result.Status):
		fail("no_verdict", "The agent ended without saying how the run went.", "Look at what it did, then send the prompt again.")
	}
	return c, evs
}

// ended reports whether an agent may end a run with s.
func ended(s wire.Status) bool {
	switch s {
	case wire.StatusOK, wire.StatusCancelled, wire.StatusFailed, wire.StatusMaxIterations, wire.StatusInterrupted:
		return true
	default:
		return false
	}
}

// plain returns the innermost words of err: what the system said, without paths.
func plain(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
