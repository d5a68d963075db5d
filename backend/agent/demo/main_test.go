package demo_test

import (
	"context"
	"os"
	"testing"

	"go.uber.org/goleak"

	"signalbox/backend/agent/demo"
)

// asAgent makes this test binary play the agent's process.
const asAgent = "DEMO_TEST_AS_AGENT"

func TestMain(m *testing.M) {
	if os.Getenv(asAgent) != "" {
		os.Exit(demo.Main(context.Background(), os.Stdin, os.Stdout, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}
