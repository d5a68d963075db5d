package eventlog

import (
	"bytes"
	"sync"
)

// maxShared is how many blocks of a log's file are kept for followers that come
// to the same place a little later.
const maxShared = 4

// shared is a block of a log's file, read once for all followers that come by.
// When neither the log nor a follower holds it, its memory is used again.
type shared struct {
	chunk

	buf   []byte // what chunk.b is a part of
	users int    // guarded by the log's pub
}

// blocks are the buffers of shared blocks.
var blocks = sync.Pool{New: func() any { return new([batchBytes]byte) }}

func newBuffer() []byte { return blocks.Get().(*[batchBytes]byte)[:] }

// letGo ends a use. It holds the log's pub.
func (s *shared) letGo() {
	if s.users--; s.users == 0 && cap(s.buf) == batchBytes {
		blocks.Put((*[batchBytes]byte)(s.buf[:batchBytes]))
	}
}

// shareLocked keeps a block that f has read and lets f hold it. It holds pub.
func (l *Log) shareLocked(f *Follower, c chunk, buf []byte) {
	s := &shared{chunk: c, buf: buf, users: 1}
	f.holds = s
	if len(l.followers) < 2 {
		return
	}
	s.users++
	if len(l.shared) == maxShared {
		l.shared[0].letGo()
		l.shared = append(l.shared[:0], l.shared[1:]...)
	}
	l.shared = append(l.shared, s)
}

// sharedLocked returns the lines of a kept block that follow what f has, and lets
// f hold it; nil if there are none. It holds pub.
func (l *Log) sharedLocked(f *Follower) (lines []byte, upto uint64) {
	for _, s := range l.shared {
		if f.off < s.base || f.off >= s.end() {
			continue
		}
		lines = s.b[f.off-s.base : len(s.b) : len(s.b)]
		if first, ok := peek(lines[:bytes.IndexByte(lines, '\n')]); !ok || first.before() != f.seq {
			return nil, 0 // events before it were lost: f is to be told
		}
		s.users++
		f.holds = s
		return lines, s.last
	}
	return nil, 0
}

// forgetLocked drops what of the file is in memory. It holds pub.
func (l *Log) forgetLocked() {
	l.tail = nil
	for _, s := range l.shared {
		s.letGo()
	}
	l.shared = nil
}
