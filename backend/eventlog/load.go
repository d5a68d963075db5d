package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// tailBytes is how much of a log's end is looked at when it is loaded: less than
// one read takes, so that a start with many logs reads each end once.
const tailBytes = backBytes / 2

// load opens a chat's log. It reads the two ends of the file; all of it only
// where the header is lost. What is wrong is put right if the disk allows it,
// else before the next append.
func load(s *Store, chat wire.ChatID) (*Log, error) {
	f, readOnly, err := openLog(s.disk, chat)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "There is no such chat.").Because(err)
	}
	if err != nil {
		return nil, fault.Disk("open log", err)
	}
	l := &Log{store: s, chat: chat, file: f, readOnly: readOnly}
	if err := l.load(); err != nil {
		return nil, errors.Join(fault.Disk("load log", err), f.Close())
	}
	// A crash may have left a file that was to take the log's place.
	if err := s.disk.Remove(nextName(chat)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.Warn("unfinished log not removed", "chat", chat, "err", err)
	}
	l.used.Store(now().UnixNano())
	s.pool.opened(l)
	if l.marked {
		s.sync.mark(l)
	}
	if l.repair != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if err := l.repairLocked(); err != nil {
			s.log.Warn("log not repaired yet", "chat", chat, "err", err)
		}
	}
	return l, nil
}

func (l *Log) load() error {
	st, err := l.file.Stat()
	if err != nil {
		return err
	}
	whole := st.Size()
	fix := &repair{}
	var known bool
	if known, err = l.loadHeader(whole, fix); err != nil {
		return err
	}
	if err := l.loadTail(whole, known); err != nil {
		return err
	}
	fix.tornTo = whole
	stale, err := l.loadMarker(fix)
	if err != nil {
		return err
	}
	if !known || stale || l.size < whole || l.last < l.header.High {
		l.repair = fix
	}
	return nil
}

// loadHeader reads the first line; known is false where it is no header.
func (l *Log) loadHeader(whole int64, fix *repair) (known bool, err error) {
	first := make([]byte, min(whole, 4<<10))
	if err := readFull(l.file, first, 0); err != nil {
		return false, err
	}
	n := bytes.IndexByte(first, '\n') + 1
	if n > 0 {
		if l.header, known, err = parseHeader(first[:n-1]); err != nil {
			return false, err
		}
	}
	if known {
		l.start, l.epoch, l.created = int64(n), l.header.Epoch, l.header.Created
		return true, nil
	}
	// What is in the first line's place is either an event, which stays, or a
	// broken line, which is kept elsewhere.
	l.header, l.epoch = header{Epoch: 1}, 1
	if h, ok, err := parseHeader(first); err == nil && ok && n == 0 {
		l.header, l.epoch, l.created = h, h.Epoch, h.Created // only its line feed is lost
	}
	for r, err := range rawForward(l.file, 0, whole) {
		if err != nil {
			return false, err
		}
		if _, ok := readLine(r.raw); !ok {
			l.start = int64(len(r.raw)) + 1
			fix.headTo = l.start
		}
		l.created = laterOf(l.created, lineTime(r.raw))
		break
	}
	return false, nil
}

// loadTail finds the last event that can be read, and the last epoch event if it
// is near. Where the header is not known it looks for that in the whole file.
func (l *Log) loadTail(whole int64, known bool) error {
	l.size = l.start
	seen := int64(0)
	for r, err := range rawBack(l.file, l.start, whole, backBytes) {
		if err != nil {
			return err
		}
		seen += int64(len(r.raw)) + 1
		if l.last == 0 {
			if h, ok := readLine(r.raw); ok && !r.torn && l.plausible(h, whole, known) {
				l.last, l.size = h.seq, r.off+int64(len(r.raw))+1
				l.lastTime = lineTime(r.raw)
			}
		}
		if l.last > 0 && bytes.Contains(r.raw, []byte(`"type":"epoch"`)) {
			if h, ok := readLine(r.raw); ok && h.isEpoch() && h.seq <= l.last {
				epoch, _ := lineEpoch(r.raw)
				l.epoch = max(l.epoch, epoch)
				break
			}
		}
		if known && seen >= tailBytes && l.last > 0 {
			break
		}
	}
	if !known && l.created.IsZero() {
		l.created = now()
	}
	return nil
}

// plausible reports whether a last line can have its seq: each event since the
// file was made took some bytes of it.
func (l *Log) plausible(h head, whole int64, known bool) bool {
	const least = len(`{"seq":1,"t":"","type":"x"}`)
	return !known || h.seq <= l.header.High+uint64(whole)/uint64(least)+1
}

// rawForward yields the lines of a file between two offsets, whatever they hold,
// but for a torn one.
func rawForward(f io.ReaderAt, off, end int64) iter.Seq2[rawLine, error] {
	return func(yield func(rawLine, error) bool) {
		v := view{size: end}
		for off < end {
			b, err := v.block(f, off, backBytes)
			if errors.Is(err, errChanged) {
				return // a torn line, and nothing else
			}
			if err != nil {
				yield(rawLine{}, err)
				return
			}
			for raw := range bytes.Lines(b) {
				if !yield(rawLine{raw: raw[:len(raw)-1], off: off}, nil) {
					return
				}
				off += int64(len(raw))
			}
		}
	}
}

// lineTime returns the time of an event's line, the zero time if it has none.
func lineTime(raw []byte) wire.Time {
	var v struct {
		T wire.Time `json:"t"`
	}
	if json.Unmarshal(raw, &v) != nil {
		return wire.Time{}
	}
	return v.T
}

// lineEpoch returns the epoch that an epoch event begins, and why.
func lineEpoch(raw []byte) (uint64, wire.EpochCause) {
	var v wire.Epoch
	if json.Unmarshal(raw, &v) != nil || v.Epoch > maxSeq {
		return 0, ""
	}
	return v.Epoch, v.Cause
}
