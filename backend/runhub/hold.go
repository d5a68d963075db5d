package runhub

import (
	"context"
	"slices"
	"strings"
	"time"

	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// hold keeps the chat until the processes are gone; false if the daemon ends
// before.
func (r *run) hold(base context.Context, left []proc.Process) bool {
	const every = 2 * time.Second
	r.room.setEnding(r, false)
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

// living returns those of ps that have not ended.
func living(ps []proc.Process) []proc.Process {
	return slices.DeleteFunc(slices.Clone(ps), func(p proc.Process) bool { return !p.Alive() })
}
