package claude_test

import (
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/claude"
)

func TestMain(m *testing.M) { agenttest.Main(m) }

// provider returns Claude Code with the fake in the place of its CLI.
func provider(t testing.TB, s fake.Script) *claude.Provider {
	t.Helper()
	return claude.New(agenttest.FakeOptions(t, s))
}

// T9 is among the contract's tests.
func TestContract(t *testing.T) {
	t.Parallel()
	agenttest.Run(t, agenttest.Captured("/pdf ", func(t testing.TB, s fake.Script) agent.Provider { return provider(t, s) }))
}
