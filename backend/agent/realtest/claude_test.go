//go:build real

package realtest_test

import (
	"runtime"
	"strings"
	"sync/atomic"
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

// The connection breaks once, and the whole answer comes by a later try. Where
// the CLI had a whole block before the break it keeps that and asks the model to
// go on, so what it kept stands before the answer.
func TestClaude_recoversFromACutStream(t *testing.T) {
	t.Parallel()
	const kept, whole = "This will be cut", "This is whole."
	var asked atomic.Int32
	r := newRig(t, scripted.Scenario{Name: "cut-once", Steps: func(scripted.Turn) []scripted.Step {
		if asked.Add(1) == 1 {
			return []scripted.Step{{Blocks: []scripted.Block{scripted.Text(kept), scripted.Text("never")}, Fault: scripted.Cut{After: 1}}}
		}
		return []scripted.Step{{Blocks: []scripted.Block{scripted.Text(whole)}}}
	}})
	tn := r.run("SCENARIO cut-once", wire.StatusOK)
	if got := tn.Text(""); got != whole && got != kept+"\n"+whole {
		t.Errorf("text = %q", got)
	}
	if asked.Load() < 2 {
		t.Error("the model was asked once: nothing was tried again")
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
