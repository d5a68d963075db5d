package selftest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/claude"
	"signalbox/backend/agent/selftest"
	"signalbox/backend/proc"
)

func TestMain(m *testing.M) { agenttest.Main(m) }

func launcher(t *testing.T) *proc.Launcher {
	t.Helper()
	return proc.NewLauncher(proc.Options{
		Instance: t.TempDir(), Log: agenttest.Logger(t), Grace: proc.Grace{Interrupt: time.Second, Terminate: time.Second},
	})
}

// A program that does not behave as its version did is told in words, one behaviour at
// a time, and leaves nothing.
func TestRun_whatNoLongerHolds(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/script"
	if err := os.WriteFile(file, []byte(`{"text":"Hello from the scripted model. Nothing else."}`), 0o600); err != nil {
		t.Fatal(err)
	}
	// The program is started with what agents inherit and no more, so the script is
	// named by a program of its own.
	program := t.TempDir() + "/claude"
	body := "#!/bin/sh\n" + fake.FileVariable + "='" + file + "' exec '" + exe + "' \"$@\"\n"
	if err := os.WriteFile(program, []byte(body), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", filepath.Join(os.Getenv("HOME"), "cache"))
	found, err := selftest.Run(t.Context(), selftest.Subject{ID: claude.ID, Path: program, Environ: []string{"PATH=/usr/bin:/bin"}}, launcher(t))
	if err != nil {
		t.Fatal(err)
	}
	const either = "*"
	want := []struct{ behaviour, problem string }{
		{"answers as it writes", ""},
		{"edits files", "no such file"},
		{"runs commands", "it ran none"},
		{"takes no for an answer", "it did not ask"},
		{"stops", either}, // it ends by itself at about that moment
		{"resumes its session", "it remembers"},
	}
	if len(found) != len(want) {
		t.Fatalf("found %+v", found)
	}
	for i, w := range want {
		if f := found[i]; f.Behaviour != w.behaviour || w.problem != either && ((f.Problem == "") != (w.problem == "") || !strings.Contains(f.Problem, w.problem)) {
			t.Errorf("found %+v, want %q with %q", f, w.behaviour, w.problem)
		}
	}
	left, err := os.ReadDir(os.Getenv("XDG_CACHE_HOME"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestRun_anAgentThatCannotBeTested(t *testing.T) {
	t.Parallel()
	if _, err := selftest.Run(t.Context(), selftest.Subject{ID: "demo"}, launcher(t)); err == nil {
		t.Error("the demo agent was tested offline")
	}
}
