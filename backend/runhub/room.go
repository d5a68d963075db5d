package runhub

import (
	"context"
	"sync"
	"time"

	"signalbox/backend/catalog"
	"signalbox/backend/chat"
	"signalbox/backend/fault"
	"signalbox/backend/internal/id"
	"signalbox/backend/queue"
	"signalbox/backend/wire"
)

// room is the hub's side of a chat.
type room struct {
	hub   *Hub
	id    wire.ChatID
	log   journal
	board *board

	loaded sync.Once // of the queue

	// door is held while a prompt is let in, the queue is changed or the lock
	// taken or freed, also while that is saved; so nobody comes in between. It
	// is taken before mu. What a run or an agent does is never waited for under
	// it.
	door     sync.Mutex
	sending  string // the client id of the prompt that goes from the queue to the log
	queueErr error  // why the queue cannot be saved

	mu sync.Mutex

	// Read with either mutex held, changed with both.
	run   *run        // the one that holds the lock; nil when idle
	queue queue.Queue // what waits for it
	// leaving counts those who are about to put the chat into the trash, and
	// gone means that it is there: nothing starts any more.
	leaving int
	gone    bool

	changed chan struct{} // closed, and another one made, when the lock's state changes

	// The fold of the log up to folded, where anything was folded.
	state  *chat.State
	folded wire.Position
	used   time.Time          // when the fold was last needed
	cuts   map[uint64]cutText // of tails that were looked at, by epoch
}

func newRoom(h *Hub, chat wire.ChatID, l journal) *room {
	return &room{
		hub: h, id: chat, log: l, board: newBoard(wire.Sync{Phase: wire.PhaseIdle}),
		changed: make(chan struct{}), cuts: map[uint64]cutText{},
	}
}

// earlier returns the receipt of a prompt with the same client id, nil if there
// was none, and a fault conflict if it had another text.
func (r *room) earlier(p *Prompt) (*receipt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.earlierLocked(p)
}

func (r *room) earlierLocked(p *Prompt) (*receipt, error) {
	if live := r.run; live != nil && live.prompt.ClientID == p.ClientID {
		if live.prompt.Text == p.Text {
			return live.receipt, nil
		}
		// Of one that waited the queue knows more.
		if !live.queued {
			return nil, queue.ErrOtherText(p.ClientID)
		}
	}
	if err := r.catchUpLocked(); err != nil {
		return nil, err
	}
	before, ok := r.state.Prompt(p.ClientID)
	if !ok {
		place, err := r.queue.Place(p.ClientID, p.Text)
		if place == 0 || err != nil {
			return nil, err
		}
		return settled(wire.PromptResult{ClientID: p.ClientID, Queued: place}), nil
	}
	if !before.SameText(p.Text) && !r.queue.SentAs(p.ClientID, p.Text) {
		return nil, queue.ErrOtherText(p.ClientID)
	}
	return settled(wire.PromptResult{ClientID: p.ClientID, Run: before.Run, Seq: before.Seq}), nil
}

// begin takes the lock, which is free, for next and starts it. It returns the
// receipt to wait for. The door is held.
func (r *room) begin(next *run) (*receipt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.catchUpLocked(); err != nil {
		return nil, err
	}
	next.id = wire.RunID(id.New("r_"))
	next.started = catalog.Now()
	next.receipt = &receipt{ready: make(chan struct{})}
	next.again = make(chan struct{}, 1)
	next.desk = newDesk(next)
	next.resume = r.resumeLocked(next.provider.Info())
	if open, ok := r.state.Open(); ok {
		next.unfinished = open.ID
	}
	r.run = next
	if err := r.hub.begin(next); err != nil {
		r.run = nil
		return nil, err
	}
	r.board.typed(next.by.ID, nil)
	r.enterLocked(next, wire.PhaseStarting)
	return next.receipt, nil
}

// enterDoor locks the door once no run is about to free the lock: whoever has seen
// its end finds the chat idle.
func (r *room) enterDoor(ctx context.Context) error {
	for {
		r.door.Lock()
		freed := r.ending()
		if freed == nil {
			return nil
		}
		r.door.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return fault.New(fault.Canceled, "The prompt was not waited for.").Because(context.Cause(ctx))
		}
	}
}

// ending returns what is closed when the lock's state changes, if the live run is
// about to free it; else nil.
func (r *room) ending() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == nil || !r.run.ending {
		return nil
	}
	return r.changed
}

func (r *room) setEnding(live *run, ending bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if live.ending = ending; !ending {
		r.wakeLocked()
	}
}

// errBusy says what holds the chat. room.mu is held.
func errBusy(live *run) *fault.Error {
	err := fault.New(fault.Busy, "%s has a run going on in this chat.", live.by.Name).
		WithHint("Nothing was sent. Wait until the run ends, or stop it.")
	if live.phase == wire.PhaseHeld {
		err = fault.New(fault.Busy, "Processes of the last run are still alive: %s.", live.leftNames()).
			WithHint("Nothing was sent. End them, or wait until they end.")
	}
	err.Run = string(live.id)
	return err
}

// cancel stops the run, or the live one if run is empty.
func (r *room) cancel(by wire.Person, run wire.RunID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	live := r.run
	switch {
	case live == nil:
		return errNothingRuns()
	case run != "" && run != live.id:
		return fault.New(fault.Conflict, "That run is over; another one is going on.").
			WithHint("Look at the run that is going on before you stop it.")
	}
	switch live.phase {
	case wire.PhaseHeld:
		live.lookAgain()
	case wire.PhaseStopping:
	default:
		live.cancel(&stopped{by: by})
		r.enterLocked(live, wire.PhaseStopping)
	}
	return nil
}

// enter moves the run on to a phase, but never back.
func (r *room) enter(live *run, p wire.Phase) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.enterLocked(live, p)
}

func (r *room) enterLocked(live *run, p wire.Phase) {
	if order(p) <= order(live.phase) {
		return
	}
	live.phase = p
	r.showLocked(wire.Sync{
		Running: catalog.Running(p), Run: live.id, By: &live.by, Phase: p, Since: &live.started,
	})
}

// order ranks the phases of one run.
func order(p wire.Phase) int {
	switch p {
	case wire.PhaseStarting:
		return 1
	case wire.PhaseRunning:
		return 2
	case wire.PhaseStopping:
		return 3
	case wire.PhaseHeld:
		return 4
	default:
		return 0
	}
}

func (r *room) showLocked(s wire.Sync) {
	// The list first: who hears of the phase here finds the same there.
	r.hub.chats.SetPhase(r.id, s.Phase)
	r.board.sync(s, r.log.End().Seq)
	r.wakeLocked()
}

func (r *room) wakeLocked() {
	close(r.changed)
	r.changed = make(chan struct{})
}
