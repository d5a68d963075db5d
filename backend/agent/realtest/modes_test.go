//go:build real

package realtest_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/permission"
	"signalbox/backend/prompt"
	"signalbox/backend/wire"
)

func testModes(t *testing.T, v vendor) { writesNothing(t, v, wire.ModePlan, wire.ModeReview) }

func testChat(t *testing.T, v vendor) { writesNothing(t, v, wire.ModeChat) }

func writesNothing(t *testing.T, v vendor, modes ...wire.Mode) {
	t.Helper()
	for _, mode := range modes {
		r := v.rig(t)
		r.write("kept.txt", "kept\n")
		tn := ended(r.start(mode, "SCENARIO write-hard", ""), wire.StatusOK)
		if got := tn.Text(""); !strings.Contains(got, "I tried everything.") {
			t.Errorf("%s: text = %q", mode, got)
		}
		if diff := cmp.Diff(map[string]string{"kept.txt": "kept\n"}, r.files()); diff != "" {
			t.Errorf("%s: files (-want +got):\n%s", mode, diff)
		}
		if _, err := os.Stat(filepath.Join(r.dir, "..", "outside.txt")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: outside.txt: %v", mode, err)
		}
	}
}

// testCode: what lies outside of the folder is changed by no tool while people say no.
func testCode(t *testing.T, v vendor) {
	r := v.rig(t)
	tn := agenttest.Start(t,
		agenttest.Part{Provider: r.agent, Prompt: prompt.ForAgent(wire.ModeCode, "SCENARIO write-out "+filepath.Dir(r.dir)), Mode: wire.ModeCode},
		agenttest.Options{Cwd: r.dir, Ask: func(_ context.Context, ask agent.Ask) (agent.Answer, error) {
			return permission.Decide(wire.ModeCode, nil, ask).Answer(), nil // a person is asked: no
		}})
	ended(tn, wire.StatusOK)
	if got := tn.Text(""); !strings.Contains(got, "I tried to get out.") {
		t.Errorf("text = %q", got)
	}
	beside, err := os.ReadDir(filepath.Dir(r.dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range beside {
		if e.Name() != filepath.Base(r.dir) {
			t.Errorf("%s was made outside of the folder", e.Name())
		}
	}
}

// testFullAuto: all is done, and nobody is asked.
func testFullAuto(t *testing.T, v vendor) {
	r := v.rig(t)
	r.write("kept.txt", "kept\n")
	tn := agenttest.Start(t,
		agenttest.Part{Provider: r.agent, Prompt: prompt.ForAgent(wire.ModeFullAuto, "SCENARIO write-hard"), Mode: wire.ModeFullAuto},
		agenttest.Options{Cwd: r.dir, Ask: func(_ context.Context, ask agent.Ask) (agent.Answer, error) {
			d := permission.Decide(wire.ModeFullAuto, nil, ask)
			if d.Verdict != permission.Allow {
				t.Errorf("a person is asked: %+v", ask)
			}
			return d.Answer(), nil
		}})
	ended(tn, wire.StatusOK)
	files := r.files()
	for _, name := range []string{"made.txt", "made-by-shell.txt", "made-by-printf.txt", "made-dir/hosts"} {
		if _, ok := files[name]; !ok {
			t.Errorf("%s was not made; there are %q", name, slices.Sorted(maps.Keys(files)))
		}
	}
	if _, ok := files["kept.txt"]; ok {
		t.Error("kept.txt was not removed")
	}
}
