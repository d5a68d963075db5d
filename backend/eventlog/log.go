package eventlog

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Log is one chat's log.
type Log struct {
	store *Store
	chat  wire.ChatID

	used   atomic.Int64 // when it was last used, in Unix nanoseconds
	queued atomic.Bool  // it waits for the next sync; changed by the syncer
	noted  atomic.Bool  // it is among the changes
	round  *round       // the sync that it is part of; guarded by the syncer

	// mu is held by whoever changes the files.
	mu sync.Mutex

	header   header
	lastTime wire.Time
	repair   *repair // what is wrong with the file and could not be put right yet
	ragged   bool    // behind size there may be a part of a write that failed
	marked   bool    // the marker says that the log is open
	markSafe bool    // the marker is durable
	closed   bool

	// pub guards what readers see. It is not held while waiting for the disk,
	// but when a new file is put in place.
	pub sync.Mutex

	view
	file      file // nil while the log rests
	readOnly  bool // file can't be written to
	gen       int  // counts the files that stood in the log's place
	marks     marks
	good      spans
	tail      []chunk
	shared    []*shared // the blocks read last, the oldest first
	followers []*Follower
	waiting   []*Follower
	blobs     []string // bodies that are not durable yet
	suspect   bool     // a sync failed: what was written may be lost
	entries   bool     // the entries of the folder may not be durable
	gone      bool     // closed, for readers
}

// Created returns when the log was made: events of a fork may be older.
func (l *Log) Created() wire.Time {
	l.pub.Lock()
	defer l.pub.Unlock()
	return l.created
}

// End returns the position of the last event.
func (l *Log) End() wire.Position {
	l.pub.Lock()
	defer l.pub.Unlock()
	return wire.Position{Epoch: l.epoch, Seq: l.last}
}

// Holds reports whether the event seq is part of the chat: one that was lost to damage
// is, one that a rewind took out is not.
func (l *Log) Holds(seq uint64) (held bool, err error) {
	err = l.read(func(s snap) error {
		p, err := l.find(s, seq)
		held = seq <= s.last && p.held(seq)
		return err
	})
	return held, err
}

// snap is the log's file and what it holds, at one moment.
type snap struct {
	view
	file     file
	readOnly bool // file can't be written to
	gen      int
}

// snap returns the log as it is. The file may be closed at any time; a reader
// then asks again.
func (l *Log) snap() (snap, error) {
	for {
		l.pub.Lock()
		s, gone := snap{view: l.view, file: l.file, readOnly: l.readOnly, gen: l.gen}, l.gone
		l.pub.Unlock()
		switch {
		case gone:
			return s, errStopping()
		case s.file != nil:
			return s, nil
		}
		if err := l.open(s.gen); err != nil {
			return s, err
		}
	}
}

// own is snap with a file for the caller alone, who closes it. It stays as it
// is when another file takes its place.
func (l *Log) own() (snap, error) {
	for {
		l.pub.Lock()
		gen, gone := l.gen, l.gone
		l.pub.Unlock()
		if gone {
			return snap{}, errStopping()
		}
		f, err := l.store.disk.OpenFile(logName(l.chat), os.O_RDONLY)
		if err != nil {
			return snap{}, fault.Disk("open log", err)
		}
		l.pub.Lock()
		s := snap{view: l.view, file: f, gen: l.gen}
		l.pub.Unlock()
		if s.gen == gen {
			return s, nil
		}
		if err := f.Close(); err != nil {
			return snap{}, fault.Disk("close log", err)
		}
	}
}

// open opens the file, unless another has stood in its place since gen.
func (l *Log) open(gen int) error {
	f, readOnly, err := openLog(l.store.disk, l.chat)
	if err != nil {
		return fault.Disk("open log", err)
	}
	l.pub.Lock()
	if l.gen != gen || l.file != nil || l.gone {
		l.pub.Unlock()
		return f.Close()
	}
	l.file, l.readOnly = f, readOnly
	l.pub.Unlock()
	l.used.Store(now().UnixNano())
	l.store.pool.opened(l)
	return nil
}

// openLog opens a log's file to read and write, or only to read where no more
// is allowed.
func openLog(d disk, chat wire.ChatID) (f file, readOnly bool, err error) {
	f, err = d.OpenFile(logName(chat), os.O_RDWR)
	if err == nil || errors.Is(err, os.ErrNotExist) {
		return f, false, err
	}
	ro, err2 := d.OpenFile(logName(chat), os.O_RDONLY)
	if err2 != nil {
		return nil, false, err
	}
	return ro, true, nil
}

// read runs fn over the log as it is now, and again if the file was put to rest
// or replaced meanwhile.
func (l *Log) read(fn func(s snap) error) error {
	for {
		s, err := l.snap()
		if err != nil {
			return err
		}
		err = fn(s)
		l.pub.Lock()
		stale := l.gen != s.gen
		l.pub.Unlock()
		if !stale && !errors.Is(err, os.ErrClosed) {
			return fault.Disk("read log", err)
		}
	}
}

// find returns the place after the event seq in s.
func (l *Log) find(s snap, seq uint64) (place, error) {
	lo, hi := s.start, s.size
	l.pub.Lock()
	if l.gen == s.gen {
		lo, hi = l.marks.around(seq, &s.view)
	}
	l.pub.Unlock()
	p, err := s.view.find(s.file, seq, lo, hi)
	if err == nil && p.next.seq > 0 {
		l.pub.Lock()
		if l.gen == s.gen {
			l.marks.note(p.next.seq, p.off)
		}
		l.pub.Unlock()
	}
	return p, err
}
