// Package agenttest is the contract that every agent must pass: [Run] drives a
// real provider through real processes and checks what the rest of the daemon
// relies on.
package agenttest

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
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

func testResume(t *testing.T, f Factory) {
	part := f(t, Continue)
	first := Start(t, part, Options{})
	first.Wait(runLimit)
	first.Check(wire.StatusOK)
	sessions := Of[wire.Session](first.Events())
	if len(sessions) != 1 || sessions[0].SessionID == "" || sessions[0].Resumed {
		t.Fatalf("the first run has the sessions %+v, want a new one", sessions)
	}
	second := Start(t, part, Options{Session: sessions[0].SessionID, Cwd: first.cwd})
	second.Wait(runLimit)
	second.Check(wire.StatusOK)
	again := Of[wire.Session](second.Events())
	// An agent that goes on under a new id says that it forked.
	if len(again) != 1 || !again[0].Resumed || again[0].Forked != (again[0].SessionID != sessions[0].SessionID) {
		t.Fatalf("the second run has the sessions %+v, want %s resumed", again, sessions[0].SessionID)
	}
	if again[0].Agent != part.Provider.Info().ID {
		t.Errorf("the session is of agent %q", again[0].Agent)
	}
}

func testLost(t *testing.T, f Factory) {
	const fresh = "Said before: nothing. Now: go on"
	part := f(t, Lost)
	r := Start(t, part, Options{Session: part.Unknown, Fresh: fresh, Skills: []string{"pdf"}})
	r.Wait(runLimit)
	r.Check(wire.StatusOK)
	lost := 0
	for _, s := range Of[wire.System](r.Events()) {
		if s.Code == agent.CodeSessionLost {
			lost++
		}
	}
	if lost != 1 {
		t.Errorf("the loss was told %d times: %+v", lost, r.Events())
	}
	sessions := Of[wire.Session](r.Events())
	if len(sessions) != 1 || sessions[0].Resumed || sessions[0].Forked || sessions[0].SessionID == part.Unknown {
		t.Errorf("it has the sessions %+v, want a new one", sessions)
	}
	if part.Told == nil {
		return
	}
	if told := part.Told(); !strings.Contains(told, fresh) || strings.Contains(told, "pdf") != (part.Skill != "") || !strings.Contains(told, part.Skill) {
		t.Errorf("it was not given what a fresh session needs, and the skill as %q, but %q", part.Skill, told)
	}
}

// The copy has a session of its own; nothing is said in the one that it is of.
func testFork(t *testing.T, f Factory) {
	part := f(t, Fork)
	info := part.Provider.Info()
	if !info.Forks {
		if info.Rewinds {
			t.Error("it goes back in a copy but makes none")
		}
		return
	}
	first := Start(t, part, Options{})
	first.Wait(runLimit)
	first.Check(wire.StatusOK)
	if info.Rewinds && first.Result.Turn == "" {
		t.Error("the turn has no id to go back to")
	}
	session := Of[wire.Session](first.Events())[0].SessionID
	second := Start(t, part, Options{Session: session, Fork: true, Turn: first.Result.Turn, Cwd: first.cwd})
	second.Wait(runLimit)
	second.Check(wire.StatusOK)
	again := Of[wire.Session](second.Events())
	if len(again) != 1 || !again[0].Forked || again[0].SessionID == session {
		t.Errorf("the copy has the sessions %+v, want one beside %s", again, session)
	}
}

func testImages(t *testing.T, f Factory) {
	part := f(t, Answer)
	if !part.Provider.Info().Images {
		return
	}
	path := filepath.Join(t.TempDir(), "picture")
	if err := os.WriteFile(path, Picture(t), 0o600); err != nil {
		t.Fatal(err)
	}
	file := agent.Image{Path: path, Media: "image/png"}
	shown := Start(t, part, Options{Images: []agent.Image{file}})
	shown.Wait(runLimit)
	shown.Check(wire.StatusOK)

	file.Path += "-gone"
	gone := Start(t, part, Options{Images: []agent.Image{file}})
	gone.Wait(runLimit)
	gone.Check(wire.StatusFailed)
}

// Picture returns a small picture, a PNG.
func Picture(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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
