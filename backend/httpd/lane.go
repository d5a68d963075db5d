package httpd

import "sync"

// laneLength is how many commands of one kind a client may have under way; more
// are refused.
const laneLength = 16

// lane carries out what it is given one after the other, on a goroutine that
// lives while there is something to do. The zero value is empty.
type lane struct {
	busy sync.WaitGroup

	mu      sync.Mutex
	queue   []func() // the first is under way
	refused bool     // after wait
}

// add takes do, or returns false when the lane is full.
func (l *lane) add(do func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused || len(l.queue) >= laneLength {
		return false
	}
	l.queue = append(l.queue, do)
	if len(l.queue) == 1 {
		l.busy.Go(l.drain)
	}
	return true
}

func (l *lane) drain() {
	for {
		l.mu.Lock()
		do := l.queue[0]
		l.mu.Unlock()
		do()
		l.mu.Lock()
		l.queue = l.queue[1:]
		if len(l.queue) == 0 {
			l.queue = nil
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
	}
}

// wait returns when all that was taken is done; no more is taken.
func (l *lane) wait() {
	l.mu.Lock()
	l.refused = true
	l.mu.Unlock()
	l.busy.Wait()
}
