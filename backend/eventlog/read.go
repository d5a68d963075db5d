package eventlog

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"signalbox/backend/wire"
)

// batchBytes is how much a reader takes at once.
const batchBytes = 64 << 10

// view is a log's file as it was at one moment: what lies before size does not
// change until the file is replaced.
type view struct {
	start   int64 // where the first event begins
	size    int64 // where the last one ends
	last    uint64
	epoch   uint64
	created wire.Time
}

// block reads whole lines from off on: up to want bytes, or one line if that is
// longer.
func (v *view) block(f io.ReaderAt, off, want int64) ([]byte, error) {
	return v.blockInto(f, off, want, nil)
}

// blockInto is block into buf, as far as it is long enough.
func (v *view) blockInto(f io.ReaderAt, off, want int64, buf []byte) ([]byte, error) {
	for n := min(want, v.size-off); ; n = min(2*n, v.size-off) {
		if n > int64(len(buf)) {
			buf = make([]byte, n)
		}
		buf := buf[:n]
		if err := readFull(f, buf, off); err != nil {
			return nil, err
		}
		i := bytes.LastIndexByte(buf, '\n')
		if n > want {
			i = bytes.IndexByte(buf, '\n')
		}
		if i >= 0 {
			return buf[:i+1], nil
		}
		if off+n >= v.size {
			return nil, fmt.Errorf("read log at %d: %w", off, errChanged)
		}
	}
}

// readFull reads len(buf) bytes at off, which are known to be there.
func readFull(f io.ReaderAt, buf []byte, off int64) error {
	n, err := f.ReadAt(buf, off)
	switch {
	case n == len(buf):
		return nil
	case err == io.EOF: //nolint:errorlint // ReadAt returns it bare
		return fmt.Errorf("read log at %d: %w", off, errChanged)
	default:
		return fmt.Errorf("read log at %d: %w", off, err)
	}
}

// mended is what a reader gets of a block: lines in which no seq is missing.
type mended struct {
	lines []byte
	used  int    // how much of the block is done with
	upto  uint64 // the seq of the last line
	good  int    // how many bytes before used are lines, with nothing left out
}

// mend checks the lines of a block that follows the event prev. It skips what
// can't be read and ends before the next such place, so that the lines stay the
// bytes of the block. Lines that stand for lost events come alone.
func (v *view) mend(block []byte, prev uint64) mended {
	m := mended{upto: prev}
	for m.used < len(block) {
		n := bytes.IndexByte(block[m.used:], '\n') + 1
		h, ok := readLine(block[m.used : m.used+n-1])
		lost := uint64(0)
		if ok {
			lost, ok = missing(m.upto, h)
			ok = ok && h.seq <= v.last
		}
		if m.good > 0 && (!ok || lost > 0) {
			break
		}
		if lost > 0 {
			m.lines, m.upto = v.fill(nil, newGap(m.upto, lost)), h.before()
			return m
		}
		m.used += n
		if ok {
			m.good, m.upto = m.good+n, h.seq
		}
	}
	m.lines = block[m.used-m.good : m.used]
	return m
}

// fill appends the lines of a gap.
func (v *view) fill(b []byte, g gap) []byte {
	for seq := g.from; seq <= g.to; seq++ {
		b = append(v.lost(b, seq), '\n')
	}
	if g.jump > 0 {
		b = append(v.jump(b, g), '\n')
	}
	return b
}

// forward yields the lines from off on, where prev is the event before. Good tells
// how much of the file from an offset on needs no second look.
func (s *snap) forward(off int64, prev uint64, good func(off int64) int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for off < s.size {
			m, _, err := s.take(off, prev, good(off), nil)
			if err != nil {
				yield(nil, err)
				return
			}
			off, prev = off+int64(m.used), m.upto
			for raw := range bytes.Lines(m.lines) {
				if !yield(raw[:len(raw)-1], nil) {
					return
				}
			}
		}
	}
}
