package runhub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
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
	queued     bool // the prompt waited
	budget     budget
	selection  wire.Selection
	provider   agent.Provider
	cwd        string
	resume     chat.Resumption // how the agent goes on
	unfinished wire.RunID      // an earlier run that has no complete
	started    wire.Time
	receipt    *receipt
	cancel     context.CancelCauseFunc
	over       <-chan struct{} // closed when the run is stopped or has ended
	// again makes a held run look whether its processes are gone. Whoever wants
	// that sends and never waits: one that lies there already is enough.
	again chan struct{}

	desk *desk                      // what the agent asks
	told atomic.Pointer[wire.Usage] // what it used so far, as far as the agent tells

	phase wire.Phase     // guarded by room.mu
	left  []proc.Process // guarded by room.mu
	// ending means that the run's end may be in the log and the lock is freed in a
	// moment. It is guarded by room.mu.
	ending bool

	// Of the run's goroutine.
	sink     *sink
	children *children
}

// stopped is the cause of a run that a person stopped, for the sake of another
// prompt or not.
type stopped struct {
	by      wire.Person
	instead bool
}

func (s *stopped) Error() string { return "stopped by " + s.by.Name }

// unwritable is the cause of a run whose events the log refuses.
type unwritable struct{ err error }

func (u *unwritable) Error() string { return "write the log: " + u.err.Error() }
func (u *unwritable) Unwrap() error { return u.err }

// stopping reports whether the run was stopped or has ended.
func (r *run) stopping() bool {
	select {
	case <-r.over:
		return true
	default:
		return false
	}
}

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
		r.desk.close()
		err = errNotSaved(err)
		r.room.over(base, r, nil, err)
		r.receipt.settle(wire.PromptResult{}, err)
		return
	}
	if r.queued {
		r.room.sent(r)
	}
	log.Info("run started")
	r.note(log)

	var end ending
	if err != nil {
		end.err = err
	} else {
		timer := r.watchTime()
		end = r.converse(ctx, log)
		if timer != nil {
			timer.Stop()
		}
	}
	r.room.enter(r, wire.PhaseStopping)
	r.desk.close()
	end.left = r.children.end()
	end.cause = context.Cause(ctx)
	complete, events := end.verdict()
	if complete.Usage == nil {
		complete.Usage = r.told.Load() // what it ended by left no time to tell all
	}
	r.budget.late(&complete)
	complete.MS = time.Since(r.started.Time).Milliseconds()
	if !r.finish(base, log, append(events, complete)) {
		return // the daemon ends first: the next one completes the run
	}
	void, seq := r.desk.voided(), r.room.log.End().Seq
	r.happened(log, func(m *catalog.Meta) {
		m.Verdict = complete.Status
		m.Spend(seq, r.started.Time, complete)
		dropRules(m, void)
	})
	if len(end.left) > 0 && !r.hold(base, end.left) {
		return // its record tells the next daemon what to look for
	}
	if err := r.hub.removeRecord(r.room.id); err != nil {
		log.Warn("record of the run not removed", "err", err)
	}
	log.Info("run ended", "status", complete.Status, "code", complete.Code, "dur", time.Since(r.started.Time))
	r.room.over(base, r, &complete, end.cause)
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
		Skills: r.prompt.Skills, Attachments: r.prompt.Attachments, Continues: r.prompt.continues,
	})
	if err != nil {
		return false, err
	}
	seq, err := r.room.log.Append(append(ds, d)...)
	if err != nil {
		return false, err
	}
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
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err // the log says it better
	}
	return fault.New(fault.Unavailable, "The prompt could not be saved.").
		WithHint("Look whether the disk is full or read-only, then send it again.").Because(err)
}

// interrupted is the end of a run of which nobody knows how it went on.
func interrupted() wire.Complete {
	return wire.Complete{Status: wire.StatusInterrupted, Notice: "Signalbox ended before the run did."}
}

// note tells the list of chats about the prompt.
func (r *run) note(log *slog.Logger) {
	r.happened(log, func(m *catalog.Meta) {
		m.MarkRead(r.by.ID)
		m.Selected, m.SelectedBy, m.SelectedAt = r.selection, r.by.ID, m.Active
		if m.Title == "" {
			m.Title, m.TitleSource = chat.Title(r.prompt.Text), catalog.TitleAuto
		}
	})
}

// happened tells the list of chats that something happened. Who watches has
// seen it.
func (r *run) happened(log *slog.Logger, change func(*catalog.Meta)) {
	present := r.room.board.present()
	_, err := r.hub.chats.Update(r.room.id, func(m *catalog.Meta) error {
		m.Happened()
		for _, p := range present {
			m.MarkRead(p.ID)
		}
		change(m)
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
		r.room.setEnding(r, true)
		err := r.sink.finish(evs...)
		if err == nil {
			break
		}
		r.room.setEnding(r, false)
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
