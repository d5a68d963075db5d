//go:build real

package realtest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent/agenttest"
	"signalbox/backend/wire"
)

func testCounts(t *testing.T, v vendor) {
	for _, scenario := range []string{"text", "thinking", "edit", "shell-fail", "subagent"} {
		r := v.rig(t)
		tn := r.run("SCENARIO "+scenario, wire.StatusOK)
		if diff := cmp.Diff(r.charged(0), counts(tn.Result.Usage)); diff != "" {
			t.Errorf("%s (-the model's +the agent's):\n%s", scenario, diff)
		}
		if u := tn.Result.Usage; u == nil || u.Model == "" || u.Context == 0 || u.ContextMax == 0 {
			t.Errorf("%s: usage %+v", scenario, u)
		}
	}
}

// testTenRuns: what each of ten runs of one chat tells is what the model counted for it,
// resumed, copied and with subagents: no total of a session is added up.
func testTenRuns(t *testing.T, v vendor) {
	r := v.rig(t)
	var sum wire.Usage
	session := ""
	for i, run := range []struct {
		scenario string
		fork     bool
	}{
		{"text", false},
		{"thinking", false},
		{"shell", false},
		{"subagent", false},
		{"edit", false},
		{"text", true},
		{"recall", false},
		{"subagent", true},
		{"shell-fail", false},
		{"recall", false},
	} {
		n := len(r.model.Requests())
		tn := agenttest.Start(t,
			agenttest.Part{Provider: r.agent, Prompt: "SCENARIO " + run.scenario, Mode: wire.ModeFullAuto},
			agenttest.Options{Cwd: r.dir, Session: session, Fork: run.fork})
		ended(tn, wire.StatusOK)
		session = r.session(tn).SessionID
		if diff := cmp.Diff(r.charged(n), counts(tn.Result.Usage)); diff != "" {
			t.Errorf("run %d, %s (-the model's +the agent's):\n%s", i+1, run.scenario, diff)
		}
		u := counts(tn.Result.Usage)
		sum.Input, sum.Output = sum.Input+u.Input, sum.Output+u.Output
		sum.CacheRead, sum.CacheWrite = sum.CacheRead+u.CacheRead, sum.CacheWrite+u.CacheWrite
	}
	if diff := cmp.Diff(r.charged(0), sum); diff != "" {
		t.Errorf("all ten (-the model's +the agent's):\n%s", diff)
	}
}
