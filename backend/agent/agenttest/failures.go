package agenttest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// Causes are the ways in which every agent can fail, in words. Each provider says
// of each what it does, or why it cannot come to it.
var Causes = []string{
	"not installed", "not executable", "the folder is gone", "too old", "an option that an update took away",
	"not signed in", "the key is refused", "the limit is reached", "the limit is reached, with a time", "the quota is used up",
	"a server's error", "overloaded", "the stream is cut", "the connection is refused",
	"the context is full", "the model is unknown", "the session is unknown", "another one writes to the session",
	"the sandbox does not work", "an end without output", "an end in the middle of an answer", "a crash in the middle of an answer",
	"killed from outside",
}

// Failure is how an agent comes to fail.
type Failure struct {
	Script fake.Script
	Path   string // of the program, where it is not the fake
	// Session is a session to resume.
	Session string
	// Cwd is a folder that is not there.
	Cwd string
	// Never says why the agent never fails in this way; the rest is then empty.
	Never string
}

// Failures runs every cause and holds what comes of it to the table in
// testdata/failures.md, which a person reviews.
func Failures(t *testing.T, update bool, provider func(dialog.Options) agent.Provider, list map[string]Failure, env ...string) {
	t.Helper()
	for cause := range list {
		if !contains(Causes, cause) {
			t.Errorf("%q is no cause", cause)
		}
	}
	rows := make([]string, len(Causes))
	t.Run("causes", func(t *testing.T) {
		for i, cause := range Causes {
			t.Run(cause, func(t *testing.T) {
				t.Parallel()
				f, ok := list[cause]
				switch {
				case !ok:
					t.Fatal("nothing is said of it")
				case f.Never != "":
					rows[i] = fmt.Sprintf("| %s | never | | | %s | |", cause, f.Never)
					return
				}
				rows[i] = fmt.Sprintf("| %s | %s", cause, f.run(t, provider, env))
			})
		}
	})
	table := "| cause | ends | session | again | what is said | next step |\n|---|---|---|---|---|---|\n" + strings.Join(rows, "\n") + "\n"
	Golden(t, filepath.Join("testdata", "failures.md"), []byte(table), update)
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// run runs the failure and returns the rest of its row.
func (f Failure) run(t *testing.T, provider func(dialog.Options) agent.Provider, env []string) string {
	t.Helper()
	opts := FakeOptions(t, f.Script, env...)
	if f.Path != "" {
		opts.Path = f.Path
	}
	r := Start(t, Part{Provider: provider(opts), Prompt: "go"}, Options{Session: f.Session, Cwd: f.Cwd})
	r.Wait(runLimit)
	r.Check(r.Result.Status)
	session := "none yet"
	if s := Of[wire.Session](r.Events()); len(s) > 0 || f.Session != "" && r.Result.Status == wire.StatusFailed {
		session = "kept"
		if len(s) > 0 && f.Session != "" && !s[0].Resumed {
			session = "a new one"
		}
	}
	again, says, hint := "", "", ""
	for _, ev := range r.Events() {
		switch e := ev.(type) {
		case wire.Error:
			says, hint, again = e.Message, e.Hint, "no"
			if e.Retryable {
				again = "yes"
			}
			if strings.ContainsAny(e.Message, "{}\n\x1b") || len(e.Message) > 700 {
				t.Errorf("what is said is raw: %q", e.Message)
			}
		case wire.System:
			if e.Level == wire.LevelWarn && r.Result.Status == wire.StatusOK {
				says = e.Text
			}
		}
	}
	ends := string(r.Result.Status)
	if r.Result.Code != "" {
		ends += ": " + r.Result.Code
	}
	row := fmt.Sprintf("%s | %s | %s | %s | %s |", ends, session, again, says, hint)
	for _, path := range []struct{ path, name string }{{opts.Path, "/path/of/the/program"}, {f.Cwd, "/path/of/the/folder"}} {
		if path.path != "" {
			row = strings.ReplaceAll(row, path.path, path.name)
		}
	}
	return row
}

// TypicalFailures are the causes that come to every CLI in the same way, by captures
// under the usual names.
func TypicalFailures(t *testing.T) map[string]Failure {
	t.Helper()
	code := func(n int) *int { return &n }
	text := TwoWay(t, "text")
	said, err := os.ReadFile(text + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const word = "Hello from"
	half := int64(bytes.Index(said, []byte(word)) + len(word)) // in the middle of the answer's first line
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list := map[string]Failure{
		"not installed":      {Path: filepath.Join(t.TempDir(), "none")},
		"not executable":     {Path: plain},
		"the folder is gone": {Cwd: filepath.Join(t.TempDir(), "gone"), Script: fake.Script{Capture: text}},
		"an option that an update took away": {Script: fake.Script{
			ExitEarly: true, Exit: code(1), Stderr: "Some warning\nerror: unknown option '--of-before'\n\n",
		}},
		"an end without output":             {Script: fake.Script{ExitEarly: true}},
		"an end in the middle of an answer": {Script: fake.Script{Capture: text, StopAfter: half, Exit: code(0)}},
		"a crash in the middle of an answer": {Script: fake.Script{
			Capture: text, StopAfter: half, Exit: code(3), Stderr: "TypeError: x is undefined\n",
		}},
		"killed from outside": {Script: fake.Script{Capture: text, StopAfter: half, Then: "kill"}},
	}
	for cause, capture := range map[string]string{
		"not signed in": "no-key", "the key is refused": "error401", "the limit is reached": "error429",
		"the quota is used up": "quota", "a server's error": "error500", "overloaded": "error529", "the stream is cut": "cut",
		"the connection is refused": "conn-refused", "the context is full": "overflow", "the model is unknown": "model-unknown",
	} {
		list[cause] = Failure{Script: fake.Script{Capture: TwoWay(t, capture)}}
	}
	return list
}
