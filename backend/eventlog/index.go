package eventlog

import (
	"bytes"
	"io"
	"slices"
)

const (
	probeBytes = 8 << 10  // a look into the middle of the file
	scanBytes  = 32 << 10 // below this, reading on is cheaper than another look
	markEvery  = 64 << 10
	maxMarks   = 256
)

// marks remember where some lines begin, so that a search starts near its end.
// They rise in both fields.
type marks []mark

type mark struct {
	seq uint64
	off int64
}

// note remembers a line unless one near it is known. When there are too many,
// every second is forgotten.
func (m *marks) note(seq uint64, off int64) {
	i, _ := slices.BinarySearchFunc(*m, off, func(a mark, off int64) int { return int(a.off - off) })
	if i > 0 && ((*m)[i-1].off > off-markEvery || (*m)[i-1].seq >= seq) ||
		i < len(*m) && ((*m)[i].off < off+markEvery || (*m)[i].seq <= seq) {
		return
	}
	*m = slices.Insert(*m, i, mark{seq, off})
	if len(*m) > maxMarks {
		for i := range maxMarks / 2 {
			(*m)[i] = (*m)[2*i]
		}
		*m = (*m)[:maxMarks/2]
	}
}

// around returns offsets of lines between which the first line after seq begins.
func (m marks) around(seq uint64, v *view) (lo, hi int64) {
	i, _ := slices.BinarySearchFunc(m, seq+1, func(a mark, seq uint64) int {
		if a.seq < seq {
			return -1
		}
		return 1
	})
	lo, hi = v.start, v.size
	if i > 0 {
		lo = m[i-1].off
	}
	if i < len(m) {
		hi = min(hi, m[i].off)
	}
	if lo > hi { // marks that are newer than the view
		lo = v.start
	}
	return lo, hi
}

// place is where a reader goes on: after the event prev comes the line at off.
type place struct {
	off  int64
	prev uint64
	next head // the line at off; the zero head at the end of the log
}

// held reports whether seq, for which p was found, is part of the chat: an event
// of the file, or one that was lost; not one that a rewind took out.
func (p place) held(seq uint64) bool {
	return seq == p.prev || (p.next.seq > 0 && seq <= p.next.before())
}

// find returns the place after the event seq, by bisecting between two lines.
func (v *view) find(f io.ReaderAt, seq uint64, lo, hi int64) (place, error) {
	for top := hi; top-lo > scanBytes; {
		mid := lo + (top-lo)/2
		at, err := v.probe(f, mid, top)
		if err != nil {
			return place{}, err
		}
		switch {
		case at.seq == 0 || at.seq > seq:
			top = mid
		default:
			lo = at.off
		}
	}
	p := place{off: lo}
	for p.off < v.size {
		b, err := v.block(f, p.off, scanBytes)
		if err != nil {
			return place{}, err
		}
		for raw := range bytes.Lines(b) {
			h, ok := readLine(raw[:len(raw)-1])
			if ok && h.seq > seq && h.seq <= v.last && h.before() >= p.prev {
				p.next = h
				return p, nil
			}
			if ok && h.seq > p.prev && h.seq <= seq {
				p.prev = h.seq
			}
			p.off += int64(len(raw))
		}
	}
	return p, nil
}

// probe returns the first line that begins between mid and top and is followed
// by the one that should follow; a line that is damaged could name any seq.
func (v *view) probe(f io.ReaderAt, mid, top int64) (mark, error) {
	for n := int64(probeBytes); ; n *= 4 {
		end := min(mid+n, v.size)
		buf := make([]byte, end-mid)
		if err := readFull(f, buf, mid); err != nil {
			return mark{}, err
		}
		i := bytes.IndexByte(buf, '\n')
		if i < 0 && end >= top {
			return mark{}, nil
		}
		var at mark // the candidate: the line before off
		for off := mid + int64(i+1); i >= 0; {
			buf = buf[i+1:]
			if i = bytes.IndexByte(buf, '\n'); i < 0 {
				break
			}
			h, ok := peek(buf[:i])
			if lost, fits := missing(at.seq, h); at.seq > 0 && ok && fits && lost == 0 {
				return at, nil
			}
			if off >= top {
				return mark{}, nil
			}
			at = mark{seq: h.seq, off: off}
			off += int64(i + 1)
		}
		if end == v.size {
			return mark{}, nil
		}
	}
}
