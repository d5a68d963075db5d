package fake

import (
	"bytes"
	"io"
	"os"
	"slices"
	"syscall"
	"time"
)

// output is stdout with the faults of a script. One goroutine writes.
type output struct {
	s       *Script
	written int64
	cuts    []int64  // offsets at which a write is cut, ascending
	gate    *os.File // opened at the first cut
	last    []byte   // the last line
	buf     []byte   // of the line that is written
}

func newOutput(s *Script) *output {
	cuts := slices.Clone(s.Split)
	slices.Sort(cuts)
	return &output{s: s, cuts: cuts}
}

// line prints b and a line's end, in one write unless the script cuts it.
func (o *output) line(b []byte) error {
	for _, r := range o.s.Replace {
		b = bytes.ReplaceAll(b, []byte(r[0]), []byte(r[1]))
	}
	o.last = b
	o.buf = append(o.buf[:0], b...)
	if o.s.CRLF {
		o.buf = append(o.buf, '\r')
	}
	o.buf = append(o.buf, '\n')
	return o.write(o.buf)
}

// text prints b as a line and cuts it at the script's offsets into the text
// that it holds.
func (o *output) text(b []byte, text string) error {
	if at := bytes.Index(b, []byte(text)); at >= 0 {
		for _, cut := range o.s.SplitText {
			o.cuts = append(o.cuts, o.written+int64(at+cut))
		}
		slices.Sort(o.cuts)
	}
	return o.line(b)
}

func (o *output) write(b []byte) error {
	for len(b) > 0 {
		n := int64(len(b))
		for len(o.cuts) > 0 && o.cuts[0] <= o.written {
			o.cuts = o.cuts[1:]
		}
		cut := len(o.cuts) > 0 && o.cuts[0] < o.written+n
		if cut {
			n = o.cuts[0] - o.written
		}
		if stop := o.s.StopAfter; stop > 0 && o.written+n >= stop {
			if err := o.put(b[:stop-o.written]); err != nil {
				return err
			}
			o.stop()
		}
		if err := o.put(b[:n]); err != nil {
			return err
		}
		b = b[n:]
		if cut {
			if err := o.pause(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *output) put(b []byte) error {
	n, err := os.Stdout.Write(b)
	o.written += int64(n)
	return err
}

// pause waits as the script says between two halves of a write.
func (o *output) pause() error {
	if o.s.Gate == "" {
		time.Sleep(time.Duration(o.s.PauseMS) * time.Millisecond)
		return nil
	}
	if o.gate == nil {
		f, err := os.Open(o.s.Gate)
		if err != nil {
			return err
		}
		o.gate = f
	}
	_, err := io.ReadFull(o.gate, make([]byte, 1))
	return err
}

// stop does what follows a script's StopAfter. It does not return.
func (o *output) stop() {
	switch o.s.Then {
	case "hang":
		hang()
	case "kill":
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL) // nothing is left to tell
		hang()
	default:
		code := 0
		if o.s.Exit != nil {
			code = *o.s.Exit
		}
		exit(code)
	}
}

// hang waits for the process to be ended from outside.
func hang() {
	for {
		time.Sleep(time.Hour)
	}
}

// exit ends the process at once: the race detector's own exit takes a second.
func exit(code int) {
	syscall.Exit(code)
}
