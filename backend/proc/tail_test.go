package proc

import (
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 99) + "\n"
	tests := []struct {
		name, in, want string
	}{
		{"nothing", "", ""},
		{"little", "a\nb", "a\nb"},
		{"all that fits", strings.Repeat("y", tailSize), strings.Repeat("y", tailSize)},
		{"whole lines", strings.Repeat(line, 2000), strings.Repeat(line, tailSize/100)},
		{"one long line", strings.Repeat("z", 3*tailSize), strings.Repeat("z", tailSize)},
		{"whole runes", "a" + strings.Repeat("—", tailSize), strings.Repeat("—", tailSize/3)},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
		{"an end that is longer than the tail", "first\n" + strings.Repeat("z", 2*tailSize) + "\n", strings.Repeat("z", tailSize-1) + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, step := range []int{1 << 20, tailSize, 1000, 7} {
				var tl tail
				for in := tt.in; in != ""; {
					n := min(step, len(in))
					if k, err := tl.Write([]byte(in[:n])); k != n || err != nil {
						t.Fatal(k, err)
					}
					in = in[n:]
				}
				if got := tl.String(); got != tt.want {
					t.Errorf("in steps of %d: %d bytes %.20q, want %d %.20q", step, len(got), got, len(tt.want), tt.want)
				}
				if cap(tl.buf) > 3*tailSize {
					t.Errorf("buffer of %d bytes", cap(tl.buf))
				}
			}
		})
	}
}
