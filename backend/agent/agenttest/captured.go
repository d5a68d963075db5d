package agenttest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/dialog"
)

// TwoWay returns the base of a capture of a whole conversation, in the testdata
// of the package under test.
func TwoWay(t testing.TB, name string) string {
	t.Helper()
	base, err := filepath.Abs(filepath.Join("testdata", "two-way", name))
	if err != nil {
		t.Fatal(err)
	}
	return base
}

// FakeOptions set up an agent whose CLI is the fake. Env is added to its
// environment.
func FakeOptions(t testing.TB, s fake.Script, env ...string) dialog.Options {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return dialog.Options{
		Path: exe, Env: s.Env(), Environ: append([]string{"PATH=/usr/bin:/bin", "HOME=/nonexistent"}, env...), Log: Logger(t),
	}
}

// Captured is the factory of an agent that has captures under the usual names:
// each scene is one of them, played by the fake. skill is as in [Part].
func Captured(skill string, make func(testing.TB, fake.Script) agent.Provider) Factory {
	return func(t *testing.T, s Scene) Part {
		t.Helper()
		part := Part{Prompt: "go", Skill: skill}
		var script fake.Script
		switch s {
		case Answer:
			script.Capture = TwoWay(t, "text")
		case Tool:
			script.Capture = TwoWay(t, "approve-once")
		case MidText:
			script.Capture = TwoWay(t, "interrupt-text")
		case MidTool:
			script.Capture = TwoWay(t, "interrupt-tool")
		case Fail:
			script.Capture = TwoWay(t, "error401")
		case Continue:
			script.Capture = TwoWay(t, "resume-1-first")
			script.ResumeCapture = TwoWay(t, "resume-2-resumed")
		case Fork:
			script.Capture = TwoWay(t, "resume-1-first")
			copies, err := filepath.Glob(TwoWay(t, "resume-5-fork*.cmd"))
			if err != nil || len(copies) != 1 {
				t.Fatalf("captures of a copied session: %q, %v", copies, err)
			}
			script.ResumeCapture = strings.TrimSuffix(copies[0], ".cmd")
		case Lost:
			script.Capture = TwoWay(t, "text")
			if !fake.IsRPC(script.Capture) { // there the fake refuses by itself
				script.ResumeCapture = TwoWay(t, "resume-3-unknown")
			}
			script.Record = filepath.Join(t.TempDir(), "record")
			part.Unknown = "00000000-0000-4000-8000-000000000000"
			part.Told = func() string { return told(t, script.Record) }
		case Leftover:
			script = fake.Script{
				Capture: TwoWay(t, "lose-kill-tool"), IgnoreInterrupt: true, IgnoreEOF: true, IgnoreSignals: true,
				Grandchild: "session", PIDFile: filepath.Join(t.TempDir(), "pid"),
			}
		default:
			t.Fatalf("scene %s is not known", s)
		}
		part.Provider = make(t, script)
		return part
	}
}

// told returns what the fake read, as its record says.
func told(t testing.TB, record string) string {
	t.Helper()
	b, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for line := range bytes.Lines(b) {
		var rec fake.Record
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatal(err)
		}
		said.WriteString(rec.Stdin)
	}
	return said.String()
}

// Golden compares lines with a file of testdata, or writes it.
func Golden(t *testing.T, file string, got []byte, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", filepath.Base(file), diff)
	}
}
