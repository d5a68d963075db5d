package claude_test

import (
	"path/filepath"
	"strings"
	"testing"

	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/wire"
)

// A plan that is accepted goes back as a yes with its input as it came, and
// without the rules that the CLI suggests.
func TestRun_planAccepted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plan-accept", "plan-file-accept"} {
		record := filepath.Join(t.TempDir(), "record")
		r := runScript(t, fake.Script{Capture: agenttest.TwoWay(t, name), Record: record}, agenttest.Options{})
		r.Check(wire.StatusOK)
		asks := r.Asks()
		if len(asks) == 0 || asks[0].Kind != wire.ApprovalPlan || asks[0].Detail == "" {
			t.Errorf("%s: asked %+v", name, asks)
		}
		sent := strings.Join(stdin(t, record), "")
		if !strings.Contains(sent, `"behavior":"allow"`) || strings.Contains(sent, "updatedPermissions") {
			t.Errorf("%s: the CLI was told %s", name, sent)
		}
	}
}
