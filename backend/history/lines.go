package history

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"os"
	"syscall"
)

// maxLine is the longest line that is read; what is longer is passed over.
const maxLine = 64 << 20

// lines yields the lines of a plain file, without their line feeds. They are
// valid until the next one.
func lines(path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close() //nolint:errcheck // only read
		r := bufio.NewReaderSize(f, 256<<10)
		var long []byte
		skip := false
		for {
			part, err := r.ReadSlice('\n')
			if len(long)+len(part) > maxLine {
				skip, long = true, nil
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				if !skip {
					long = append(long, part...)
				}
				continue
			}
			line := part
			if len(long) > 0 {
				line = append(long, part...)
			}
			// A last line without its end is still being written.
			if err == nil && !skip {
				if line = bytes.TrimSpace(line); len(line) > 0 && !yield(line, nil) {
					return
				}
			}
			long, skip = long[:0], false
			if cap(long) > 1<<20 {
				long = nil
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}
