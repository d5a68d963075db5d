package eventlog

import (
	"bytes"
	"io"
	"iter"

	"signalbox/backend/wire"
)

// backBytes is how much a reader that goes back takes first.
const backBytes = 16 << 10

// rawLine is a line of the file, whatever it holds.
type rawLine struct {
	raw  []byte // without its line feed
	off  int64
	torn bool // it has no line feed: only the last line of a file
}

// rawBack yields the lines between two offsets from the last to the first.
// Their bytes are not used again.
func rawBack(f io.ReaderAt, start, end, want int64) iter.Seq2[rawLine, error] {
	return func(yield func(rawLine, error) bool) {
		var buf []byte // what lies between lo and the line that was yielded last
		lo := end
		for first := true; lo > start || len(buf) > 0; {
			body, torn := bytes.CutSuffix(buf, []byte("\n"))
			torn = !torn && first
			i := bytes.LastIndexByte(body, '\n')
			if len(buf) == 0 || (i < 0 && lo > start) {
				// The line begins before the buffer. One that is longer than
				// all read so far doubles it, so that long lines cost no more
				// than their length.
				n := min(max(want, int64(len(buf))), lo-start)
				next := make([]byte, n+int64(len(buf)))
				if err := readFull(f, next[:n], lo-n); err != nil {
					yield(rawLine{}, err)
					return
				}
				copy(next[n:], buf)
				buf, lo = next, lo-n
				continue
			}
			if !yield(rawLine{raw: body[i+1:], off: lo + int64(i+1), torn: torn}, nil) {
				return
			}
			buf, first = buf[:i+1], false
		}
	}
}

// back yields the events before the offset end, from the last to the first. top
// is the seq that the last one should have.
func (v *view) back(f io.ReaderAt, end int64, top uint64) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		// fill yields the lines for what was lost down to and without prev.
		fill := func(prev uint64, off int64) bool {
			g := newGap(prev, top-prev)
			if g.jump > 0 && !yield(line{raw: v.jump(nil, g), off: off, head: head{seq: g.jump, typ: wire.TypeEpoch, keep: g.to}}, nil) {
				return false
			}
			for seq := g.to; seq >= g.from; seq-- {
				if !yield(line{raw: v.lost(nil, seq), off: off, head: head{seq: seq, typ: wire.TypeSystem}}, nil) {
					return false
				}
			}
			return true
		}
		after := end
		give := func(ln line) bool {
			ok := fill(ln.seq, after) && yield(ln, nil)
			top, after = ln.before(), ln.off
			return ok
		}
		// A line after which events are missing is held back until the one
		// before it tells that it belongs there.
		var held line
		for r, err := range rawBack(f, v.start, end, backBytes) {
			if err != nil {
				yield(line{}, err)
				return
			}
			h, ok := readLine(r.raw)
			if !ok || h.seq > top {
				continue
			}
			if held.seq > 0 && h.seq <= held.before() && !give(held) {
				return
			}
			held = line{raw: r.raw, off: r.off, head: h}
			if h.seq == top {
				if !give(held) {
					return
				}
				held = line{}
			}
		}
		if held.seq == 0 || give(held) {
			fill(0, after)
		}
	}
}
