package eventlog

import "slices"

const (
	minChunk = 4 << 10
	maxTail  = 128 << 10
)

// chunk is a piece of the log's end in memory, for all followers at once. Bytes
// that were added never change, so followers read them without a lock.
type chunk struct {
	base int64  // the offset of its first byte
	b    []byte // whole lines; grows up to its capacity
	last uint64 // the seq of the last line
}

func (c *chunk) end() int64 { return c.base + int64(len(c.b)) }

// publishLocked shows readers what was written at the end of the file, and wakes
// those that wait. It holds pub.
func (l *Log) publishLocked(w *write, last uint64) {
	if len(l.followers) == 0 {
		l.forgetLocked()
	} else {
		from := 0
		for i, end := range w.ends {
			l.addLocked(w.buf[from:end], l.size+int64(from), l.last+uint64(i)+1)
			from = end
		}
	}
	end := l.size + int64(len(w.buf))
	l.good.add(l.size, end, true)
	l.marks.note(l.last+1, l.size)
	l.size, l.last = end, last
	l.wakeLocked()
}

// addLocked adds the line seq to the tail: to its last chunk if it fits, else to
// a new one.
func (l *Log) addLocked(line []byte, off int64, seq uint64) {
	n := len(l.tail)
	if n > 0 && l.tail[n-1].end() == off && cap(l.tail[n-1].b)-len(l.tail[n-1].b) >= len(line) {
		c := &l.tail[n-1]
		c.b, c.last = append(c.b, line...), seq
		return
	}
	// Chunks grow, so that a chat with little going on holds little.
	size := minChunk
	if n > 0 {
		size = min(2*cap(l.tail[n-1].b), batchBytes)
		if l.tail[n-1].end() != off {
			l.tail = nil
		}
	}
	c := chunk{base: off, b: append(make([]byte, 0, max(size, len(line))), line...), last: seq}
	total := cap(c.b)
	for i := len(l.tail) - 1; i >= 0; i-- {
		if total += cap(l.tail[i].b); total > maxTail {
			l.tail = slices.Delete(l.tail, 0, i+1)
			break
		}
	}
	l.tail = append(l.tail, c)
}

// tailLocked returns the lines in memory that begin at off, and the seq of the
// last of them.
func (l *Log) tailLocked(off int64) (lines []byte, upto uint64) {
	for i := len(l.tail) - 1; i >= 0; i-- {
		c := &l.tail[i]
		if off >= c.end() {
			return nil, 0
		}
		if off >= c.base {
			return c.b[off-c.base : len(c.b) : len(c.b)], c.last
		}
	}
	return nil, 0
}
