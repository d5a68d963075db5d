package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// piece is lines from a file: from one offset up to another.
type piece struct {
	file     io.ReaderAt
	from, to int64
}

// change is a new file for a log: lines that stay as they are, and the epoch
// event after them.
type change struct {
	pieces []piece
	keep   uint64 // the seq of the last line of the pieces; 0 if there is none
	cause  wire.EpochCause
}

// replaceLocked puts a new file in the log's place, durable when it returns. A
// crash at any moment leaves either the old file or the new one. An error
// leaves the old one in use, but for the last step: then the new one is in use
// and may be lost with the power.
func (l *Log) replaceLocked(c change) error {
	l.lastTime = laterOf(l.lastTime, now())
	h := l.header
	h.Chat = l.chat
	h.Created = l.created
	h.Epoch = l.epoch + 1
	h.High = max(l.last, l.header.High) + 1
	d, err := wire.NewDraft("", wire.Epoch{Epoch: h.Epoch, Keep: c.keep, Cause: c.cause})
	if err != nil {
		return err
	}
	ev := d.AppendLine(nil, h.High, l.lastTime)
	if err := l.flushBlobs(l.takeBlobs()); err != nil {
		return fault.Disk("sync bodies", err)
	}
	f, start, size, err := writeNext(l.store.disk, l.chat, h, c.pieces, ev)
	if err != nil {
		return fault.Disk("write new log", err)
	}

	return l.swapLocked(f, h, func() {
		l.view = view{start: start, size: size, last: h.High, epoch: h.Epoch, created: h.Created}
		for _, fo := range l.followers {
			fo.replacedLocked(c, size-int64(len(ev)))
		}
	})
}

// swapLocked puts the file f, written beside the log with the header h, in its
// place, and lets update tell the readers. They wait meanwhile: none may see an
// epoch that the end of the machine could take back, and then give to another.
func (l *Log) swapLocked(f file, h header, update func()) error {
	d := l.store.disk
	l.pub.Lock()
	if err := d.Rename(nextName(l.chat), logName(l.chat)); err != nil {
		l.pub.Unlock()
		return fault.Disk("put new log in place", errors.Join(err, f.Close()))
	}
	err := d.SyncDir(string(l.chat))
	old := l.file
	l.file, l.readOnly, l.entries = f, false, err != nil
	l.gen++
	l.forgetLocked()
	l.marks, l.good, l.suspect = nil, nil, false
	update()
	l.wakeLocked()
	l.pub.Unlock()

	l.store.changes.note(l)
	l.header, l.ragged = h, false
	if old != nil {
		err = errors.Join(err, old.Close())
	}
	l.store.pool.opened(l)
	return fault.Disk("put new log in place", err)
}

// writeNext writes a new log beside the old one and syncs it. It returns where
// the events begin and end.
func writeNext(d disk, chat wire.ChatID, h header, pieces []piece, ev []byte) (f file, start, size int64, err error) {
	first := h.line()
	f, size, err = writeFile(d, nextName(chat), first, pieces, ev)
	return f, int64(len(first)), size, err
}

// writeFile writes a file from its first line, pieces of others and a last line,
// and syncs it. It returns the size. After an error there is no such file.
func writeFile(d disk, name string, first []byte, pieces []piece, last []byte) (f file, size int64, err error) {
	f, err = d.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, 0, err
	}
	parts := []io.Reader{bytes.NewReader(first)}
	size = int64(len(first) + len(last))
	for _, p := range pieces {
		parts = append(parts, io.NewSectionReader(p.file, p.from, p.to-p.from))
		size += p.to - p.from
	}
	parts = append(parts, bytes.NewReader(last))
	w := bufio.NewWriterSize(io.NewOffsetWriter(f, 0), int(min(size, 256<<10)))
	n, err := io.Copy(w, io.MultiReader(parts...))
	if err == nil && n < size {
		err = errChanged
	}
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close(), d.Remove(name))
	}
	return f, size, nil
}

// writeNew makes the log of a chat that has none, durable when it returns.
func (s *Store) writeNew(chat wire.ChatID, h header, pieces []piece) error {
	f, _, _, err := writeNext(s.disk, chat, h, pieces, nil)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := s.disk.Rename(nextName(chat), logName(chat)); err != nil {
		return err
	}
	return errors.Join(s.disk.SyncDir(string(chat)), s.disk.SyncDir("."))
}

func laterOf(a, b wire.Time) wire.Time {
	if a.After(b.Time) {
		return a
	}
	return b
}
