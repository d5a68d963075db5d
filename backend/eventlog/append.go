package eventlog

import (
	"errors"
	"os"
	"sync"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// Append writes the drafts with one write as the next events, all or none, wakes
// the followers and returns the seq of the last. It does not sync. A draft that
// is no event is refused (fault invalid); a full disk or a folder that can't be
// written to is unavailable, and the log stays as it was.
func (l *Log) Append(drafts ...wire.Draft) (last uint64, err error) {
	if len(drafts) == 0 {
		return l.End().Seq, nil
	}
	drafts, err = l.prepare(drafts)
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f, err := l.writableLocked()
	if err != nil {
		return 0, err
	}
	at := now()
	l.lastTime = laterOf(l.lastTime, at)
	w := writes.Get().(*write)
	defer w.free()
	last = l.last
	for i := range drafts {
		last++
		w.buf = drafts[i].AppendLine(w.buf, last, l.lastTime)
		w.ends = append(w.ends, len(w.buf))
	}
	if _, err := f.WriteAt(w.buf, l.size); err != nil {
		// Without this, the part that was written would stand before the
		// next event.
		if err2 := f.Truncate(l.size); err2 != nil {
			l.ragged = true
			err = errors.Join(err, err2)
		}
		return 0, fault.Disk("append event", err)
	}
	l.used.Store(at.UnixNano())
	l.pub.Lock()
	l.publishLocked(w, last)
	l.pub.Unlock()
	l.store.sync.mark(l)
	l.store.changes.note(l)
	return last, nil
}

// writableLocked returns the log's file once it may be appended to: put right,
// marked as open, and ending where the last event ends.
func (l *Log) writableLocked() (file, error) {
	if l.closed {
		return nil, errStopping()
	}
	if err := l.repairLocked(); err != nil {
		return nil, err
	}
	if err := l.markLocked(); err != nil {
		return nil, err
	}
	s, err := l.snap()
	if err == nil && s.readOnly {
		if err = l.reopenLocked(); err == nil {
			s, err = l.snap()
		}
	}
	if err != nil {
		return nil, err
	}
	if l.ragged {
		if err := s.file.Truncate(l.size); err != nil {
			return nil, fault.Disk("cut off a failed append", err)
		}
		l.ragged = false
	}
	return s.file, nil
}

// reopenLocked opens the file again where it could not be written to before.
func (l *Log) reopenLocked() error {
	f, readOnly, err := openLog(l.store.disk, l.chat)
	if err != nil {
		return fault.Disk("open log", err)
	}
	if readOnly {
		_, err := l.store.disk.OpenFile(logName(l.chat), os.O_WRONLY)
		return errors.Join(fault.Disk("open log", err), f.Close())
	}
	l.pub.Lock()
	old := l.file
	l.file, l.readOnly = f, false
	l.pub.Unlock()
	if old == nil {
		return nil
	}
	return old.Close()
}

// write is the scratch space of an append.
type write struct {
	buf  []byte
	ends []int // where each line ends in buf
}

var writes = sync.Pool{New: func() any { return new(write) }}

func (w *write) free() {
	if cap(w.buf) > 4*batchBytes {
		return // a rare large one is not worth keeping
	}
	w.buf, w.ends = w.buf[:0], w.ends[:0]
	writes.Put(w)
}

// prepare checks the drafts and puts their large strings beside the log. It
// returns the drafts as they are to be written.
func (l *Log) prepare(drafts []wire.Draft) ([]wire.Draft, error) {
	copied := false
	for i := range drafts {
		d := &drafts[i]
		if err := checkEnvelope(d); err != nil {
			return nil, err
		}
		body, err := checkBody(d.Body)
		if err != nil {
			return nil, fault.New(fault.Invalid, "The %s event is not valid: %v.", d.Type, err)
		}
		if len(body) > wire.MaxString || len(d.Large) > 0 {
			if body, err = l.spill(body, d.Large); err != nil {
				return nil, err
			}
		}
		if len(body) == len(d.Body) && (len(body) == 0 || &body[0] == &d.Body[0]) {
			continue
		}
		if !copied {
			drafts, copied = append([]wire.Draft(nil), drafts...), true
		}
		drafts[i].Body = body
	}
	return drafts, nil
}
