package codex_test

import (
	"encoding/json"
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/codex"
	"signalbox/backend/agent/dialog"
)

func TestFailures(t *testing.T) {
	t.Parallel()
	list := agenttest.TypicalFailures(t)
	const (
		session = "00000000-0000-4000-8000-000000000000"
		used    = `{"method":"account/rateLimits/updated","params":{"rateLimits":{"primary":{"usedPercent":100,"windowDurationMins":300,"resetsAt":1999999999}}}}`
	)
	for cause, f := range map[string]agenttest.Failure{
		"too old": {Script: fake.Script{
			Capture: agenttest.TwoWay(t, "text"),
			Refuse:  map[string]json.RawMessage{"thread/start": json.RawMessage(`{"code":-32600,"message":"Invalid request: unknown variant ` + "`thread/start`, expected one of `newConversation`, `sendUserTurn`" + `"}`)},
		}},
		"the connection is refused":         {Script: fake.Script{Capture: agenttest.TwoWay(t, "conn-refused-bounded")}},
		"the limit is reached, with a time": {Script: fake.Script{Capture: agenttest.TwoWay(t, "quota"), Before: []string{used}}},
		"the session is unknown":            {Session: session, Script: fake.Script{Capture: agenttest.TwoWay(t, "text")}},
		"another one writes to the session": {Session: session, Script: fake.Script{
			Capture: agenttest.TwoWay(t, "text"),
			Refuse:  map[string]json.RawMessage{"thread/resume": json.RawMessage(`{"code":-32600,"message":"thread already has an active writer"}`)},
		}},
		"the sandbox does not work": {Script: fake.Script{
			Capture: agenttest.TwoWay(t, "error401"),
			Replace: [][2]string{
				{`{"httpConnectionFailed":{"httpStatusCode":401}}`, `"sandboxError"`},
				{`unexpected status 401 Unauthorized: invalid x-api-key, url: http://127.0.0.1:8099/v1/responses`, `bwrap: No permissions to create new namespace`},
			},
		}},
	} {
		list[cause] = f
	}
	agenttest.Failures(t, *update, func(o dialog.Options) agent.Provider { return codex.New(o) }, list)
}
