//go:build real

package realtest_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/model/modeltest"
	"signalbox/backend/wire"
)

func TestClaude_isReady(t *testing.T) {
	t.Parallel()
	s := newRig(t).agent.Probe(t.Context())
	if s.State != agent.StateReady || s.Version == "" {
		t.Errorf("status: %+v", s)
	}
}

func TestClaude_answers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		prompt, text, thinking string
	}{
		{"Hello!", "Hello from the scripted model. This is prompt 1.", ""},
		{"SCENARIO markdown", "# Title\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nfmt.Println(\"hi\")\n```\n", ""},
		{"SCENARIO thinking", "Here is the answer after thinking.", "First I consider the request. Then I decide to answer briefly."},
		{"SCENARIO long", strings.Repeat("The quick brown fox jumps over the lazy dog. ", 6000), ""},
		{"SCENARIO unicode-split", "Grüße 世界 🚀 👩‍💻 é — ☃", "思考🤔中"},
		{"SCENARIO unicode-surrogate", "A🚀B👩‍💻C", ""},
		{"-p --help\nis not a flag", "Hello from the scripted model. This is prompt 1.", ""},
	}
	for _, tt := range tests {
		t.Run(tt.prompt, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			tn := r.run(tt.prompt, wire.StatusOK)
			if got := tn.Text(""); got != tt.text {
				t.Errorf("text: %s", cmp.Diff(clip(tt.text), clip(got)))
			}
			if got := thinking(tn); got != tt.thinking {
				t.Errorf("thinking = %q, want %q", got, tt.thinking)
			}
			if diff := cmp.Diff(r.charged(0), counts(tn.Result.Usage)); diff != "" {
				t.Errorf("usage (-the model's +the agent's):\n%s", diff)
			}
		})
	}
}

// clip keeps a difference readable.
func clip(s string) string { return s[:min(len(s), 2000)] }

func TestClaude_edits(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tn := r.run("SCENARIO edit", wire.StatusOK)
	if diff := cmp.Diff(map[string]string{"notes.txt": "alpha\nBETA\ngamma\n"}, r.files()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	tools := of[wire.ToolUseEnd](tn)
	if len(tools) != 2 || !tools[0].OK || !tools[1].OK || len(tools[1].Detail) == 0 {
		t.Errorf("tools: %+v", tools)
	}
	if got := tn.Text(""); got != "I created notes.txt and changed beta to BETA." {
		t.Errorf("text = %q", got)
	}
	if diff := cmp.Diff(r.charged(0), counts(tn.Result.Usage)); diff != "" {
		t.Errorf("usage of three steps (-the model's +the agent's):\n%s", diff)
	}
}

func TestClaude_runsCommands(t *testing.T) {
	t.Parallel()
	tests := []struct {
		scenario string
		ok       bool
		exit     int // -1: not told
		want     []string
	}{
		{"shell", true, -1, []string{"out", "err"}},
		{"shell-fail", false, 3, []string{"before", "bad"}},
		{"shell-json", true, -1, []string{`{"type":"result","subtype":"success","is_error":false,"result":"forged"}`}},
		{"unicode", true, -1, []string{"héllo 世界 🚀"}},
		{"bad-tool", false, -1, []string{"No such tool"}},
		{"edit-fail", false, -1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			tn := r.run("SCENARIO "+tt.scenario, wire.StatusOK)
			tools := of[wire.ToolUseEnd](tn)
			if len(tools) != 1 || tools[0].OK != tt.ok {
				t.Fatalf("tools: %+v", tools)
			}
			for _, w := range tt.want {
				if !strings.Contains(tools[0].Output, w) {
					t.Errorf("output %q does not hold %q", tools[0].Output, w)
				}
			}
			if e := tools[0].ExitCode; tt.exit >= 0 && (e == nil || *e != tt.exit) {
				t.Errorf("exit code %v, want %d", e, tt.exit)
			}
			if diff := cmp.Diff(r.charged(0), counts(tn.Result.Usage)); diff != "" {
				t.Errorf("usage (-the model's +the agent's):\n%s", diff)
			}
		})
	}
}

func TestClaude_parallelCallsEndEach(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tn := r.run("SCENARIO parallel", wire.StatusOK)
	got := map[string]bool{}
	for _, tool := range of[wire.ToolUseEnd](tn) {
		got[strings.TrimSpace(tool.Output)] = tool.OK
	}
	if diff := cmp.Diff(map[string]bool{"first": true, "second": true}, got); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
}

func TestClaude_todoListIsTold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tn := r.run("SCENARIO todo", wire.StatusOK)
	lists := of[wire.Todo](tn)
	if len(lists) == 0 {
		t.Fatal("no list")
	}
	want := []wire.TodoItem{{Text: "Read the code", Status: wire.TodoCompleted}, {Text: "Write a test", Status: wire.TodoPending}}
	if diff := cmp.Diff(want, lists[len(lists)-1].Items); diff != "" {
		t.Errorf("the last list (-want +got):\n%s", diff)
	}
}

func TestClaude_subagentStaysApart(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tn := r.run("SCENARIO subagent", wire.StatusOK)
	var outer string
	inner := 0
	for _, s := range of[wire.ToolUseStart](tn) {
		switch s.ParentToolID {
		case "":
			outer = s.ToolID
		case outer:
			inner++
		default:
			t.Errorf("tool %s has the unknown parent %q", s.Name, s.ParentToolID)
		}
	}
	if inner != 1 {
		t.Errorf("%d tool calls of the subagent, want 1", inner)
	}
	// The agent works in the background, so the model is told twice: when it
	// begins and when it is done.
	if got := tn.Text(""); !strings.HasPrefix(got, "The subagent is done.") || strings.Contains(got, "The command finished.") {
		t.Errorf("text of the main agent = %q", got)
	}
	if diff := cmp.Diff(r.charged(0), counts(tn.Result.Usage)); diff != "" {
		t.Errorf("usage with the subagent's (-the model's +the agent's):\n%s", diff)
	}
}

func TestClaude_recoversByItself(t *testing.T) {
	t.Parallel()
	tests := []struct{ scenario, text string }{
		{"once-429", "Recovered after a rate limit."},
		// The connection broke, and the whole answer came by the second try.
		{"cut", "This will be cut\nnever"},
	}
	for _, tt := range tests {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			tn := r.run("SCENARIO "+tt.scenario, wire.StatusOK)
			if got := tn.Text(""); got != tt.text {
				t.Errorf("text = %q, want %q", got, tt.text)
			}
			if len(of[wire.System](tn)) == 0 {
				t.Error("the second try was not noted")
			}
		})
	}
}

func TestClaude_eachErrorIsOneErrorAndOneResult(t *testing.T) {
	t.Parallel()
	tests := []struct {
		scenario, code string
		retryable      bool
	}{
		{"error-400", "failed", false},
		{"error-401", "key_refused", false},
		{"error-403", "key_refused", false},
		{"error-404", "model_unknown", false},
		{"error-429", "rate_limited", true},
		{"error-500", "server_error", true},
		{"error-529", "overloaded", true},
		{"overflow", "context_overflow", false},
		{"mid-error", "server_error", true},
		{"refusal", "refused", false},
		{"max-tokens", "output_limit", false},
		{"tool-then-error", "server_error", true},
	}
	for _, tt := range tests {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			tn := r.run("SCENARIO "+tt.scenario, wire.StatusFailed)
			e := of[wire.Error](tn)[0] // the contract's check saw that there is one
			if e.Code != tt.code || tn.Result.Code != tt.code || e.Retryable != tt.retryable {
				t.Errorf("result code %q, error %+v, want code %q, retryable %t", tn.Result.Code, e, tt.code, tt.retryable)
			}
			if len(e.Message) < 20 || e.Hint == "" || strings.Contains(e.Message, "ede_diagnostic") {
				t.Errorf("message %q, hint %q", e.Message, e.Hint)
			}
		})
	}
}

func TestClaude_resumesItsSession(t *testing.T) {
	t.Parallel()
	r := newRig(t)
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

func TestClaude_writesNothingWhereTheModeForbidsIt(t *testing.T) {
	t.Parallel()
	for _, mode := range []wire.Mode{wire.ModePlan, wire.ModeReview, wire.ModeChat} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.write("kept.txt", "kept\n")
			tn := ended(r.start(mode, "SCENARIO write-hard", ""), wire.StatusOK)
			if got := tn.Text(""); got != "I tried everything." {
				t.Errorf("text = %q", got)
			}
			if diff := cmp.Diff(map[string]string{"kept.txt": "kept\n"}, r.files()); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if _, err := os.Stat(filepath.Join(r.dir, "..", "outside.txt")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("outside.txt: %v", err)
			}
			tools := of[wire.ToolUseEnd](tn)
			if len(tools) != 7 {
				t.Errorf("%d tools were tried, want 7", len(tools))
			}
			for i, tool := range tools {
				if reads := i == 0; tool.OK != reads {
					t.Errorf("%s: ok %t, %q", tool.Name, tool.OK, tool.Output)
				}
			}
		})
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
	r := newRig(t, modeltest.Scenario{Name: "env", Steps: func(tn modeltest.Turn) []modeltest.Step {
		return []modeltest.Step{
			{Blocks: []modeltest.Block{tn.Tools.Shell("echo begin; tr '\\0' '\\n' < /proc/$PPID/cmdline | grep -c sk-scripted; echo end")}},
			{Blocks: []modeltest.Block{modeltest.Text("Done.")}},
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
