//go:build real

package realtest_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// pidsOf makes the file to which the stuck command writes a pipe, and returns
// the pids as soon as the command says that it is ready.
func (r *rig) pidsOf() <-chan []int {
	r.t.Helper()
	path := filepath.Join(r.dir, "pids.txt")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		r.t.Fatal(err)
	}
	// Open for both, so that the pipe never ends between two writers.
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	ready := make(chan []int, 1) // one value, or closed when the pipe is
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(ready)
		var pids []int
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if lines.Text() == "ready" {
				ready <- pids
				return
			}
			pid, err := strconv.Atoi(lines.Text())
			if err != nil {
				r.t.Errorf("pid %q: %v", lines.Text(), err)
				return
			}
			pids = append(pids, pid)
		}
	}()
	r.t.Cleanup(func() {
		if err := f.Close(); err != nil {
			r.t.Error(err)
		}
		<-done
	})
	return ready
}
