package eventlog

import (
	"bytes"
	"errors"
	"io/fs"

	"signalbox/backend/fault"
)

// undone is the log as it was before a rewind or a clear.
type undone struct {
	pieces []piece
	last   uint64  // the last event of the pieces
	after  []piece // what the log had from the epoch event of the cut on
	tail   rewound
	name   string // the file of the tail
	open   []*tail
}

func (u *undone) close() {
	for _, t := range u.open {
		t.close()
	}
}

// undo takes back the cuts of the log, the newest first, to the one that began
// the given epoch; 0 is the newest. A tail whose epoch event does not follow
// where it was cut off is left out: it was restored already, or a crash came
// before the log was replaced.
func (l *Log) undo(s snap, epoch uint64) (*undone, error) {
	epochs, err := l.tails()
	if err != nil {
		return nil, err
	}
	u := &undone{pieces: []piece{{s.file, s.start, s.size}}}
	for _, e := range epochs {
		if e < epoch {
			break
		}
		t, err := l.openTail(e)
		if errors.Is(err, fs.ErrNotExist) {
			continue // expired meanwhile
		}
		if err != nil {
			u.close()
			return nil, err
		}
		u.open = append(u.open, t)
		before, after, ok, err := split(u.pieces, t.rewound)
		if err != nil {
			u.close()
			return nil, err
		}
		if !ok || t.last == 0 {
			continue
		}
		u.pieces, u.after = append(before, t.piece), after
		u.last, u.tail, u.name = t.last, t.rewound, t.name
		if epoch == 0 || e == epoch {
			return u, nil
		}
	}
	u.close()
	return nil, fault.New(fault.NotFound, "Nothing that was taken out of the chat can be brought back.").
		WithHint("What a rewind takes out is kept for 7 days.")
}

// split parts the pieces where the tail t was cut off; ok is false where that
// cut is not there.
func split(pieces []piece, t rewound) (before, after []piece, ok bool, err error) {
	for i, p := range pieces {
		v := view{start: p.from, size: p.to, last: maxSeq}
		at, err := v.find(p.file, t.Keep, p.from, p.to)
		if err != nil {
			return nil, nil, false, err
		}
		if at.next.seq == 0 {
			before = append(before, p)
			continue
		}
		if !at.next.isEpoch() || at.next.keep != t.Keep {
			return nil, nil, false, nil
		}
		b, err := v.block(p.file, at.off, probeBytes)
		if err != nil {
			return nil, nil, false, err
		}
		raw, _, _ := bytes.Cut(b, []byte("\n"))
		if epoch, cause := lineEpoch(raw); epoch != t.Epoch || cause != t.Cause {
			return nil, nil, false, nil
		}
		before = append(before, piece{p.file, p.from, at.off})
		after = append([]piece{{p.file, at.off, p.to}}, pieces[i+1:]...)
		return before, after, true, nil
	}
	return nil, nil, false, nil
}
