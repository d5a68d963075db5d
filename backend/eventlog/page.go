package eventlog

import (
	"encoding/json"
	"io"
	"slices"

	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

const (
	defaultLimit = 200
	maxLimit     = 1000
	pageBytes    = 1 << 20
)

// Page is a piece of history.
type Page struct {
	Epoch uint64 `json:"epoch"`
	// Events rise.
	Events  []json.RawMessage `json:"events"`
	HasMore bool              `json:"hasMore"`
	// Open is the starts of the items that the first events belong to.
	Open []json.RawMessage `json:"open"`
}

// Page pages back from before; nil is the end (fault stale_epoch). A page has at
// least limit events (default 200, at most 1,000), and reaches back to the
// nearest prompt, but takes at most 1 MB.
func (l *Log) Page(before *wire.Position, limit int) (Page, error) {
	if limit <= 0 {
		limit = defaultLimit
	}
	page := Page{Events: []json.RawMessage{}, Open: []json.RawMessage{}}
	err := l.read(func(s snap) error {
		end, top, err := l.endBefore(s, before)
		if err != nil {
			return err
		}
		p, err := s.page(s.file, end, top, min(limit, maxLimit))
		if err != nil {
			return err
		}
		page.Epoch, page.HasMore, page.Open = s.epoch, p.more, append(page.Open[:0], p.open...)
		page.Events = page.Events[:0]
		for _, ln := range p.lines {
			page.Events = append(page.Events, ln.raw)
		}
		return nil
	})
	return page, err
}

// endBefore returns where in s a piece ends that stops before a position, nil is
// the end, and the seq that its last event should have (fault stale_epoch).
func (l *Log) endBefore(s snap, before *wire.Position) (end int64, top uint64, err error) {
	if before == nil {
		return s.size, s.last, nil
	}
	if before.Epoch != s.epoch {
		return 0, 0, fault.New(fault.StaleEpoch, "The chat was changed: this part of its history is no longer there.").
			WithHint("Load the chat again.")
	}
	if before.Seq > s.last {
		return s.size, s.last, nil
	}
	last := max(before.Seq, 1) - 1
	p, err := l.find(s, last)
	return p.off, min(last, p.next.before()), err
}

// lines is a page as it lies in the file.
type lines struct {
	lines []line
	more  bool // events come before it
	open  []json.RawMessage
}

// page reads the page that ends at the offset end, where the last event should
// be top.
func (v *view) page(f io.ReaderAt, end int64, top uint64, limit int) (lines, error) {
	var p lines
	bytes, cut := 0, false
	for ln, err := range v.back(f, end, top) {
		if err != nil {
			return p, err
		}
		bytes += len(ln.raw) + 1
		if cut = bytes > pageBytes && len(p.lines) > 0; cut {
			break
		}
		p.lines = append(p.lines, ln)
		if len(p.lines) >= limit && ln.typ == wire.TypeUser {
			break
		}
	}
	slices.Reverse(p.lines)
	if len(p.lines) == 0 {
		return p, nil
	}
	if cut {
		p.lines = p.lines[border(p.lines):]
	}
	first := p.lines[0]
	p.more = first.before() > 0
	if !cut {
		return p, nil
	}
	var err error
	p.open, err = v.openAt(f, p.lines)
	return p, err
}
