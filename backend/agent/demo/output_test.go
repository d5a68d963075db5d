package demo_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"signalbox/backend/agent/demo"
)

// T2: characters that are cut between two writes come out whole.
func FuzzOutput_isWholeTextHoweverItIsCut(f *testing.F) {
	f.Add([]byte("a — b 😀 c"), 3)
	f.Add([]byte("\xe2\x80"), 1)
	f.Add([]byte("\xff\xfe\xf0\x9f\x98"), 2)
	f.Fuzz(func(t *testing.T, out []byte, size int) {
		size = max(1, size)
		var chunks [][]byte
		for rest := out; len(rest) > 0; {
			n := min(size, len(rest))
			chunks, rest = append(chunks, rest[:n]), rest[n:]
		}
		deltas, whole, err := demo.Output(chunks...)
		if err != nil {
			t.Fatal(err)
		}
		if joined := strings.Join(deltas, ""); joined != whole {
			t.Errorf("streamed %q, whole %q", joined, whole)
		}
		for _, d := range deltas {
			if d == "" || !utf8.ValidString(d) {
				t.Errorf("delta %q is empty or not UTF-8", d)
			}
		}
		if utf8.Valid(out) && whole != string(out) {
			t.Errorf("whole %q, want %q", whole, out)
		}
	})
}

func TestOutput_isBounded(t *testing.T) {
	t.Parallel()
	_, whole, err := demo.Output(bytes.Repeat([]byte("x"), 2<<20-1), []byte("yz"), bytes.Repeat([]byte("\xff"), 100))
	if err != nil {
		t.Fatal(err)
	}
	if want := "y\n… 101 more bytes are not shown\n"; !strings.HasSuffix(whole, want) || len(whole) != 2<<20-1+len(want) {
		t.Errorf("%d bytes that end in %q", len(whole), whole[len(whole)-60:])
	}
}
