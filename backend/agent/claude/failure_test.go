package claude_test

import (
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/claude"
	"signalbox/backend/agent/dialog"
)

func TestFailures(t *testing.T) {
	t.Parallel()
	list := agenttest.TypicalFailures(t)
	const rejected = `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1999999999,"rateLimitType":"five_hour"}}`
	for cause, f := range map[string]agenttest.Failure{
		"too old":                           {Never: "An old version is told by the options that it does not take."},
		"the stream is cut":                 {Script: fake.Script{Capture: agenttest.TwoWay(t, "miderror")}},
		"the limit is reached, with a time": {Script: fake.Script{Capture: agenttest.TwoWay(t, "error429"), Before: []string{rejected}}},
		"the session is unknown": {
			Session: "00000000-0000-4000-8000-000000000000",
			Script:  fake.Script{Capture: agenttest.TwoWay(t, "text"), ResumeCapture: agenttest.TwoWay(t, "resume-3-unknown")},
		},
		"another one writes to the session": {Never: "Claude Code lets two write, and what they write mixes. Signalbox itself runs one prompt of a chat at a time."},
		"the sandbox does not work":         {Never: "Claude Code asks instead of using a sandbox."},
	} {
		list[cause] = f
	}
	agenttest.Failures(t, *update, func(o dialog.Options) agent.Provider { return claude.New(o) }, list)
}
