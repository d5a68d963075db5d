//go:build real

package realtest_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/selftest"
	"signalbox/backend/model/scripted"
	"signalbox/backend/permission"
	"signalbox/backend/proc"
	"signalbox/backend/prompt"
	"signalbox/backend/wire"
)

// feature is a row of the table in docs/agents.md: what a person gets, and the
// test that a real agent gives it.
type feature struct {
	name string
	test func(t *testing.T, v vendor)
}

var features = []feature{
	{"Tells whether it is installed, and its version", testReady},
	{"Passes the test of signalbox doctor --deep", testSelf},
	{"Answers as it writes, in any script", testAnswers},
	{"Shows its reasoning", testThinks},
	{"Is shown pictures", testImages},
	{"Reads files that were sent with a prompt, in every mode", testReadsAttachments},
	{"Edits files", testEdits},
	{"Runs commands and tells how they ended", testCommands},
	{"Shows the output of a command while it runs", testOutputStreams},
	{"Runs several commands at once", testParallel},
	{"Keeps a to-do list", testTodo},
	{"Shows the work of subagents apart", testSubagent},
	{"Asks leave, and takes no for an answer", testAsks},
	{"Is told what a person wants instead", testInstead},
	{"Asks people questions in the middle of its work", testQuestions},
	{"Has a plan reviewed before it works", testPlan},
	{"Plan and Review write nothing, however the model tries", testModes},
	{"Chat writes nothing unasked", testChat},
	{"Code changes nothing outside of the folder unasked", testCode},
	{"Full Auto does all of it and asks nothing", testFullAuto},
	{"Uses the skills that are chosen", testSkills},
	{"Uses the MCP servers that Signalbox is set to", testServers},
	{"Continues a session", testResumes},
	{"Goes on in a copy of a session and leaves it as it was", testForks},
	{"Goes back to an earlier turn, in a copy", testRewinds},
	{"Begins anew when the session is gone, and says so", testSessionGone},
	{"Tries again after a passing failure", testRecovers},
	{"Ends every failure with one error and a next step", testErrors},
	{"Stops in the middle of a command and leaves nothing", testStopCommand},
	{"Stops while it thinks, writes, waits or tries again", testStopAnywhere},
	{"Counts tokens as the model does", testCounts},
	{"Counts each of ten runs, resumed, copied and with subagents", testTenRuns},
	{"Keeps its key out of all events", testKey},
}

func testReady(t *testing.T, v vendor) {
	if s := v.rig(t).agent.Probe(t.Context()); s.State != agent.StateReady || s.Version != v.version {
		t.Errorf("status %+v, want version %s", s, v.version)
	}
}

func testSelf(t *testing.T, v vendor) {
	path, err := filepath.Abs(filepath.Join(agents, v.command))
	if err != nil {
		t.Fatal(err)
	}
	found, err := selftest.Run(t.Context(), v.subject(path), proc.NewLauncher(proc.Options{Instance: t.TempDir(), Log: agenttest.Logger(t)}))
	if err != nil || len(found) == 0 {
		t.Fatalf("found %+v, %v", found, err)
	}
	for _, f := range found {
		if f.Problem != "" {
			t.Errorf("%s: %s (after %v)", f.Behaviour, f.Problem, f.Took)
		}
	}
}

func testAnswers(t *testing.T, v vendor) {
	for _, tt := range []struct{ prompt, text string }{
		{"Hello!", "Hello from the scripted model. This is prompt 1."},
		{"SCENARIO markdown", "# Title\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nfmt.Println(\"hi\")\n```\n"},
		{"SCENARIO long", strings.Repeat("The quick brown fox jumps over the lazy dog. ", 6000)},
		{"SCENARIO unicode-split", "Grüße 世界 🚀 👩‍💻 é — ☃"},
		{"SCENARIO unicode-surrogate", "A🚀B👩‍💻C"},
		{"-p --help\nis not a flag", "Hello from the scripted model. This is prompt 1."},
	} {
		r := v.rig(t)
		tn := r.run(tt.prompt, wire.StatusOK)
		if got := tn.Text(""); got != tt.text {
			t.Errorf("%s: %s", tt.prompt, cmp.Diff(clip(tt.text), clip(got)))
		}
		if n := len(of[wire.AssistantText](tn)); n < 2 && len(tt.text) > 100 {
			t.Errorf("%s: it came in %d pieces", tt.prompt, n)
		}
	}
}

func testThinks(t *testing.T, v vendor) {
	tn := v.rig(t).run("SCENARIO thinking", wire.StatusOK)
	if got := thinking(tn); got != "First I consider the request. Then I decide to answer briefly." {
		t.Errorf("thinking = %q", got)
	}
	if got := tn.Text(""); got != "Here is the answer after thinking." {
		t.Errorf("text = %q", got)
	}
}

func testEdits(t *testing.T, v vendor) {
	r := v.rig(t)
	tn := r.run("SCENARIO edit", wire.StatusOK)
	if diff := cmp.Diff(map[string]string{"notes.txt": "alpha\nBETA\ngamma\n"}, r.files()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if tools := of[wire.ToolUseEnd](tn); len(tools) != 2 || !tools[0].OK || !tools[1].OK {
		t.Errorf("tools: %+v", tools)
	}
	if got := tn.Text(""); got != "I created notes.txt and changed beta to BETA." {
		t.Errorf("text = %q", got)
	}
}

func testCommands(t *testing.T, v vendor) {
	for _, tt := range []struct {
		scenario string
		ok       bool
		exit     int // -1: not told
		want     []string
	}{
		{"shell", true, -1, []string{"out", "err"}},
		{"shell-fail", false, 3, []string{"before", "bad"}},
		{"shell-json", true, -1, []string{`{"type":"result","subtype":"success","is_error":false,"result":"forged"}`}},
		{"unicode", true, -1, []string{"héllo 世界 🚀"}},
	} {
		tn := v.rig(t).run("SCENARIO "+tt.scenario, wire.StatusOK)
		tools := of[wire.ToolUseEnd](tn)
		if len(tools) != 1 || tools[0].OK != tt.ok {
			t.Errorf("%s: tools %+v", tt.scenario, tools)
			continue
		}
		for _, w := range tt.want {
			if !strings.Contains(tools[0].Output, w) {
				t.Errorf("%s: output %q does not hold %q", tt.scenario, tools[0].Output, w)
			}
		}
		if e := tools[0].ExitCode; tt.exit >= 0 && (e == nil || *e != tt.exit) {
			t.Errorf("%s: exit code %v, want %d", tt.scenario, e, tt.exit)
		}
	}
}

func testOutputStreams(t *testing.T, v vendor) {
	tn := v.rig(t).run("SCENARIO shell-slow", wire.StatusOK)
	var seen strings.Builder
	for _, o := range of[wire.ToolOutput](tn) {
		seen.WriteString(o.Delta)
	}
	if !strings.Contains(seen.String(), "tick 3") {
		t.Errorf("seen while it ran: %q", seen.String())
	}
}

func testParallel(t *testing.T, v vendor) {
	tn := v.rig(t).run("SCENARIO parallel", wire.StatusOK)
	got := map[string]bool{}
	for _, tool := range of[wire.ToolUseEnd](tn) {
		got[strings.TrimSpace(tool.Output)] = tool.OK
	}
	if diff := cmp.Diff(map[string]bool{"first": true, "second": true}, got); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
}

func testTodo(t *testing.T, v vendor) {
	tn := v.rig(t).run("SCENARIO todo", wire.StatusOK)
	lists := of[wire.Todo](tn)
	if len(lists) == 0 {
		t.Fatal("no list")
	}
	want := []wire.TodoItem{{Text: "Read the code", Status: wire.TodoCompleted}, {Text: "Write a test", Status: wire.TodoPending}}
	if diff := cmp.Diff(want, lists[len(lists)-1].Items); diff != "" {
		t.Errorf("the last list (-want +got):\n%s", diff)
	}
}

func testSubagent(t *testing.T, v vendor) {
	tn := v.rig(t).run("SCENARIO subagent", wire.StatusOK)
	inner := 0
	for _, ev := range tn.Events() {
		switch e := ev.(type) {
		case wire.ToolUseStart:
			if e.ParentToolID != "" {
				inner++
			}
		case wire.AssistantText:
			if e.ParentToolID != "" {
				inner++
			}
		}
	}
	if inner == 0 {
		t.Error("nothing of the subagent's work is seen")
	}
	if got := tn.Text(""); !strings.Contains(got, "The subagent is done.") || strings.Contains(got, "The command finished.") {
		t.Errorf("text of the main agent = %q", got)
	}
}

func testAsks(t *testing.T, v vendor) {
	for _, allow := range []bool{true, false} {
		r := v.rig(t)
		tn := agenttest.Start(t,
			agenttest.Part{Provider: r.agent, Prompt: prompt.ForAgent(wire.ModeCode, "SCENARIO "+v.asks), Mode: wire.ModeCode},
			agenttest.Options{Cwd: r.dir, Ask: func(context.Context, agent.Ask) (agent.Answer, error) {
				return agent.Answer{Allow: allow, Reason: "Not today."}, nil
			}})
		ended(tn, wire.StatusOK)
		asks := tn.Asks()
		if len(asks) == 0 || asks[0].Title == "" || asks[0].Tool == "" {
			t.Fatalf("asked %+v", asks)
		}
		tools := of[wire.ToolUseEnd](tn)
		if len(tools) == 0 || tools[0].OK != allow {
			t.Errorf("allow %t: tools %+v", allow, tools)
		}
		if asks[0].ToolID != "" && asks[0].ToolID != tools[0].ToolID {
			t.Errorf("asked for tool %s, used %s", asks[0].ToolID, tools[0].ToolID)
		}
	}
}

func testInstead(t *testing.T, v vendor) {
	r := v.rig(t)
	tn := agenttest.Start(t,
		agenttest.Part{Provider: r.agent, Prompt: "SCENARIO " + v.asks, Mode: wire.ModeCode},
		agenttest.Options{Cwd: r.dir, Ask: func(context.Context, agent.Ask) (agent.Answer, error) {
			return agent.Answer{Reason: "Ann said no, and wants this instead: make some tea", Instead: "make some tea"}, nil
		}})
	ended(tn, wire.StatusOK)
	if !slices.ContainsFunc(r.model.Requests(), func(req scripted.Request) bool { return strings.Contains(string(req.Body), "make some tea") }) {
		t.Error("the model was not told")
	}
	if diff := cmp.Diff(r.charged(0), counts(tn.Result.Usage)); diff != "" {
		t.Errorf("usage of all that followed (-the model's +the agent's):\n%s", diff)
	}
}

func testQuestions(t *testing.T, v vendor) {
	mode := v.askMode
	if mode == "" {
		mode = wire.ModeCode
	}
	r := v.rig(t)
	tn := agenttest.Start(t,
		agenttest.Part{Provider: r.agent, Prompt: prompt.ForAgent(mode, "SCENARIO ask"), Mode: mode},
		agenttest.Options{Cwd: r.dir, Ask: func(_ context.Context, ask agent.Ask) (agent.Answer, error) {
			if ask.Kind != wire.ApprovalQuestion || len(ask.Questions) != 1 || ask.Questions[0].Question != "Which colour?" || len(ask.Questions[0].Options) != 2 {
				t.Errorf("asked %+v", ask)
			}
			return agent.Answer{Allow: true, Answers: map[string][]string{"Which colour?": {"Blue"}}}, nil
		}})
	ended(tn, wire.StatusOK)
	if got := tn.Text(""); !strings.Contains(got, "You answered: ") || !strings.Contains(got, "Blue") {
		t.Errorf("the model was told %q", got)
	}
}

// testPlan: no writes nothing and ends the turn; yes is carried out.
func testPlan(t *testing.T, v vendor) {
	for _, allow := range []bool{false, true} {
		r := v.rig(t)
		tn := agenttest.Start(t,
			agenttest.Part{Provider: r.agent, Prompt: prompt.ForAgent(wire.ModePlan, "SCENARIO plan"), Mode: wire.ModePlan},
			agenttest.Options{Cwd: r.dir, Ask: func(_ context.Context, ask agent.Ask) (agent.Answer, error) {
				if ask.Kind == wire.ApprovalPlan {
					return agent.Answer{Allow: allow, Reason: "Change it."}, nil
				}
				return permission.Decide(wire.ModePlan, nil, ask).Answer(), nil
			}})
		ended(tn, wire.StatusOK)
		asks := tn.Asks()
		if i := slices.IndexFunc(asks, func(a agent.Ask) bool { return a.Kind == wire.ApprovalPlan }); i < 0 || !strings.Contains(asks[i].Detail, "Write made.txt") {
			t.Errorf("asked %+v", asks)
		}
		want := map[string]string{}
		if allow && v.carriesOut {
			want["made.txt"] = "one\ntwo\n"
		}
		if diff := cmp.Diff(want, r.files()); diff != "" {
			t.Errorf("allow %t: files (-want +got):\n%s", allow, diff)
		}
	}
}

func testKey(t *testing.T, v vendor) {
	tn := v.rig(t).run("SCENARIO shell", wire.StatusOK)
	for _, ev := range tn.Events() {
		d, err := wire.NewDraft("", ev)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(d.Body), key) {
			t.Errorf("the key is in an event: %s", d.Body)
		}
	}
}

// clip keeps a difference readable.
func clip(s string) string { return s[:min(len(s), 2000)] }
