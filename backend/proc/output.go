package proc

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// output is the daemon's end of a child's stdout or stderr. When the child's
// tree is gone, finish brings the end also where somebody else, whom the
// descriptor was given, still holds the other end open.
type output struct {
	f *os.File

	mu sync.Mutex // held by whoever reads

	finished bool
	rest     []byte // read by finish
}

// maxRest is more than a pipe holds unless root made it larger.
const maxRest = 1 << 20

func (o *output) Read(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.finished {
		n, err := o.f.Read(p)
		switch {
		case err == nil:
			return n, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			o.finishLocked()
		default:
			o.finished = true
			_ = o.f.Close() // read to its end
			return n, err
		}
	}
	if len(o.rest) == 0 {
		o.rest = nil
		return 0, io.EOF
	}
	n := copy(p, o.rest)
	o.rest = o.rest[n:]
	return n, nil
}

// finish takes what is in the pipe and closes it. A reader gets that, then
// io.EOF.
func (o *output) finish() {
	_ = o.f.SetReadDeadline(time.Unix(1, 0)) // closed already is fine
	o.mu.Lock()
	defer o.mu.Unlock()
	o.finishLocked()
}

func (o *output) finishLocked() {
	if o.finished {
		return
	}
	o.finished = true
	// Read refuses after the deadline, whatever there is to read.
	raw, err := o.f.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { o.rest = readRest(int(fd)) }) // an error means closed
	}
	_ = o.f.Close() // read to its end
}

func readRest(fd int) []byte {
	var rest []byte
	buf := make([]byte, 64<<10)
	for len(rest) < maxRest {
		n, err := syscall.Read(fd, buf)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			break // nothing now, so nothing ever
		}
		rest = append(rest, buf[:n]...)
	}
	return rest
}

// input is the daemon's end of a child's stdin.
type input struct{ *os.File }

// Close may be called again.
func (i input) Close() error {
	if err := i.File.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
