package kimi_test

import (
	"os"
	"path/filepath"
	"testing"

	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/kimi"
)

func TestMain(m *testing.M) { agenttest.Main(m) }

// provider returns Kimi Code with the fake in the place of its CLI.
func provider(t testing.TB, s fake.Script) *kimi.Provider {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return kimi.New(kimi.Options{Path: exe, Env: s.Env(), Environ: []string{
		"PATH=/usr/bin:/bin", "HOME=/nonexistent", "KIMI_CODE_HOME=" + t.TempDir(),
	}})
}

// twoWay is the base of a two-way capture.
func twoWay(t testing.TB, name string) string {
	t.Helper()
	base, err := filepath.Abs(filepath.Join("testdata", "two-way", name))
	if err != nil {
		t.Fatal(err)
	}
	return base
}

// T9 is among the contract's tests.
func TestContract(t *testing.T) {
	t.Parallel()
	agenttest.Run(t, func(t *testing.T, s agenttest.Scene) agenttest.Part {
		var script fake.Script
		switch s {
		case agenttest.Answer:
			script.Capture = twoWay(t, "text")
		case agenttest.Tool:
			script.Capture = twoWay(t, "approve-once")
		case agenttest.MidText:
			script.Capture = twoWay(t, "interrupt-text")
		case agenttest.MidTool:
			script.Capture = twoWay(t, "interrupt-tool")
		case agenttest.Fail:
			script.Capture = twoWay(t, "error401")
		case agenttest.Continue:
			script.Capture = twoWay(t, "resume-1-first")
			script.ResumeCapture = twoWay(t, "resume-2-resumed")
		case agenttest.Leftover:
			script = fake.Script{
				Capture: twoWay(t, "lose-kill-tool"), IgnoreInterrupt: true, IgnoreEOF: true, IgnoreSignals: true,
				Grandchild: "session", PIDFile: filepath.Join(t.TempDir(), "pid"),
			}
		default:
			t.Fatalf("scene %s is not known", s)
		}
		return agenttest.Part{Provider: provider(t, script), Prompt: "go"}
	})
}
