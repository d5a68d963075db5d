//go:build real

package realtest_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/model/scripted"
	"signalbox/backend/wire"
)

func TestClaude_toolsThatFail(t *testing.T) {
	t.Parallel()
	for scenario, words := range map[string]string{"bad-tool": "No such tool", "edit-fail": ""} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			tools := of[wire.ToolUseEnd](newRig(t).run("SCENARIO "+scenario, wire.StatusOK))
			if len(tools) != 1 || tools[0].OK || !strings.Contains(tools[0].Output, words) {
				t.Errorf("tools: %+v", tools)
			}
		})
	}
}

// The connection broke, and the whole answer came by the second try. Where the
// CLI had a whole block before the break it keeps that, and the model, which is
// told to go on, says it again: that text really stands twice.
func TestClaude_recoversFromACutStream(t *testing.T) {
	t.Parallel()
	tn := newRig(t).run("SCENARIO cut", wire.StatusOK)
	got := tn.Text("")
	if got != "This will be cut\nnever" && got != "This will be cut\nThis will be cut\nnever" {
		t.Errorf("text = %q", got)
	}
	if len(of[wire.System](tn)) == 0 {
		t.Error("the second try was not noted")
	}
}

func TestClaude_planIsFollowedByWorkAfterTheModeChanges(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	planned := ended(r.start(wire.ModePlan, "SCENARIO plan", ""), wire.StatusOK)
	ended(r.start(wire.ModeCode, "SCENARIO write", r.session(planned).SessionID), wire.StatusOK)
	if diff := cmp.Diff(map[string]string{"made.txt": "one\ntwo\n"}, r.files()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestClaude_keyIsInNoEvent(t *testing.T) {
	t.Parallel()
	r := newRig(t, scripted.Scenario{Name: "env", Steps: func(tn scripted.Turn) []scripted.Step {
		return []scripted.Step{
			{Blocks: []scripted.Block{tn.Tools.Shell("echo begin; tr '\\0' '\\n' < /proc/$PPID/cmdline | grep -c sk-scripted; echo end")}},
			{Blocks: []scripted.Block{scripted.Text("Done.")}},
		}
	}})
	tn := r.run("SCENARIO env", wire.StatusOK)
	if out := of[wire.ToolUseEnd](tn)[0].Output; runtime.GOOS == "linux" && !strings.Contains(out, "begin\n0\nend") {
		t.Errorf("the key is on a command line: %q", out)
	}
	for _, ev := range tn.Events() {
		d, err := wire.NewDraft("", ev)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(d.Body), "sk-scripted") && d.Type != wire.TypeToolUseStart {
			t.Errorf("the key is in an event: %s", d.Body)
		}
	}
}
