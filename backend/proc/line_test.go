package proc_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

func readAll(t testing.TB, r *proc.LineReader) []string {
	t.Helper()
	var got []string
	for {
		line, err := r.Line()
		if err == io.EOF {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(line))
	}
}

func readBatches(t testing.TB, r *proc.LineReader) []string {
	t.Helper()
	var got []string
	for {
		batch, err := r.Batch()
		if err == io.EOF {
			return got
		}
		if err != nil || len(batch) == 0 {
			t.Fatalf("a batch of %d lines, %v", len(batch), err)
		}
		for _, line := range batch {
			got = append(got, string(line))
		}
	}
}

// T3a, and what else a stream may hold.
func TestLineReader(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 100_000)
	tests := []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"lines", "a\nb\n", []string{"a", "b"}},
		{"last line without an end", "a\nb", []string{"a", "b"}},
		{"CRLF", "{\"a\":1}\r\n{\"b\":2}\r\n", []string{`{"a":1}`, `{"b":2}`}},
		{"CR inside", "10%\r20%\r\r\nnext\n", []string{"10%\r20%\r", "next"}},
		{"CR at the end of the stream", "a\r", []string{"a\r"}},
		{"empty lines", "\n\r\na\n\n", []string{"", "", "a", ""}},
		{"separators that are no line end", "a\u2028b\u0085c\x00\vd\n", []string{"a\u2028b\u0085c\x00\vd"}},
		{"long line", long + "\nnext\n", []string{long, "next"}},
		{"long line with CRLF", long + "\r\nnext\n", []string{long, "next"}},
		{"long last line", "a\n" + long, []string{"a", long}},
		{"exactly the buffer", strings.Repeat("x", 64<<10) + "\nnext", []string{strings.Repeat("x", 64<<10), "next"}},
		{"exactly the buffer with its end", strings.Repeat("x", 64<<10-1) + "\nnext", []string{strings.Repeat("x", 64<<10-1), "next"}},
		{"buffer ends between CR and LF", strings.Repeat("x", 64<<10-1) + "\r\nnext", []string{strings.Repeat("x", 64<<10-1), "next"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for name, r := range map[string]io.Reader{
				"whole":        strings.NewReader(tt.in),
				"byte a read":  iotest.OneByteReader(strings.NewReader(tt.in)),
				"data and EOF": iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				got := readAll(t, proc.NewLineReader(r, proc.LineOptions{}))
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// T2: a rune that is cut by reads is whole, at the edge of the buffer too.
func TestLineReader_runeCutByReads(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a—b", "a😀b"} {
		for _, pad := range []int{0, 64<<10 - 12, 64<<10 - 11, 64<<10 - 10, 64<<10 - 9, 64<<10 - 8} {
			in := `{"text":"` + strings.Repeat("x", pad) + text + `"}` + "\n"
			for cut := 9 + pad; cut < len(in); cut++ {
				r := io.MultiReader(strings.NewReader(in[:cut]), strings.NewReader(in[cut:]))
				got := readAll(t, proc.NewLineReader(r, proc.LineOptions{}))
				if len(got) != 1 || got[0] != strings.TrimSuffix(in, "\n") {
					t.Fatalf("pad %d, cut %d: lines differ", pad, cut)
				}
			}
		}
	}
}

// blob is a Spill in memory.
type blob struct {
	bytes.Buffer

	failAfter int // bytes; 0 never
	failEnd   bool
	ended     string
}

var errFull = errors.New("disk full")

func (b *blob) Write(p []byte) (int, error) {
	if b.failAfter > 0 && b.Len()+len(p) > b.failAfter {
		return 0, errFull
	}
	return b.Buffer.Write(p)
}

func (b *blob) Commit() (wire.BlobRef, error) {
	if b.failEnd {
		return wire.BlobRef{}, errFull
	}
	b.ended = "committed"
	sum := sha256.Sum256(b.Bytes())
	return wire.BlobRef{SHA256: hex.EncodeToString(sum[:]), Bytes: int64(b.Len())}, nil
}

func (b *blob) Abort() error {
	b.ended = "aborted"
	return nil
}

// T1: a line over the limit goes to a blob whole, is told, and the next parses.
func TestLineReader_lineOverTheLimitIsSpilled(t *testing.T) {
	t.Parallel()
	const limit = 200_000
	for _, size := range []int{limit - 1, limit, limit + 1, limit + 2, limit + 3, 2 * limit, 5_000_000} {
		for _, end := range []string{"\n", "\r\n", ""} {
			t.Run(fmt.Sprintf("%d%q", size, end), func(t *testing.T) {
				t.Parallel()
				long := strings.Repeat("0123456789", size/10+1)[:size]
				in := "first\n" + long + end
				want := []string{"first"}
				if size <= limit {
					want = append(want, long)
				}
				if end != "" {
					in += "next\n"
					want = append(want, "next")
				}
				var b blob
				var refs []wire.BlobRef
				got := readAll(t, proc.NewLineReader(strings.NewReader(in), proc.LineOptions{
					Limit: limit,
					Spill: func() (proc.Spill, error) { return &b, nil },
					OnCut: func(r wire.BlobRef) { refs = append(refs, r) },
				}))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("lines differ: %d bytes of difference", len(diff))
				}
				if size <= limit {
					if len(refs) > 0 || b.Len() > 0 {
						t.Errorf("%d bytes were cut", b.Len())
					}
					return
				}
				if len(refs) != 1 || b.ended != "committed" || strings.TrimSuffix(b.String(), "\r") != long || refs[0].Bytes != int64(b.Len()) {
					t.Errorf("refs %v, spill of %d bytes %s", refs, b.Len(), b.ended)
				}
			})
		}
	}
}

// What can't be kept is told too, and reading goes on.
func TestLineReader_spillThatFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spill func(*blob) func() (proc.Spill, error)
		ended string
	}{
		{"none", func(*blob) func() (proc.Spill, error) { return nil }, ""},
		{"does not open", func(*blob) func() (proc.Spill, error) {
			return func() (proc.Spill, error) { return nil, errFull }
		}, ""},
		{"does not take it", func(b *blob) func() (proc.Spill, error) {
			b.failAfter = 300
			return func() (proc.Spill, error) { return b, nil }
		}, "aborted"},
		{"does not end", func(b *blob) func() (proc.Spill, error) {
			b.failEnd = true
			return func() (proc.Spill, error) { return b, nil }
		}, "aborted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b blob
			var refs []wire.BlobRef
			in := strings.Repeat("x", 1000) + "\nnext\n"
			got := readAll(t, proc.NewLineReader(strings.NewReader(in), proc.LineOptions{
				Limit: 100, Spill: tt.spill(&b), OnCut: func(r wire.BlobRef) { refs = append(refs, r) },
			}))
			if diff := cmp.Diff([]string{"next"}, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]wire.BlobRef{{Bytes: 1000}}, refs); diff != "" || b.ended != tt.ended {
				t.Errorf("spill %q, refs (-want +got):\n%s", b.ended, diff)
			}
		})
	}
}

func TestLineReader_errorComesAfterWhatWasRead(t *testing.T) {
	t.Parallel()
	r := proc.NewLineReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(errFull)), proc.LineOptions{})
	for _, want := range []string{"a", "b"} {
		if line, err := r.Line(); err != nil || string(line) != want {
			t.Fatalf("line %q, %v; want %q", line, err, want)
		}
	}
	for range 2 {
		if _, err := r.Line(); !errors.Is(err, errFull) {
			t.Fatalf("error %v, want %v", err, errFull)
		}
	}
}

// A line of 64 MiB takes twice its size while it is put together, and nothing
// once it is let go.
func TestLineReader_memoryOfALongLine(t *testing.T) {
	const size = 64 << 20
	in := io.MultiReader(io.LimitReader(forever('x'), size), strings.NewReader("\nnext\n"))
	r := proc.NewLineReader(in, proc.LineOptions{})
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := heap()
	line, err := r.Line()
	if err != nil || len(line) != size {
		t.Fatalf("%d bytes, %v", len(line), err)
	}
	if took := heap() - before; took > 2*size+16<<20 {
		t.Errorf("took %d MiB for %d", took>>20, size>>20)
	}
	if line, err = r.Line(); err != nil || string(line) != "next" {
		t.Fatalf("line %.20q, %v", line, err)
	}
	runtime.GC()
	if kept := heap() - before; kept > 1<<20 {
		t.Errorf("kept %d KiB", kept>>10)
	}
}

type forever byte

func (f forever) Read(p []byte) (int, error) {
	p[0] = byte(f)
	for n := 1; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
	return len(p), nil
}

func heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestLineReader_copiesNoShortLine(t *testing.T) {
	in := bytes.Repeat([]byte(strings.Repeat("x", 300)+"\n"), 2000)
	r := proc.NewLineReader(bytes.NewReader(in), proc.LineOptions{})
	if n := testing.AllocsPerRun(1000, func() {
		if _, err := r.Line(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a line", n)
	}
}

// Lines that are there come together, and neither they nor their number cost
// memory.
func TestLineReader_batch(t *testing.T) {
	const lines, each = 2000, 301
	in := bytes.Repeat([]byte(strings.Repeat("x", each-1)+"\n"), lines)
	r := proc.NewLineReader(bytes.NewReader(in), proc.LineOptions{})
	batches, got := 0, 0
	if n := testing.AllocsPerRun(1, func() {
		for {
			batch, err := r.Batch()
			if err != nil {
				return
			}
			batches, got = batches+1, got+len(batch)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if most := 2 + 2*lines*each/(64<<10); got != lines || batches > most {
		t.Errorf("%d lines in %d batches, want %d in at most %d", got, batches, lines, most)
	}
}

// However the bytes arrive, the lines are those of one split, and what is over
// the limit is in the spills.
func FuzzLineReader(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"), uint64(1), 4)
	f.Add([]byte("{\"a\":\"\xe2\x80\x94\"}\r\r\n\xff\x00\n"), uint64(2), 64)
	f.Add(bytes.Repeat([]byte("xyz\n\r"), 40), uint64(3), 2)
	f.Fuzz(func(t *testing.T, in []byte, seed uint64, limit int) {
		limit = 1 + max(limit, -limit-1, 0)%70_000
		// Make lines that are longer than the buffer.
		in = bytes.ReplaceAll(in, []byte("L"), bytes.Repeat([]byte("l"), 40_000))
		var want, spilled []string
		text := string(in)
		for text != "" {
			line, rest, ended := strings.Cut(text, "\n")
			text = rest
			content := line
			if ended {
				content = strings.TrimSuffix(line, "\r")
			}
			if len(content) > limit {
				spilled = append(spilled, line)
			} else {
				want = append(want, content)
			}
		}
		for name, read := range map[string]func(testing.TB, *proc.LineReader) []string{"Line": readAll, "Batch": readBatches} {
			var blobs []*blob
			cuts := 0
			got := read(t, proc.NewLineReader(&chunks{in, rand.New(rand.NewPCG(seed, 0))}, proc.LineOptions{
				Limit: limit,
				Spill: func() (proc.Spill, error) {
					blobs = append(blobs, &blob{})
					return blobs[len(blobs)-1], nil
				},
				OnCut: func(wire.BlobRef) { cuts++ },
			}))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("lines by %s (-want +got):\n%.2000s", name, diff)
			}
			var kept []string
			for _, b := range blobs {
				kept = append(kept, b.String())
			}
			if diff := cmp.Diff(spilled, kept); diff != "" || cuts != len(spilled) {
				t.Errorf("by %s %d cuts, spills (-want +got):\n%.2000s", name, cuts, diff)
			}
		}
	})
}

// chunks reads any number of bytes at a time.
type chunks struct {
	in  []byte
	rnd *rand.Rand
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.in) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.in[:1+c.rnd.IntN(len(c.in))])
	c.in = c.in[n:]
	return n, nil
}
