package proc

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

// tail keeps the last bytes of a stream. Its zero value keeps 64 KiB. It is an
// io.Writer that never fails.
type tail struct {
	mu sync.Mutex

	buf []byte // up to twice the size, so that bytes move once and not at each write
	cut bool   // something was dropped
}

const tailSize = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if len(p) > tailSize {
		p, t.cut = p[len(p)-tailSize:], true
	}
	if over := len(t.buf) + len(p) - 2*tailSize; over > 0 {
		keep := tailSize - min(tailSize, len(p))
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-keep:]...)
		t.cut = true
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// String returns the last 64 KiB as valid UTF-8. When something is missing it
// begins with a whole line, or, where no line ends, with a whole rune.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b, cut := t.buf, t.cut
	if len(b) > tailSize {
		b, cut = b[len(b)-tailSize:], true
	}
	if cut {
		if i := bytes.IndexByte(b, '\n'); i >= 0 && i+1 < len(b) {
			b = b[i+1:]
		} else {
			for len(b) > 0 && !utf8.RuneStart(b[0]) {
				b = b[1:]
			}
		}
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
