package eventlog

import "signalbox/backend/wire"

// followPlace is where a follower begins.
type followPlace struct {
	off    int64
	seq    uint64
	paging bool
	reset  string
}

// placeOf judges a position, by the table of docs/protocol.md.
func (l *Log) placeOf(s snap, since *wire.Position) (followPlace, error) {
	again := func(reason string) followPlace {
		return followPlace{off: unplaced, paging: true, reset: reason}
	}
	switch {
	case since == nil:
		return again(""), nil
	case since.Epoch != s.epoch:
		return again(wire.ResetStale), nil
	case since.Seq > s.last:
		return again(wire.ResetAhead), nil
	case since.Seq == s.last:
		return followPlace{off: s.size, seq: s.last}, nil
	case since.Seq == 0:
		p, err := s.page(s.file, s.size, s.last, defaultLimit)
		if err == nil && p.more {
			return again(wire.ResetTooFar), nil
		}
		return followPlace{off: s.start}, err
	}
	p, err := l.find(s, since.Seq)
	if err != nil {
		return followPlace{}, err
	}
	if !p.held(since.Seq) {
		return again(wire.ResetHole), nil
	}
	return followPlace{off: p.off, seq: since.Seq}, nil
}

// locate finds the place of a follower: the beginning of the last page, or the
// line after the last that it has.
func (l *Log) locate(s snap, at followPlace) (followPlace, []byte, error) {
	if !at.paging {
		p, err := l.find(s, at.seq)
		return followPlace{off: p.off, seq: at.seq}, nil, err
	}
	p, err := s.page(s.file, s.size, s.last, defaultLimit)
	if err != nil || len(p.lines) == 0 {
		return followPlace{off: s.size, seq: s.last}, nil, err
	}
	first := p.lines[0]
	var open []byte
	for _, o := range p.open {
		open = append(append(open, o...), '\n')
	}
	return followPlace{off: first.off, seq: first.before()}, open, nil
}
