//go:build real

package realtest_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

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

func testImages(t *testing.T, v vendor) {
	r := v.rig(t)
	path := filepath.Join(t.TempDir(), "picture") // a name says nothing
	if err := os.WriteFile(path, agenttest.Picture(t), 0o600); err != nil {
		t.Fatal(err)
	}
	tn := agenttest.Start(t,
		agenttest.Part{Provider: r.agent, Prompt: "SCENARIO text with a picture", Mode: wire.ModeCode},
		agenttest.Options{Cwd: r.dir, Images: []agent.Image{{Path: path, Media: "image/png"}}})
	ended(tn, wire.StatusOK)
	const magic = "iVBORw0KGgo" // of a PNG, in base64
	shown := slices.ContainsFunc(r.model.Requests(), func(req scripted.Request) bool {
		return req.Scenario == "text" && strings.Contains(string(req.Body), magic)
	})
	if notices := of[wire.System](tn); !shown || len(notices) > 0 {
		t.Errorf("the model was shown a picture: %t; notices %+v", shown, notices)
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

// testSkills: A86, A87. The model is given what the skill says.
func testSkills(t *testing.T, v vendor) {
	const says = "Always measure twice, code 7c1e."
	r := v.rig(t)
	put(t, filepath.Join(r.dir, v.skills, "measure", "SKILL.md"), "---\nname: measure\ndescription: How to measure\n---\n"+says+"\n")
	tn := agenttest.Start(t,
		agenttest.Part{Provider: r.agent, Prompt: "SCENARIO text with a skill", Mode: wire.ModeCode},
		agenttest.Options{Cwd: r.dir, Skills: []string{"measure"}})
	ended(tn, wire.StatusOK)
	if !slices.ContainsFunc(r.model.Requests(), func(req scripted.Request) bool { return strings.Contains(string(req.Body), says) }) {
		t.Error("the model was not given the skill")
	}
	if got := tn.Text(""); !strings.Contains(got, "Hello") {
		t.Errorf("text = %q", got)
	}
}

// testServers: the tools of a server are called, whether it is started or behind
// a URL, and its key is neither told nor left.
func testServers(t *testing.T, v vendor) {
	for name, server := range map[string]agent.MCPServer{"started": agenttest.MCPCommand(t), "by URL": agenttest.MCPURL(t)} {
		r := v.rig(t)
		tn := agenttest.Start(t,
			agenttest.Part{Provider: r.agent, Prompt: "SCENARIO mcp", Mode: wire.ModeCode},
			agenttest.Options{Cwd: r.dir, Servers: []agent.MCPServer{server}})
		ended(tn, wire.StatusOK)
		var got []string
		for _, ev := range tn.Events() {
			switch e := ev.(type) {
			case wire.ToolUseStart:
				got = append(got, e.Server+"/"+e.Name)
			case wire.ToolUseEnd:
				got = append(got, fmt.Sprintf("%t %s", e.OK, firstLine(e.Output)))
			}
			d, err := wire.NewDraft("", ev)
			if err != nil || strings.Contains(string(d.Body), agenttest.MCPSecret) {
				t.Errorf("%s: the key is in an event: %s, %v", name, d.Body, err)
			}
		}
		want := []string{"tester/add", "true 42", "tester/boom", "false boom: it always fails"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: calls (-want +got):\n%s", name, diff)
		}
		for _, file := range r.holding(agenttest.MCPSecret) {
			t.Errorf("%s: the key is left in %s", name, file)
		}
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func testResumes(t *testing.T, v vendor) {
	r := v.rig(t)
	first := r.run("SCENARIO text about signals", wire.StatusOK)
	before := r.session(first)
	n := len(r.model.Requests())
	second := ended(r.start(wire.ModeCode, "SCENARIO recall", before.SessionID), wire.StatusOK)
	if got := second.Text(""); got != "Earlier prompts: text about signals." {
		t.Errorf("the model was told of %q", got)
	}
	if s := r.session(second); s.SessionID != before.SessionID || !s.Resumed {
		t.Errorf("sessions: %+v, then %+v", before, s)
	}
	if diff := cmp.Diff(r.charged(n), counts(second.Result.Usage)); diff != "" {
		t.Errorf("usage of the second run alone (-the model's +the agent's):\n%s", diff)
	}
}

func testForks(t *testing.T, v vendor) {
	r := v.rig(t)
	session := r.session(r.run("SCENARIO text about signals", wire.StatusOK)).SessionID
	before := r.sessionFiles(session)
	if len(before) == 0 {
		t.Fatalf("session %s has no files", session)
	}
	n := len(r.model.Requests())
	copied := ended(r.fork("SCENARIO recall in the copy", session, ""), wire.StatusOK)
	if got := copied.Text(""); got != "Earlier prompts: text about signals." {
		t.Errorf("the copy knows %q", got)
	}
	if s := r.session(copied); s.SessionID == session || !s.Forked {
		t.Errorf("the copy of %s has the session %+v", session, s)
	}
	if diff := cmp.Diff(r.charged(n), counts(copied.Result.Usage)); diff != "" {
		t.Errorf("usage in the copy alone (-the model's +the agent's):\n%s", diff)
	}
	if diff := cmp.Diff(before, r.sessionFiles(session)); diff != "" {
		t.Errorf("the session's files changed (-before +after):\n%s", clip(diff))
	}
	again := ended(r.start(wire.ModeCode, "SCENARIO recall", session), wire.StatusOK)
	if got := again.Text(""); got != "Earlier prompts: text about signals." {
		t.Errorf("the session itself knows %q", got)
	}
}

func testRewinds(t *testing.T, v vendor) {
	r := v.rig(t)
	first := r.run("SCENARIO text about signals", wire.StatusOK)
	session := r.session(first).SessionID
	ended(r.start(wire.ModeCode, "SCENARIO shell to forget", session), wire.StatusOK)
	before := r.sessionFiles(session)
	back := ended(r.fork("SCENARIO recall", session, first.Result.Turn), wire.StatusOK)
	if got := back.Text(""); got != "Earlier prompts: text about signals." {
		t.Errorf("after going back it knows %q", got)
	}
	if diff := cmp.Diff(before, r.sessionFiles(session)); diff != "" {
		t.Errorf("the session's files changed (-before +after):\n%s", clip(diff))
	}
	// A turn that is not there is told, and what was said comes along.
	lost := agenttest.Start(t, agenttest.Part{Provider: r.agent, Prompt: "unused", Mode: wire.ModeCode}, agenttest.Options{
		Cwd: r.dir, Session: session, Fork: true, Turn: noSession, Fresh: "SCENARIO text anew",
	})
	ended(lost, wire.StatusOK)
	if notices := of[wire.System](lost); len(notices) == 0 || notices[0].Code != agent.CodeSessionLost {
		t.Errorf("notices %+v", notices)
	}
}

func testSessionGone(t *testing.T, v vendor) {
	r := v.rig(t)
	tn := ended(r.start(wire.ModeCode, "Hello!", v.unknown), wire.StatusOK)
	notices := of[wire.System](tn)
	if len(notices) == 0 || notices[0].Code != "session_lost" {
		t.Errorf("notices %+v", notices)
	}
	if s := r.session(tn); s.Resumed || s.SessionID == v.unknown {
		t.Errorf("session %+v", s)
	}
}

func testRecovers(t *testing.T, v vendor) {
	for _, tt := range []struct{ scenario, text string }{
		{"once-429", "Recovered after a rate limit."},
	} {
		tn := v.rig(t).run("SCENARIO "+tt.scenario, wire.StatusOK)
		if got := tn.Text(""); got != tt.text {
			t.Errorf("%s: text = %q, want %q", tt.scenario, got, tt.text)
		}
	}
}

func testErrors(t *testing.T, v vendor) {
	for scenario, code := range v.errors {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			tn := v.rig(t).run("SCENARIO "+scenario, wire.StatusFailed)
			errs := of[wire.Error](tn)
			if len(errs) != 1 {
				t.Fatalf("errors %+v", errs)
			}
			e := errs[0]
			if e.Code != code || tn.Result.Code != code {
				t.Errorf("result code %q, error %+v, want code %q", tn.Result.Code, e, code)
			}
			if len(e.Message) < 20 || e.Hint == "" || strings.ContainsAny(e.Message, "{}") {
				t.Errorf("message %q, hint %q", e.Message, e.Hint)
			}
		})
	}
}

// testStopCommand: T9: a command that ignores TERM, its child, and a child in a
// session of its own.
func testStopCommand(t *testing.T, v vendor) {
	r := v.rig(t)
	ready := r.pidsOf()
	tn := r.start(wire.ModeFullAuto, "SCENARIO shell-stuck", "")
	var pids []int
	select {
	case pids = <-ready:
	case <-time.After(turnLimit):
		t.Fatalf("the command does not say that it runs; events %+v", tn.Events())
	}
	stopped(tn)
	if len(pids) < 2 {
		t.Fatalf("the command named %v", pids)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is left: %v", pid, err)
		}
	}
	again := ended(r.start(wire.ModeCode, "SCENARIO recall", r.session(tn).SessionID), wire.StatusOK)
	if !strings.Contains(again.Text(""), "shell-stuck") {
		t.Errorf("after the stop the model was told of %q", again.Text(""))
	}
}

func testStopAnywhere(t *testing.T, v vendor) {
	t.Run("before the first byte", func(t *testing.T) {
		t.Parallel()
		r := v.rig(t)
		tn := r.start(wire.ModeCode, "SCENARIO hang", "")
		ctx, cancel := context.WithTimeout(t.Context(), turnLimit)
		defer cancel()
		if _, err := r.model.Wait(ctx, func(req scripted.Request) bool { return req.Scenario == "hang" }); err != nil {
			t.Fatal(err)
		}
		stopped(tn)
	})
	t.Run("while it tries again", func(t *testing.T) {
		t.Parallel()
		r := v.rig(t)
		tn := r.start(wire.ModeCode, "SCENARIO error-500", "")
		ctx, cancel := context.WithTimeout(t.Context(), turnLimit)
		defer cancel()
		if _, err := r.model.Wait(ctx, func(req scripted.Request) bool { return req.Scenario == "error-500" && req.End == scripted.EndWhole }); err != nil {
			t.Fatal(err)
		}
		tn.Cancel(errors.New("the person pressed stop"))
		tn.Wait(stopLimit)
		if s := tn.Result.Status; s != wire.StatusCancelled && s != wire.StatusFailed { // it may have given up in that moment
			t.Errorf("ended %+v", tn.Result)
		}
	})
	for scenario, typ := range map[string]wire.Type{"slow": wire.TypeAssistantText, "slow-thinking": wire.TypeThinking} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			tn := v.rig(t).start(wire.ModeCode, "SCENARIO "+scenario, "")
			tn.Until("the middle", func(ev wire.Event) bool { return ev.Type() == typ })
			stopped(tn)
		})
	}
}

func testCounts(t *testing.T, v vendor) {
	for _, scenario := range []string{"text", "thinking", "edit", "shell-fail", "subagent"} {
		r := v.rig(t)
		tn := r.run("SCENARIO "+scenario, wire.StatusOK)
		if diff := cmp.Diff(r.charged(0), counts(tn.Result.Usage)); diff != "" {
			t.Errorf("%s (-the model's +the agent's):\n%s", scenario, diff)
		}
		if u := tn.Result.Usage; u == nil || u.Model == "" || u.Context == 0 || u.ContextMax == 0 {
			t.Errorf("%s: usage %+v", scenario, u)
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
