// Package agenttest is the contract that every agent must pass: [Run] drives a
// real provider through real processes and checks what the rest of the daemon
// relies on.
package agenttest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// stopLimit is how long a run may take to end after its context has.
const stopLimit = 15 * time.Second

// runLimit is for a run that nothing holds up.
const runLimit = 60 * time.Second

// Scene is a situation that the contract looks at.
type Scene string

// The scenes. In each the agent does what its comment says.
const (
	Answer   Scene = "answer"    // answers with text and ends
	Tool     Scene = "tool"      // asks leave for a tool, uses it and ends; denied, it ends too
	MidText  Scene = "mid_text"  // says something and does not end by itself
	MidTool  Scene = "mid_tool"  // calls a tool that does not end by itself
	Fail     Scene = "fail"      // fails in the vendor's way: no key, no such model
	Continue Scene = "continue"  // has a session: answers, and answers again when it is resumed
	Fork     Scene = "fork"      // as Continue, and answers in a copy of the session
	Lost     Scene = "lost"      // does not have the session that it is asked for: begins another and answers
	Leftover Scene = "left_over" // as MidTool, deaf to interrupts, with a grandchild in a session of its own that ignores signals
)

// Part is a provider and the prompt that brings a scene about.
type Part struct {
	Provider agent.Provider
	Prompt   string
	Mode     wire.Mode // default Code
	// Told returns all that the agent's process was given so far; nil where that
	// is not looked at.
	Told func() string
	// Skill is how the process is told to use the skill "pdf"; empty where it is
	// not.
	Skill string
	// Unknown is a session that the agent does not have; of the scene Lost.
	Unknown string
}

// Factory makes the provider for a scene. It is called for each test.
type Factory func(t *testing.T, s Scene) Part

// Main runs the tests of a package that calls [Run]. It also is what its
// children run: the supervisor and the fake agent are this binary.
func Main(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "supervise" {
		syscall.Exit(proc.Supervise()) // os.Exit takes a second under the race detector
	}
	if len(os.Args) > 1 && os.Args[1] == mcpCommand {
		syscall.Exit(serveMCP(os.Stdin, os.Stdout))
	}
	if fake.Wanted() {
		syscall.Exit(fake.Main())
	}
	goleak.VerifyTestMain(m)
}

// Run checks the contract of [agent.Provider].
func Run(t *testing.T, f Factory) {
	tests := []struct {
		name string
		test func(*testing.T, Factory)
	}{
		{"describes itself", testInfo},
		{"answers", testAnswer},
		{"uses a tool with leave", testTool},
		{"takes no for an answer", testDenied},
		{"fails with one error", testFail},
		{"resumes its session", testResume},
		{"begins anew where its session is lost", testLost},
		{"goes on in a copy of its session", testFork},
		{"is shown pictures, or says that one is gone", testImages},
		{"stops in the middle of a tool", stopTest(MidTool)},
		{"stops in the middle of a text", stopTest(MidText)},
		{"does not start when it is cancelled before", testCancelledBefore},
		{"leaves no process behind", testLeftover},
		{"ends when the log refuses an event", testRefusedEvent},
		{"says what is wrong with the folder", testFolderGone},
		{"runs many at once", testMany},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.test(t, f)
		})
	}
}

func testInfo(t *testing.T, f Factory) {
	info := f(t, Answer).Provider.Info()
	if info.ID == "" || info.Name == "" {
		t.Errorf("it has no id or no name: %+v", info)
	}
	offered := map[wire.Mode]bool{}
	for _, m := range info.Modes {
		offered[m.Mode] = true
		if m.Policy == "" {
			t.Errorf("mode %s has no policy", m.Mode)
		}
	}
	for _, m := range wire.Modes() {
		if !offered[m] {
			t.Errorf("mode %s is not offered", m)
		}
	}
	if info.Models == nil || info.Efforts == nil || info.Tiers == nil {
		t.Error("a list of choices is nil, which is null in JSON")
	}
}

func testAnswer(t *testing.T, f Factory) {
	r := Start(t, f(t, Answer), Options{})
	r.Wait(runLimit)
	r.Check(wire.StatusOK)
	if r.Text("") == "" {
		t.Error("it says nothing")
	}
}

func testTool(t *testing.T, f Factory) {
	r := Start(t, f(t, Tool), Options{})
	r.Wait(runLimit)
	r.Check(wire.StatusOK)
	if len(r.Asks()) == 0 {
		t.Error("it did not ask for leave")
	}
	for _, ask := range r.Asks() {
		if ask.Kind == "" || ask.Tool == "" || ask.Title == "" || !filepath.IsAbs(ask.Cwd) {
			t.Errorf("it asks too little: %+v", ask)
		}
	}
	if len(Of[wire.ToolUseEnd](r.Events())) == 0 {
		t.Error("it used no tool")
	}
}

func testDenied(t *testing.T, f Factory) {
	r := Start(t, f(t, Tool), Options{Ask: func(context.Context, agent.Ask) (agent.Answer, error) {
		return agent.Answer{Reason: "Not today."}, nil
	}})
	r.Wait(runLimit)
	r.Check(wire.StatusOK)
}

func testFail(t *testing.T, f Factory) {
	r := Start(t, f(t, Fail), Options{})
	r.Wait(runLimit)
	r.Check(wire.StatusFailed)
}

func stopTest(s Scene) func(*testing.T, Factory) {
	return func(t *testing.T, f Factory) {
		r := Start(t, f(t, s), Options{})
		r.Until("the middle", func(ev wire.Event) bool { return middle(s, ev) })
		r.Cancel(errors.New("a person pressed stop"))
		r.Wait(stopLimit)
		r.Check(wire.StatusCancelled)
	}
}

// middle reports whether ev is where a scene stays.
func middle(s Scene, ev wire.Event) bool {
	switch ev.(type) {
	case wire.AssistantText:
		return s == MidText
	case wire.ToolUseStart:
		return s == MidTool || s == Leftover
	default:
		return false
	}
}

func testCancelledBefore(t *testing.T, f Factory) {
	r := Start(t, f(t, MidTool), Options{Cancelled: true})
	r.Wait(stopLimit)
	r.Check(wire.StatusCancelled)
}

// T9.
func testLeftover(t *testing.T, f Factory) {
	r := Start(t, f(t, Leftover), Options{})
	r.Until("the middle", func(ev wire.Event) bool { return middle(Leftover, ev) })
	r.Cancel(errors.New("a person pressed stop"))
	r.Wait(stopLimit)
	r.Check(wire.StatusCancelled)
}

func testRefusedEvent(t *testing.T, f Factory) {
	full := errors.New("the disk is full")
	r := Start(t, f(t, MidTool), Options{Refuse: full})
	r.Wait(stopLimit)
	if !errors.Is(r.Err, full) {
		t.Errorf("the run returned %v, want the log's error", r.Err)
	}
	if n := r.refused(); n != 1 {
		t.Errorf("it went on: %d events were refused", n)
	}
	r.NobodyLeft()
}

func testFolderGone(t *testing.T, f Factory) {
	r := Start(t, f(t, Answer), Options{Cwd: t.TempDir() + "/gone"})
	r.Wait(runLimit)
	r.Check(wire.StatusFailed)
}

// Providers hold no state of a run.
func testMany(t *testing.T, f Factory) {
	part := f(t, Answer)
	runs := make([]*Running, 4)
	for i := range runs {
		runs[i] = Start(t, part, Options{})
	}
	for _, r := range runs {
		r.Wait(runLimit)
		r.Check(wire.StatusOK)
		if got, want := r.Text(""), runs[0].Text(""); got != want {
			t.Errorf("one run says %q, another %q", want, got)
		}
	}
}

// Logger returns a logger whose records are the test's output.
func Logger(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}
