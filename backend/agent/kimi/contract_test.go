package kimi_test

import (
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/kimi"
)

func TestMain(m *testing.M) { agenttest.Main(m) }

// provider returns Kimi Code with the fake in the place of its CLI.
func provider(t testing.TB, s fake.Script) *kimi.Provider {
	t.Helper()
	return kimi.New(agenttest.FakeOptions(t, s, "KIMI_CODE_HOME="+t.TempDir()))
}

// T9 is among the contract's tests.
func TestContract(t *testing.T) {
	t.Parallel()
	agenttest.Run(t, agenttest.Captured("", func(t testing.TB, s fake.Script) agent.Provider { return provider(t, s) }))
}
