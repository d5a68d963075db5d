package eventlog

import (
	"iter"

	"signalbox/backend/fault"
)

// Events yields the lines that follow after, without their line feeds, to the
// end as it is at the call. They may be kept. A replaced log does not disturb it.
func (l *Log) Events(after uint64) iter.Seq2[[]byte, error] {
	l.pub.Lock()
	end, gen := l.view, l.gen
	l.pub.Unlock()
	return func(yield func([]byte, error) bool) {
		s, err := l.own()
		if err != nil {
			yield(nil, err)
			return
		}
		defer s.file.Close() //nolint:errcheck // only read
		if s.gen == gen {
			s.view = end
		}
		p, err := l.find(s, after)
		if err != nil {
			yield(nil, fault.Disk("read log", err))
			return
		}
		if !p.held(after) {
			after = p.prev
		}
		good := func(off int64) int64 { return l.goodFrom(s.gen, off) }
		for raw, err := range s.forward(p.off, min(after, s.last), good) {
			if !yield(raw, fault.Disk("read log", err)) {
				return
			}
		}
	}
}

// goodFrom returns how much of the file from off on is known to be whole, if it is
// still the log's.
func (l *Log) goodFrom(gen int, off int64) int64 {
	l.pub.Lock()
	defer l.pub.Unlock()
	if l.gen != gen {
		return 0
	}
	return l.good.rest(off)
}

// Backward yields the lines from the last to the first, without their line
// feeds. They may be kept. It reads blocks from the end on, so that a caller who
// stops soon pays little.
func (l *Log) Backward() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s, err := l.own()
		if err != nil {
			yield(nil, err)
			return
		}
		defer s.file.Close() //nolint:errcheck // only read
		for ln, err := range s.back(s.file, s.size, s.last) {
			if !yield(ln.raw, fault.Disk("read log", err)) {
				return
			}
		}
	}
}
