package proc_test

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"signalbox/backend/proc"
)

// TestMain also plays the supervise command, the daemon and the programs that
// tests start: they are this binary with a word as its first argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if os.Args[1] == "supervise" {
			os.Exit(proc.Supervise())
		}
		if play, ok := roles[os.Args[1]]; ok {
			play(os.Args[2:])
			syscall.Exit(0) // os.Exit waits a second under the race detector
		}
	}
	goleak.VerifyTestMain(m)
}

func die(err error) {
	fmt.Fprintln(os.Stderr, err)
	syscall.Exit(3)
}
