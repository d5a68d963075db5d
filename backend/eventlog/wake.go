package eventlog

import "signalbox/backend/wire"

// Wake makes Next return, now or the next time, also without lines.
func (f *Follower) Wake() {
	f.woken.Store(true)
	f.signal()
}

// Close ends the follower: Next returns [ErrClosed].
func (f *Follower) Close() {
	l := f.log
	l.pub.Lock()
	defer l.pub.Unlock()
	if f.index < 0 {
		return
	}
	last := len(l.followers) - 1
	l.followers[f.index] = l.followers[last]
	l.followers[f.index].index = f.index
	l.followers[last] = nil
	l.followers = l.followers[:last]
	f.index = -1
	f.stopWaitingLocked()
	f.signal()
}

func (f *Follower) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// waitLocked adds f to those that Append wakes. One that does not wait, because
// its reader is slow or gone, costs an append nothing.
func (f *Follower) waitLocked() {
	if f.waits < 0 {
		f.waits = len(f.log.waiting)
		f.log.waiting = append(f.log.waiting, f)
	}
}

func (f *Follower) stopWaiting() {
	f.log.pub.Lock()
	defer f.log.pub.Unlock()
	f.stopWaitingLocked()
}

func (f *Follower) stopWaitingLocked() {
	if f.waits < 0 {
		return
	}
	w := f.log.waiting
	last := len(w) - 1
	w[f.waits] = w[last]
	w[f.waits].waits = f.waits
	w[last] = nil
	f.log.waiting = w[:last]
	f.waits = -1
}

// wakeLocked wakes all that wait. It holds pub.
func (l *Log) wakeLocked() {
	for i, f := range l.waiting {
		f.waits = -1
		f.signal()
		l.waiting[i] = nil
	}
	l.waiting = l.waiting[:0]
}

// replacedLocked puts f into the new file of a change, whose epoch event is at
// the offset event. It holds pub.
func (f *Follower) replacedLocked(c change, event int64) {
	switch {
	case c.cause == wire.CauseRestore:
		f.reset, f.paging, f.off = wire.ResetRestore, true, unplaced
	case c.cause == wire.CauseClear:
		f.reset, f.paging, f.off = wire.ResetClear, true, unplaced
	case f.seq >= c.keep && !f.paging:
		// What it has beyond keep, the event tells it to drop.
		f.seq, f.off = c.keep, event
	default:
		f.off = unplaced
	}
}
