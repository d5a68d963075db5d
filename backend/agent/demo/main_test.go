package demo_test

import (
	"context"
	"os"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"signalbox/backend/agent/demo"
	"signalbox/backend/proc"
)

// TestMain also plays the processes that tests start: they are this binary with
// a command as its first argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "supervise":
			os.Exit(proc.Supervise())
		case "demo-agent":
			code := demo.Main(context.Background(), os.Stdin, os.Stdout, os.Args[2:])
			syscall.Exit(code) // os.Exit waits a second under the race detector
		case "broken-agent":
			syscall.Exit(brokenAgent(os.Args[2]))
		}
	}
	goleak.VerifyTestMain(m)
}
