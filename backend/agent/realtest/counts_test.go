//go:build real

package realtest_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent/agenttest"
	"signalbox/backend/model/scripted"
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
	var cost float64
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
		cost += r.checkCost(v, n, tn.Result.Usage)
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
	if want := v.cost(t, r.model.Requests()); !near(cost, want) {
		t.Errorf("all ten cost $%.8f, and the model charged $%.8f", cost, want)
	}
}

// prices are what a model costs, in USD a million tokens.
type prices struct{ input, output, cacheRead, cacheWrite float64 }

// cost is what whole answers cost by the vendor's list of prices; 0 where its
// agent tells no cost.
func (v vendor) cost(t *testing.T, answers []scripted.Request) float64 {
	t.Helper()
	var usd float64
	for _, req := range answers {
		if v.prices == nil || req.End != scripted.EndWhole || req.Usage == (scripted.Usage{}) {
			continue
		}
		p, ok := v.prices[req.Model]
		if !ok {
			t.Errorf("no price is known for the model %q", req.Model)
		}
		usd += (float64(req.Usage.Input)*p.input + float64(req.Usage.Output)*p.output +
			float64(req.Usage.CacheRead)*p.cacheRead + float64(req.Usage.CacheWrite)*p.cacheWrite) / 1e6
	}
	return usd
}

// checkCost compares what a run tells that it cost with what the model charged
// from the request n on, and returns what it tells. An agent that tells no cost
// has none that is unknown, never a zero.
func (r *rig) checkCost(v vendor, n int, told *wire.Usage) float64 {
	r.t.Helper()
	switch {
	case told == nil:
		r.t.Errorf("no usage is told")
	case v.prices == nil:
		if told.CostUSD != nil || told.CostKind != "" {
			r.t.Errorf("a cost is told, and the agent knows none: %+v", told)
		}
	case told.CostUSD == nil || told.CostKind != wire.CostExact:
		r.t.Errorf("cost %v, kind %q; want an exact one", told.CostUSD, told.CostKind)
	default:
		var since []scripted.Request
		for _, req := range r.model.Requests() {
			if req.N >= n {
				since = append(since, req)
			}
		}
		if want := v.cost(r.t, since); !near(*told.CostUSD, want) {
			r.t.Errorf("the run tells $%.8f, and the model charged $%.8f", *told.CostUSD, want)
		}
		return *told.CostUSD
	}
	return 0
}

// near tells whether two costs differ by nothing but rounding.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
