package runhub

import (
	"context"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
	"signalbox/backend/chat"
	"signalbox/backend/fault"
	"signalbox/backend/internal/id"
	"signalbox/backend/queue"
	"signalbox/backend/wire"
)

const (
	codeRateLimited = agent.CodeRateLimited
	codeShutdown    = "shutdown"
)

// When is when a run is continued.
type When string

// When a run is continued.
const (
	Now     When = ""
	AtReset When = "reset" // when the rate limit that ended it resets
)

const (
	// continuePrompt is what the agent is told.
	continuePrompt = "Continue where you left off."
	// resetMargin is how much later than a vendor says a run goes on: clocks
	// differ.
	resetMargin = 10 * time.Second
	// againMargin is how long a run that was continued by itself, and hit the
	// limit again, rests at least.
	againMargin = 15 * time.Minute
)

// Continue goes on with the chat's last run, if that did not end well: in the
// agent's session, with a short prompt of its own. At the reset of a rate limit it
// waits as the first prompt of the queue, which rests until then; who removes it
// takes it back. Asking twice does it once.
//
// Faults: as of [Hub.Prompt]; conflict where there is nothing to continue or the
// time of the reset is not known; busy while a run lives.
func (h *Hub) Continue(ctx context.Context, chat wire.ChatID, by wire.Person, when When) (wire.PromptResult, error) {
	room, err := h.listed(chat)
	if err != nil {
		return wire.PromptResult{}, err
	}
	if err := h.begun(ctx); err != nil {
		return wire.PromptResult{}, err
	}
	receipt, err := room.goOn(ctx, by, when)
	return receipt.wait(ctx, err)
}

func (r *room) goOn(ctx context.Context, by wire.Person, when When) (*receipt, error) {
	r.door.Lock()
	defer r.door.Unlock()
	if r.leaves() {
		return nil, errGone()
	}
	if live := r.run; live != nil {
		if live.prompt.continues != "" {
			return live.receipt, nil
		}
		return nil, r.refused()
	}
	last, err := r.lastRun()
	if err != nil {
		return nil, err
	}
	if last.ID == "" || last.Verdict == wire.StatusOK {
		return nil, fault.New(fault.Conflict, "There is nothing to continue: the last run ended well.").
			WithHint("Send a prompt to go on.")
	}
	next, err := r.fromQueue(ctx, wire.QueuedItem{
		ClientID: id.New("m_"), Text: continuePrompt, By: by, Selection: last.Selection, Continues: last.ID,
	})
	if err != nil {
		return nil, err
	}
	next.queued = false
	if when == AtReset {
		return r.goOnAtReset(next, last)
	}
	return r.beginInstead(next)
}

func (r *room) goOnAtReset(next *run, last chat.Run) (*receipt, error) {
	if last.ResetsAt == nil {
		return nil, fault.New(fault.Conflict, "The agent did not say when its rate limit resets.").
			WithHint("Continue by hand later.")
	}
	if !last.ResetsAt.After(time.Now()) {
		return r.beginInstead(next)
	}
	if place := r.queue.Continues(last.ID); place > 0 && r.queue.Paused() != nil && r.queue.Paused().Until != nil {
		it := r.queue.Frame().Items[place-1]
		return settled(wire.PromptResult{ClientID: it.ClientID, Queued: place}), nil
	}
	at := last.ResetsAt.Add(resetMargin)
	if err := r.afford(next, at); err != nil {
		return nil, err
	}
	q, place, err := waitForReset(r.queue, next)
	if err != nil {
		return nil, err
	}
	q = q.Pause(wire.QueuePause{
		Reason: wire.PauseRateLimit, Since: catalog.Now(), By: &next.by, Until: &wire.Time{Time: at},
	})
	if err := r.keep(q); err != nil {
		return nil, err
	}
	return settled(wire.PromptResult{ClientID: next.prompt.ClientID, Queued: place}), nil
}

// continueAlone adds to q what goes on with a run that a rate limit ended, and
// returns when, if its person wants that and the time is known.
func (r *room) continueAlone(q queue.Queue, live *run) (queue.Queue, *wire.Time) {
	if !r.hub.settings(live.by.ID).ContinueAtReset {
		return q, nil
	}
	last, err := r.lastRun()
	if err != nil || last.ID != live.id || last.ResetsAt == nil {
		return q, nil
	}
	least := resetMargin
	if live.prompt.continues != "" {
		least = againMargin
	}
	at := last.ResetsAt.Add(resetMargin)
	if soonest := time.Now().Add(least); at.Before(soonest) {
		at = soonest
	}
	next := &run{by: live.by, selection: live.selection, prompt: Prompt{
		ClientID: id.New("m_"), Text: continuePrompt, continues: live.id,
	}}
	more, _, err := waitForReset(q, next)
	if err != nil {
		r.hub.log.Warn("run does not go on by itself", "chat", r.id, "run", live.id, "err", err)
		return q, nil
	}
	return more, &wire.Time{Time: at.UTC().Truncate(time.Millisecond)}
}

// waitForReset adds the run's prompt to those that wait, as the first.
func waitForReset(q queue.Queue, next *run) (queue.Queue, int, error) {
	return q.Add(wire.QueuedItem{
		ClientID: next.prompt.ClientID, Text: next.prompt.Text, By: next.by, At: catalog.Now(),
		Selection: next.selection, Continues: next.prompt.continues,
	})
}

// lastRun returns the chat's last run, of which the ID is empty if there was none.
func (r *room) lastRun() (chat.Run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.catchUpLocked(); err != nil {
		return chat.Run{}, err
	}
	return r.state.Last(), nil
}
