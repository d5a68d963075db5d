package eventlog

import (
	"bytes"
	"context"
	"sync/atomic"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Batch is what a follower gets: a reset, or lines, or neither after a Wake.
type Batch struct {
	// Reset, if set, says to drop all: the last page follows.
	Reset *wire.Reset
	// Lines are whole lines, each with its line feed, up to 64 KiB unless one
	// line is longer. They are valid until the next call of Next. Followers
	// share them: do not change them.
	Lines []byte
	// Open comes with the first lines of a last page that was cut short: the
	// starts of the items that its first events belong to, as lines.
	Open []byte
	// Upto is where the follower now is.
	Upto wire.Position
}

// Follower is a cursor over a log: what it has not read costs nothing. One
// goroutine uses Next; Wake and Close may be called by any.
type Follower struct {
	log *Log
	// wake holds one signal that there may be something to read. Append, Wake
	// and Close send, Next receives; a second signal would add nothing.
	wake  chan struct{}
	woken atomic.Bool

	// These are guarded by the log's pub.
	index  int // in the log's followers; -1 when closed
	waits  int // in the log's waiting; -1 when not
	off    int64
	seq    uint64  // the last event that was read
	filled bool    // that was an event that was lost
	paging bool    // it begins with the last page
	reset  string  // why it has to begin anew
	holds  *shared // what the last lines are a part of
}

// unplaced is the offset of a follower that has to look for its place.
const unplaced = -1

// Follow returns a cursor that goes on after since. Without since it begins with
// the last page; where since can't be followed, with a reset and the last page.
// The caller closes it.
func (l *Log) Follow(since *wire.Position) (*Follower, error) {
	f := &Follower{log: l, wake: make(chan struct{}, 1), waits: -1, off: unplaced}
	for {
		var gen int
		var p followPlace
		err := l.read(func(s snap) (err error) {
			gen = s.gen
			p, err = l.placeOf(s, since)
			return err
		})
		if err != nil {
			return nil, err
		}
		if l.join(f, gen, p) {
			return f, nil
		}
	}
}

// join makes f a follower of the log, unless its file was replaced since gen.
func (l *Log) join(f *Follower, gen int, p followPlace) bool {
	l.pub.Lock()
	defer l.pub.Unlock()
	if l.gen != gen {
		return false
	}
	f.off, f.seq, f.paging, f.reset = p.off, p.seq, p.paging, p.reset
	f.index = len(l.followers)
	l.followers = append(l.followers, f)
	return true
}

// Next waits for what follows and moves the cursor behind it. It returns the
// context's cause, or an error with the cause [ErrClosed] when the follower or
// the store was closed.
func (f *Follower) Next(ctx context.Context) (Batch, error) {
	l := f.log
	for {
		l.pub.Lock()
		if f.holds != nil {
			f.holds.letGo()
			f.holds = nil
		}
		switch {
		case f.index < 0:
			l.pub.Unlock()
			return Batch{}, ErrClosed
		case l.gone:
			l.pub.Unlock()
			return Batch{}, errStopping()
		case f.reset != "":
			b := Batch{Reset: &wire.Reset{Reason: f.reset, Epoch: l.epoch}, Upto: wire.Position{Epoch: l.epoch}}
			f.reset = ""
			l.pub.Unlock()
			f.woken.Store(false)
			return b, nil
		case f.off == l.size:
			b := Batch{Upto: wire.Position{Epoch: l.epoch, Seq: f.seq}}
			if f.woken.Swap(false) {
				l.pub.Unlock()
				return b, nil
			}
			f.waitLocked()
			l.pub.Unlock()
			select {
			case <-f.wake:
			case <-ctx.Done():
				f.stopWaiting()
				return Batch{}, context.Cause(ctx)
			}
			continue
		case f.off >= 0:
			lines, upto := l.tailLocked(f.off)
			if lines == nil {
				lines, upto = l.sharedLocked(f)
			}
			if lines != nil {
				f.off += int64(len(lines))
				f.seq = upto
				b := Batch{Lines: lines, Upto: wire.Position{Epoch: l.epoch, Seq: upto}}
				l.pub.Unlock()
				f.woken.Store(false)
				return b, nil
			}
		}
		l.pub.Unlock()
		if err := ctx.Err(); err != nil {
			return Batch{}, context.Cause(ctx)
		}
		b, err := f.readFile()
		if err != nil {
			return Batch{}, err
		}
		if len(b.Lines) > 0 {
			f.woken.Store(false)
			return b, nil
		}
	}
}

// readFile reads on from the file. It returns no lines where there is nothing
// to give yet.
func (f *Follower) readFile() (Batch, error) {
	l := f.log
	s, err := l.snap()
	if err != nil {
		return Batch{}, err
	}
	l.pub.Lock()
	at := followPlace{off: f.off, seq: f.seq, paging: f.paging}
	good := l.good.rest(f.off)
	stale := l.gen != s.gen || f.reset != "" // Next has to look again
	l.pub.Unlock()
	if stale {
		return Batch{}, nil
	}
	var open []byte
	if at.off == unplaced {
		if at, open, err = l.locate(s, at); err != nil {
			return Batch{}, f.failed(s, err)
		}
	}
	m := mended{upto: at.seq}
	var buf []byte
	if at.off < s.size {
		buf = newBuffer()
		if m, buf, err = s.take(at.off, at.seq, good, buf); err != nil {
			return Batch{}, f.failed(s, err)
		}
	}
	l.pub.Lock()
	defer l.pub.Unlock()
	if l.gen != s.gen {
		return Batch{}, nil
	}
	begin := at.off + int64(m.used-m.good)
	if m.good > 0 {
		l.good.add(begin, begin+int64(m.good), !f.filled)
	}
	f.filled = m.good == 0 && (f.filled || len(m.lines) > 0)
	f.off, f.seq, f.paging = at.off+int64(m.used), m.upto, false
	if m.good > 0 {
		l.shareLocked(f, chunk{base: begin, b: m.lines, last: m.upto}, buf)
	}
	return Batch{Lines: m.lines, Open: open, Upto: wire.Position{Epoch: l.epoch, Seq: m.upto}}, nil
}

// failed tells an error of reading from the file having gone meanwhile.
func (f *Follower) failed(s snap, err error) error {
	f.log.pub.Lock()
	current := f.log.gen == s.gen && f.log.file == s.file
	f.log.pub.Unlock()
	if !current {
		return nil
	}
	return fault.Disk("follow log", err)
}

// take reads the next lines of a log, which follow prev, into buf or, if one is
// longer, into the buffer that it returns; the first good bytes are known to be
// whole and without a gap.
func (s *snap) take(off int64, prev uint64, good int64, buf []byte) (mended, []byte, error) {
	b, err := s.blockInto(s.file, off, batchBytes, buf)
	if err != nil {
		return mended{}, nil, err
	}
	if len(b) > len(buf) {
		buf = b
	}
	if int64(len(b)) <= good {
		first, ok1 := peek(b[:bytes.IndexByte(b, '\n')])
		last, ok2 := peek(b[bytes.LastIndexByte(b[:len(b)-1], '\n')+1 : len(b)-1])
		if ok1 && ok2 && first.before() == prev {
			return mended{lines: b, used: len(b), good: len(b), upto: last.seq}, buf, nil
		}
	}
	return s.mend(b, prev), buf, nil
}
