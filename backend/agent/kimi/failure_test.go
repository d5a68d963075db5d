package kimi_test

import (
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/agent/kimi"
)

func TestFailures(t *testing.T) {
	t.Parallel()
	list := agenttest.TypicalFailures(t)
	one := 1
	for cause, f := range map[string]agenttest.Failure{
		"too old": {Script: fake.Script{
			ExitEarly: true, Exit: &one, Stderr: "file:///kimi.js:1\nimport { x } from 'node:y'\n\nSyntaxError: nothing like that\n    at link (node:internal)\n\nNode.js v20.20.2\n",
		}},
		"the limit is reached, with a time": {Never: "Kimi Code does not tell when its provider's limit is lifted."},
		"the session is unknown":            {Session: "session_00000000-0000-4000-8000-000000000000", Script: fake.Script{Capture: agenttest.TwoWay(t, "text")}},
		"another one writes to the session": {Never: "Kimi Code lets two write. Signalbox itself runs one prompt of a chat at a time."},
		"the sandbox does not work":         {Never: "Kimi Code asks instead of using a sandbox."},
	} {
		list[cause] = f
	}
	agenttest.Failures(t, *update, func(o dialog.Options) agent.Provider { return kimi.New(o) }, list, "KIMI_CODE_HOME="+t.TempDir())
}
