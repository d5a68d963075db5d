package eventlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// MaxLine is the longest line that is taken from elsewhere.
const MaxLine = 16 << 20

// Importer makes the log of a new chat from events that happened elsewhere, with
// the times that they had there. It ends by Commit or Abort. One goroutine uses
// it.
type Importer struct {
	log  *Log
	name string
	file file
	w    *bufio.Writer

	size  int64
	last  uint64
	at    wire.Time // of the last event
	epoch uint64
	limit time.Time // no event may be later
	buf   []byte
}

// Import begins to make a chat, whose folder and empty log it makes (fault
// conflict where there is one).
func (s *Store) Import(chat wire.ChatID) (*Importer, error) {
	l, err := s.Create(chat)
	if err != nil {
		return nil, err
	}
	i := &Importer{log: l, name: string(chat) + "/import.new", epoch: 1, limit: time.Now().Add(time.Minute)}
	if i.file, err = s.disk.OpenFile(i.name, os.O_RDWR|os.O_CREATE|os.O_TRUNC); err != nil {
		return nil, errors.Join(fault.Disk("import chat", err), i.Abort())
	}
	i.w = bufio.NewWriterSize(io.NewOffsetWriter(i.file, 0), batchBytes)
	return i, nil
}

// Line adds the line of an event as it is (fault invalid): it has to follow the
// one before without a gap, at a time that has passed.
func (i *Importer) Line(raw []byte) error {
	if len(raw) > MaxLine {
		return fault.New(fault.Invalid, "event %d has more than %d bytes", i.last+1, MaxLine)
	}
	h, ok := readLine(raw)
	if !ok {
		return fault.New(fault.Invalid, "what follows event %d is no event", i.last)
	}
	if lost, ok := missing(i.last, h); !ok || lost > 0 {
		return fault.New(fault.Invalid, "event %d does not follow event %d", h.seq, i.last)
	}
	if !isName(string(h.typ)) {
		return fault.New(fault.Invalid, "event %d has no type", h.seq)
	}
	if _, _, err := wire.Decode(raw); err != nil {
		return fault.New(fault.Invalid, "event %d is not a %s event", h.seq, h.typ).Because(err)
	}
	at := lineTime(raw)
	if at.After(i.limit) || at.Year() < 1 {
		return fault.New(fault.Invalid, "event %d is of a time that has not come", h.seq)
	}
	if h.isEpoch() {
		epoch, _ := lineEpoch(raw)
		if epoch <= i.epoch && i.last > 0 || epoch == 0 {
			return fault.New(fault.Invalid, "event %d begins an epoch that was", h.seq)
		}
		i.epoch = epoch
	}
	i.at = laterOf(i.at, at)
	i.last = h.seq
	return i.write(append(raw, '\n'))
}

// Append adds an event that happened at a time, with the next seq. A time before
// that of the last event, or one that has not come, becomes that of the last
// event or now.
func (i *Importer) Append(at wire.Time, d wire.Draft) error {
	drafts, err := i.log.prepare([]wire.Draft{d})
	if err != nil {
		return err
	}
	if at.After(i.limit) {
		at = now()
	}
	i.at = laterOf(i.at, at)
	i.last++
	i.buf = drafts[0].AppendLine(i.buf[:0], i.last, i.at)
	return i.write(i.buf)
}

func (i *Importer) write(b []byte) error {
	n, err := i.w.Write(b)
	i.size += int64(n)
	return fault.Disk("import chat", err)
}

// Blob adds a body, which has to be what its hash says (fault invalid).
func (i *Importer) Blob(sum string, r io.Reader) error {
	if !isHash(sum) {
		return fault.New(fault.Invalid, "%.80q is not a SHA-256 hash", sum)
	}
	b, err := i.log.NewBlob()
	if err != nil {
		return err
	}
	if _, err := io.Copy(b, r); err != nil {
		return errors.Join(err, b.Abort())
	}
	ref, err := b.Commit()
	if err == nil && ref.SHA256 != sum {
		return fault.New(fault.Invalid, "the body %.12s… is not what its hash says", sum)
	}
	return err
}

// Last returns the seq of the last event.
func (i *Importer) Last() uint64 { return i.last }

// Log returns the log that is made, which is empty before Commit.
func (i *Importer) Log() *Log { return i.log }

// Commit puts the log in place, durable when it returns.
func (i *Importer) Commit() error {
	if err := i.w.Flush(); err != nil {
		return fault.Disk("import chat", err)
	}
	l := i.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errStopping()
	}
	if err := l.flushBlobs(l.takeBlobs()); err != nil {
		return fault.Disk("sync bodies", err)
	}
	h := header{Chat: l.chat, Epoch: i.epoch, Created: l.created, High: i.last}
	f, start, size, err := writeNext(l.store.disk, l.chat, h, []piece{{i.file, 0, i.size}}, nil)
	if err != nil {
		return fault.Disk("import chat", err)
	}
	l.lastTime = laterOf(l.lastTime, i.at)
	err = l.swapLocked(f, h, func() {
		l.view = view{start: start, size: size, last: i.last, epoch: i.epoch, created: h.Created}
	})
	return errors.Join(err, i.removeTemp())
}

func (i *Importer) removeTemp() error {
	if i.file == nil {
		return nil
	}
	err := errors.Join(i.file.Close(), i.log.store.disk.Remove(i.name))
	i.file = nil
	return err
}

// Abort removes the chat.
func (i *Importer) Abort() error {
	l, d := i.log, i.log.store.disk
	errs := []error{i.removeTemp(), l.store.Release(l.chat)}
	entries, err := d.ReadDir(blobsName(l.chat))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	for _, e := range entries {
		errs = append(errs, d.Remove(blobsName(l.chat)+"/"+e.Name()))
	}
	for _, name := range []string{markerName(l.chat), blobsName(l.chat), logName(l.chat)} {
		if err := d.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	_ = d.Remove(string(l.chat)) // stays where others have files in it
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove a chat that was not imported: %w", err)
	}
	return nil
}
