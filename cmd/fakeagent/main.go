// Fakeagent stands in for a vendor's CLI in tests: it plays captures back, with
// faults. See package fake for the script that tells it what to do.
package main

import (
	"os"

	"signalbox/backend/agent/agenttest/fake"
)

func main() {
	os.Exit(fake.Main())
}
