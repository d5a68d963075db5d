package eventlog

import (
	"context"
	"sync"

	"signalbox/backend/fault"
)

// handful is the number of files from which on one sync of the whole file
// system is cheaper than one of each file.
const handful = 4

// syncer is the group sync of a data folder. What is appended while a sync is
// under way waits for the next one, which serves all that came meanwhile: no
// timer would do better. Whoever waits runs the next sync if nobody else does,
// so it works with and without [Store.Run].
type syncer struct {
	disk disk
	// turn is held by who syncs. A send takes it, a receive gives it back.
	turn chan struct{}
	// wake tells Run that something waits. It holds one signal; more add
	// nothing.
	wake chan struct{}

	mu   sync.Mutex
	next *round
}

// round is one sync. Its fields are set before done is closed.
type round struct {
	logs []*Log
	errs map[*Log]error
	done chan struct{}
}

func newRound() *round { return &round{done: make(chan struct{})} }

func newSyncer(d disk) *syncer {
	return &syncer{disk: d, turn: make(chan struct{}, 1), wake: make(chan struct{}, 1), next: newRound()}
}

// mark adds l, to which something was written, to the next sync.
func (s *syncer) mark(l *Log) {
	if l.queued.Load() {
		return // the next sync has not begun, so it has what was written
	}
	s.mu.Lock()
	if !l.queued.Load() {
		l.queued.Store(true)
		s.next.logs = append(s.next.logs, l)
	}
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// pending returns the sync that l waits for or is part of, nil if there is none.
func (s *syncer) pending(l *Log) *round {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.queued.Load() {
		return s.next
	}
	return l.round
}

// run does the next sync, after the one that is under way.
func (s *syncer) run() {
	s.turn <- struct{}{}
	s.runTurn()
}

// runTurn does the next sync for who holds the turn, and gives the turn back.
func (s *syncer) runTurn() {
	defer func() { <-s.turn }()
	s.mu.Lock()
	r := s.next
	if len(r.logs) == 0 {
		s.mu.Unlock()
		return
	}
	s.next = newRound()
	for _, l := range r.logs {
		l.round = r
		l.queued.Store(false)
	}
	s.mu.Unlock()

	s.flush(r)

	s.mu.Lock()
	for _, l := range r.logs {
		l.round = nil
	}
	s.mu.Unlock()
	close(r.done)
}

// flush makes the logs of r durable.
func (s *syncer) flush(r *round) {
	blobs := make([][]string, len(r.logs))
	files := 0
	for i, l := range r.logs {
		blobs[i] = l.takeBlobs()
		files += 1 + len(blobs[i])
	}
	all := false
	if files >= handful {
		// If it fails, each file tells whether it is the one.
		all = s.disk.SyncAll() == nil
	}
	for i, l := range r.logs {
		if err := l.flush(blobs[i], all); err != nil {
			if r.errs == nil {
				r.errs = map[*Log]error{}
			}
			r.errs[l] = fault.Disk("sync log", err)
		}
	}
}

// wait returns when r is done, with what it found of l.
func (s *syncer) wait(ctx context.Context, r *round, l *Log) error {
	for {
		select {
		case <-r.done:
			return r.errs[l]
		case s.turn <- struct{}{}:
			s.runTurn()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Sync returns when all that was appended before the call is durable. An error
// means that it may not be.
func (l *Log) Sync(ctx context.Context) error {
	l.pub.Lock()
	suspect := l.suspect
	l.pub.Unlock()
	if suspect {
		l.store.sync.mark(l)
	}
	r := l.store.sync.pending(l)
	if r == nil {
		return nil
	}
	return l.store.sync.wait(ctx, r, l)
}
