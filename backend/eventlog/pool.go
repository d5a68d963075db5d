package eventlog

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"
)

// restAfter is how long a log is unused before it rests: its file closed, its
// marker and what it holds in memory gone.
const restAfter = 30 * time.Second

// files are the logs that hold more than a resting one.
type files struct {
	max int

	mu    sync.Mutex
	awake map[*Log]struct{}
	open  int // about how many have their file open
}

// opened adds l, whose file is now open, and closes the files that were unused
// for longest where there are too many.
func (p *files) opened(l *Log) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.awake == nil {
		p.awake = map[*Log]struct{}{}
	}
	p.awake[l] = struct{}{}
	if p.open++; p.open > p.max {
		p.trimLocked()
	}
}

// trimLocked closes files until an eighth less than the most are open, the
// longest unused first. Those that are in use or wait for a sync stay open.
func (p *files) trimLocked() {
	byUse := make([]*Log, 0, len(p.awake))
	for l := range p.awake {
		if l.isOpen() {
			byUse = append(byUse, l)
		}
	}
	p.open = len(byUse)
	slices.SortFunc(byUse, func(a, b *Log) int { return cmp.Compare(a.used.Load(), b.used.Load()) })
	for _, l := range byUse {
		if p.open <= p.max-p.max/8 {
			return
		}
		if l.closeFile() {
			p.open--
		}
	}
}

// rest puts the logs to rest that were not used since.
func (p *files) rest(since time.Time) {
	p.mu.Lock()
	var idle []*Log
	for l := range p.awake {
		if l.used.Load() < since.UnixNano() {
			idle = append(idle, l)
		}
	}
	p.mu.Unlock()
	for _, l := range idle {
		if l.rest() {
			p.mu.Lock()
			delete(p.awake, l)
			p.mu.Unlock()
		}
	}
}

func (l *Log) isOpen() bool {
	l.pub.Lock()
	defer l.pub.Unlock()
	return l.file != nil
}

// closeFile closes the file if nobody writes to it and all is durable.
func (l *Log) closeFile() bool {
	if !l.mu.TryLock() {
		return false
	}
	defer l.mu.Unlock()
	return l.closeFileLocked()
}

func (l *Log) closeFileLocked() bool {
	if l.store.sync.pending(l) != nil {
		return false
	}
	l.pub.Lock()
	f := l.file
	if l.suspect || l.ragged {
		l.pub.Unlock()
		return false
	}
	l.file = nil
	l.pub.Unlock()
	if f != nil {
		if err := f.Close(); err != nil {
			l.store.log.Warn("log not closed cleanly", "chat", l.chat, "err", err)
		}
	}
	return true
}

// rest closes the file and removes the marker, if all is durable and nobody is
// at it.
func (l *Log) rest() bool {
	if !l.mu.TryLock() {
		return false
	}
	defer l.mu.Unlock()
	if !l.closeFileLocked() {
		return false
	}
	if l.repair == nil {
		if err := l.unmarkLocked(); err != nil {
			l.store.log.Warn("log stays marked as open", "chat", l.chat, "err", err)
		}
	}
	l.pub.Lock()
	l.forgetLocked()
	l.marks, l.good = nil, nil
	l.pub.Unlock()
	return true
}

// close syncs and closes the log for good, and ends its followers.
func (l *Log) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	err := l.flushBlobs(l.takeBlobs())
	if l.suspect {
		err = errors.Join(err, l.renewFileLocked())
	} else {
		err = errors.Join(err, l.flushFile())
	}
	if err == nil && l.repair == nil {
		err = l.unmarkLocked()
	}
	l.closed = true
	l.pub.Lock()
	f := l.file
	l.file, l.gone = nil, true
	l.forgetLocked()
	l.wakeLocked()
	l.pub.Unlock()
	if f != nil {
		err = errors.Join(err, f.Close())
	}
	return err
}
