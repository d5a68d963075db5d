package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// rewound is the first line of a file in the folder rewound: what a rewind or a
// clear took out of the log. The lines of the events follow as they were.
type rewound struct {
	Format int             `json:"format"`
	Chat   wire.ChatID     `json:"chat"`
	Epoch  uint64          `json:"epoch"` // that the cut began; the file's name
	Keep   uint64          `json:"keep"`
	Last   uint64          `json:"last"`
	Cause  wire.EpochCause `json:"cause"`
	At     wire.Time       `json:"at"`
	// Sessions are the agents' own sessions at that moment.
	Sessions map[wire.AgentID]string `json:"sessions,omitempty"`
}

// Rewound is a tail that a rewind or a clear took out of a log.
type Rewound struct {
	Epoch uint64          `json:"epoch"` // that the cut began
	Keep  uint64          `json:"keep"`  // the last event that stayed
	Last  uint64          `json:"last"`  // the last that was taken out
	Cause wire.EpochCause `json:"cause"`
	At    wire.Time       `json:"at"`
	// Restorable means that [Log.Restore] would bring it back.
	Restorable bool `json:"restorable"`
}

// Expires returns from when on [Store.Expire] deletes the tail.
func (r Rewound) Expires() wire.Time { return wire.Time{Time: r.At.Add(keepRewound)} }

func (l *Log) tailName(epoch uint64) string {
	return rewoundName(l.chat) + "/" + strconv.FormatUint(epoch, 10) + ".jsonl"
}

// keepTailLocked writes a tail to its file, durable when it returns.
func (l *Log) keepTailLocked(t rewound, p piece) error {
	d, dir := l.store.disk, rewoundName(l.chat)
	if err := d.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	first, err := json.Marshal(t)
	if err != nil {
		return err
	}
	temp := dir + "/new"
	f, _, err := writeFile(d, temp, append(first, '\n'), []piece{p}, nil)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := d.Rename(temp, l.tailName(t.Epoch)); err != nil {
		return err
	}
	return errors.Join(d.SyncDir(dir), d.SyncDir(string(l.chat)))
}

// Rewound lists the tails that are kept and can be brought back, into this log
// or by [Store.ForkRewound], the newest first. With an error it lists those
// before the one that cannot be read.
func (l *Log) Rewound() ([]Rewound, error) {
	list, err := l.rewound()
	return list, fault.Disk("list what was taken out of the chat", err)
}

func (l *Log) rewound() ([]Rewound, error) {
	epochs, err := l.tails()
	if err != nil || len(epochs) == 0 {
		return nil, err
	}
	s, err := l.own()
	if err != nil {
		return nil, err
	}
	defer s.file.Close() //nolint:errcheck // only read
	pieces := []piece{{s.file, s.start, s.size}}
	var list []Rewound
	for _, e := range epochs {
		t, err := l.openTail(e)
		if errors.Is(err, fs.ErrNotExist) {
			continue // expired meanwhile
		}
		if err != nil {
			return list, err
		}
		defer t.close()
		before, after, ok, err := split(pieces, t.rewound)
		if err != nil {
			return list, err
		}
		if !ok || t.last == 0 {
			continue // restored already, or never taken out
		}
		sent := len(list) > 0
		if !sent {
			if sent, err = hasUser(after); err != nil {
				return list, err
			}
		}
		list = append(list, Rewound{t.Epoch, t.Keep, t.Last, t.Cause, t.At, !sent})
		pieces = append(before, t.piece)
	}
	return list, nil
}

// RewoundEvents yields the lines of a tail that is kept, without their line
// feeds. They may be kept. A tail that is not there any more has none.
func (l *Log) RewoundEvents(epoch uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		t, err := l.openTail(epoch)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(nil, fault.Disk("read what was taken out of the chat", err))
			return
		}
		defer t.close()
		for r, err := range rawForward(t.file, t.from, t.to) {
			if !yield(r.raw, fault.Disk("read what was taken out of the chat", err)) {
				return
			}
		}
	}
}

// RewoundPage pages forward in a tail that is kept: what follows the event after,
// at most 1 MB but at least one event. HasMore says that events follow the page.
// Fault not_found: nothing is kept of that cut.
func (l *Log) RewoundPage(epoch, after uint64) (Page, error) {
	page := Page{Epoch: epoch, Events: []json.RawMessage{}, Open: []json.RawMessage{}}
	t, err := l.openTail(epoch)
	if errors.Is(err, fs.ErrNotExist) {
		return page, fault.New(fault.NotFound, "Nothing is kept of what was taken out there.").
			WithHint("What a rewind takes out is kept for 7 days.")
	}
	if err != nil {
		return page, fault.Disk("read what was taken out of the chat", err)
	}
	defer t.close()
	v := view{start: t.from, size: t.to, last: maxSeq}
	from, err := v.find(t.f, after, t.from, t.to)
	if err != nil {
		return page, fault.Disk("read what was taken out of the chat", err)
	}
	size := 0
	for r, err := range rawForward(t.f, from.off, t.to) {
		if err != nil {
			return page, fault.Disk("read what was taken out of the chat", err)
		}
		if size += len(r.raw) + 1; size > pageBytes && len(page.Events) > 0 {
			page.HasMore = true
			break
		}
		if _, ok := readLine(r.raw); ok {
			page.Events = append(page.Events, bytes.Clone(r.raw))
		}
	}
	return page, nil
}

// tails returns the epochs of the tails that are kept, the newest first.
func (l *Log) tails() ([]uint64, error) {
	entries, err := l.store.disk.ReadDir(rewoundName(l.chat))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Disk("list what was taken out of the chat", err)
	}
	var epochs []uint64
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok {
			if n, err := strconv.ParseUint(name, 10, 63); err == nil {
				epochs = append(epochs, n)
			}
		}
	}
	slices.Sort(epochs)
	slices.Reverse(epochs)
	return epochs, nil
}

// tail is an open file of what was taken out.
type tail struct {
	rewound
	piece

	name string
	last uint64 // the last event that can be read
	f    file
}

func (t *tail) close() { _ = t.f.Close() } // only read

// openTail opens a tail. One that is damaged ends after the last line that can
// be read.
func (l *Log) openTail(epoch uint64) (*tail, error) {
	name := l.tailName(epoch)
	f, err := l.store.disk.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	t := &tail{name: name, f: f}
	if err := t.load(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if t.rewound.Epoch != epoch {
		t.rewound.Epoch = 0 // it fits no change of the log
	}
	return t, nil
}

func (t *tail) load() error {
	st, err := t.f.Stat()
	if err != nil {
		return err
	}
	b := make([]byte, min(st.Size(), 64<<10))
	if err := readFull(t.f, b, 0); err != nil {
		return err
	}
	n := bytes.IndexByte(b, '\n') + 1
	if n == 0 || json.Unmarshal(b[:n], &t.rewound) != nil || t.Format != format {
		return fault.New(fault.Unavailable, "What was taken out of the chat can't be read.").
			WithHint("The file %s is damaged; it was left as it is.", t.name)
	}
	t.piece = piece{file: t.f, from: int64(n), to: int64(n)}
	for r, err := range rawBack(t.f, int64(n), st.Size(), backBytes) {
		if err != nil {
			return err
		}
		if h, ok := readLine(r.raw); ok && !r.torn && h.seq <= t.Last {
			t.last, t.to = h.seq, r.off+int64(len(r.raw))+1
			return nil
		}
	}
	return nil
}
