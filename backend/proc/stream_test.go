package proc_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// T1 through a real pipe.
func TestChild_longLines(t *testing.T) {
	t.Parallel()
	sizes := []int{65_535, 65_536, 65_537, 1<<20 + 1, 16<<20 + 1, 20 << 20}
	args := []string{"line"}
	for _, n := range sizes {
		args = append(args, strconv.Itoa(n))
	}
	c := play(t, args...)
	for _, n := range sizes {
		line, err := c.Line()
		if err != nil || len(line) != n+len(`{"text":""}`) {
			t.Fatalf("line of %d bytes, %v; want a text of %d", len(line), err, n)
		}
	}
	if got := readLine(t, c); got != `{"text":"next"}` {
		t.Errorf("next line %q", got)
	}
	atEnd(t, c)
	wantExit(t, c, proc.Exit{})
}

func TestChild_lineOverTheLimitGoesToItsSpill(t *testing.T) {
	t.Parallel()
	const size = 64<<20 + 1
	var b counted
	var refs []wire.BlobRef
	s := spec(t, "line", strconv.Itoa(size))
	s.Spill = func() (proc.Spill, error) { return &b, nil }
	s.OnCut = func(r wire.BlobRef) { refs = append(refs, r) }
	c, err := launcher(t, quick).Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got := readLine(t, c); got != `{"text":"next"}` {
		t.Errorf("next line %q", got)
	}
	wantExit(t, c, proc.Exit{})
	if b.n != size+len(`{"text":""}`) || len(refs) != 1 || refs[0].Bytes != int64(b.n) {
		t.Errorf("spilled %d bytes, refs %v", b.n, refs)
	}
}

// counted is a Spill that only counts.
type counted struct{ n int }

func (c *counted) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }

func (c *counted) Commit() (wire.BlobRef, error) { return wire.BlobRef{Bytes: int64(c.n)}, nil }

func (c *counted) Abort() error { return nil }

// stderr never holds the child up, and its end is kept.
func TestChild_floodsStderr(t *testing.T) {
	t.Parallel()
	c := play(t, "flood", strconv.Itoa(10<<10))
	if got := readLine(t, c); got != "done" {
		t.Fatalf("line %q", got)
	}
	atEnd(t, c)
	wantExit(t, c, proc.Exit{})
	stderr := c.Wait().Stderr
	if n := len(stderr); n > 64<<10 || n < 63<<10 {
		t.Errorf("%d bytes of stderr are kept", n)
	}
	if want := strings.Repeat("a line of the flood\n", len(stderr)/20); stderr != want {
		t.Errorf("stderr begins %.40q and is not whole lines", stderr)
	}
}

// A child that never reads does not hold a writer for ever.
func TestChild_neverReadsItsStdin(t *testing.T) {
	t.Parallel()
	big := bytes.Repeat([]byte("x"), 1<<20)
	tests := []struct {
		name string
		end  func(*proc.Child)
		want error
	}{
		{"deadline", func(c *proc.Child) {
			c.Stdin().(interface{ SetWriteDeadline(time.Time) error }).SetWriteDeadline(time.Unix(1, 0))
		}, os.ErrDeadlineExceeded},
		{"closed", func(c *proc.Child) { c.Stdin().Close() }, os.ErrClosed},
		{"stopped", func(c *proc.Child) { c.Stop() }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := play(t, "hold")
			readLine(t, c)
			wrote := make(chan error, 1)
			go func() {
				_, err := c.Stdin().Write(big)
				wrote <- err
			}()
			tt.end(c)
			if err := <-wrote; err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("write: %v, want %v", err, tt.want)
			}
		})
	}
}

// An unread stdout holds the child up and nothing else, and is not lost.
func TestChild_stdoutNobodyReads(t *testing.T) {
	t.Parallel()
	c := play(t, "line", strconv.Itoa(1<<20))
	c.Stop()
	wantExit(t, c, proc.Exit{Code: -1, Signal: "interrupt"})
	line, err := c.Line()
	if err != nil && err != io.EOF || len(line) > 64<<10 {
		t.Fatalf("line of %d bytes, %v", len(line), err)
	}
}

// What was written before the end can be read after it.
func TestChild_lateLinesAreRead(t *testing.T) {
	t.Parallel()
	c := play(t, "env")
	wantExit(t, c, proc.Exit{})
	n := 0
	for {
		if _, err := c.Line(); err != nil {
			break
		}
		n++
	}
	if n < 5 {
		t.Errorf("%d lines", n)
	}
}
