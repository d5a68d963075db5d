package claude_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/agenttest/fake"
	"signalbox/backend/agent/claude"
	"signalbox/backend/permission"
	"signalbox/backend/wire"
)

const soon = 30 * time.Second

// runScript runs one prompt against the fake and returns the run after its end.
func runScript(t *testing.T, s fake.Script, opts agenttest.Options) *agenttest.Running {
	t.Helper()
	return agenttest.Whole(t, provider(t, s), opts)
}

// T1: lines of every size arrive whole, and so does the next one.
func TestRun_longLines(t *testing.T) {
	t.Parallel()
	for _, n := range []int{65_535, 65_536, 65_537, 1<<20 + 1, 16<<20 + 1, 20 << 20} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			r := agenttest.Start(t, agenttest.Part{Provider: provider(t, fake.Script{LineBytes: n}), Prompt: "go"}, agenttest.Options{})
			r.Wait(2 * soon) // the race detector takes its time with so many bytes
			texts := agenttest.Of[wire.AssistantText](r.Events())
			if r.Result.Status != wire.StatusOK || len(texts) != 2 || len(texts[0].Delta) != n || texts[1].Delta != "after" {
				t.Fatalf("%d texts, %+v", len(texts), r.Result)
			}
		})
	}
}

// T2: a character may be cut anywhere between two reads.
func TestRun_cutCharacters(t *testing.T) {
	t.Parallel()
	edge := strings.Repeat("x", 64<<10-len("\U0001F600")/2)
	tests := []struct {
		name, text string
		cuts       []int
	}{
		{"a dash", "a—b", []int{2}},
		{"a dash, each byte alone", "a—b", []int{1, 2, 3, 4}},
		{"an emoji", "a\U0001F600b", []int{3}},
		{"around 64 KiB", edge + "\U0001F600 and — on", []int{len(edge) + 1, len(edge) + 2, len(edge) + 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := runScript(t, fake.Script{Text: tt.text, SplitText: tt.cuts, PauseMS: 50}, agenttest.Options{})
			r.Check(wire.StatusOK)
			if got := r.Text(""); got != tt.text {
				t.Errorf("text of %d bytes became one of %d: ...%q", len(tt.text), len(got), got[max(0, len(got)-20):])
			}
		})
	}
}

// T3: lines that end as on a terminal.
func TestRun_carriageReturns(t *testing.T) {
	t.Parallel()
	r := runScript(t, fake.Script{Capture: agenttest.TwoWay(t, "approve-once"), CRLF: true}, agenttest.Options{})
	r.Check(wire.StatusOK)
	if got := r.Text(""); got != "Ran it twice." {
		t.Errorf("text = %q", got)
	}
	for _, s := range agenttest.Of[wire.System](r.Events()) {
		t.Errorf("notice %+v", s)
	}
}

func TestRun_badDays(t *testing.T) {
	t.Parallel()
	code := func(n int) *int { return &n }
	text := agenttest.TwoWay(t, "text")
	agenttest.BadDays(t, func(t testing.TB, s fake.Script) agent.Provider { return provider(t, s) }, map[string]agenttest.BadDay{
		"stderr is flooded":   {Script: fake.Script{Capture: text, StderrBytes: 4 << 20}, Status: wire.StatusOK},
		"stdin is never read": {Script: fake.Script{Capture: text, Deaf: true}, Status: wire.StatusOK},
		"garbage and lines of the future": {
			Script: fake.Script{Capture: text, Before: []string{
				"not json", "\x1b[?25h", "", "[1,2]", "42", `"text"`, "null", "{", `{"type":"result"`, "\xff\xfe",
				`{"type":"future_thing"}`, `{"type":"system","subtype":"future"}`, `{"type":"assistant","message":7}`, `{}`,
			}},
			Status: wire.StatusOK, Notice: "garbage",
		},
		"a start that fails": {
			Status: wire.StatusFailed, Code: "start_failed", Words: "no space left",
			Script: fake.Script{ExitEarly: true, Exit: code(1), Stderr: "no space left on device\n"},
		},
		"killed in a tool":             {Status: wire.StatusFailed, Code: "killed", Script: fake.Script{Capture: agenttest.TwoWay(t, "lose-kill-tool")}},
		"hung up on":                   {Status: wire.StatusFailed, Code: "killed", Script: fake.Script{Capture: agenttest.TwoWay(t, "lose-hup-text")}},
		"unavailable":                  {Status: wire.StatusFailed, Code: "server_error", Script: fake.Script{Capture: agenttest.TwoWay(t, "error503")}},
		"one limit, then well":         {Status: wire.StatusOK, Notice: "api_retry", Script: fake.Script{Capture: agenttest.TwoWay(t, "once-429")}},
		"interrupted by somebody else": {Status: wire.StatusInterrupted, Script: fake.Script{Capture: agenttest.TwoWay(t, "interrupt-text"), Deaf: true, StopAfter: 9256}},
	})
}

// Whatever the process does, a person can stop it.
func TestRun_canAlwaysBeStopped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		script fake.Script
		began  bool // something is said before it hangs
	}{
		{"half a line and no more", fake.Script{Capture: agenttest.TwoWay(t, "text"), StopAfter: 21_700, Then: "hang"}, true},
		{"silence", fake.Script{Silent: true}, false},
		{"deaf and silent", fake.Script{Silent: true, Deaf: true, IgnoreSignals: true}, false},
		{"asks and never reads the answer", fake.Script{Capture: agenttest.TwoWay(t, "lose-kill-approval"), Deaf: true, IgnoreEOF: true}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := agenttest.Start(t, agenttest.Part{Provider: provider(t, tt.script), Prompt: strings.Repeat("x", 1<<20)}, agenttest.Options{})
			if tt.began {
				r.Until("the session", func(ev wire.Event) bool { _, ok := ev.(wire.Session); return ok })
			}
			r.Cancel(errors.New("a person pressed stop"))
			r.Wait(15 * time.Second)
			r.Check(wire.StatusCancelled)
		})
	}
}

// A subagent in the background: the turn ends, the subagent goes on, the model
// is woken and answers again. All of it is one run.
func TestRun_waitsForSubagents(t *testing.T) {
	t.Parallel()
	r := runScript(t, fake.Script{Capture: agenttest.TwoWay(t, "agent")}, agenttest.Options{})
	r.Check(wire.StatusOK)
	if got := r.Text(""); got != "The helper is done.\nThe helper is done." {
		t.Errorf("the main agent says %q", got)
	}
	if got := r.Text("toolu_lab000866"); got != "I will run a command.\nThe command finished." {
		t.Errorf("the subagent says %q", got)
	}
	if u := r.Result.Usage; u == nil || u.Input != 2000 || u.Output != 71 || u.CostUSD == nil {
		t.Errorf("usage of both turns and the subagent: %+v", u)
	}
}

func TestRun_answersRequests(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "record")
	r := runScript(t, fake.Script{Capture: agenttest.TwoWay(t, "approve-once"), Record: record}, agenttest.Options{
		Ask: func(_ context.Context, ask agent.Ask) (agent.Answer, error) {
			if ask.Kind != wire.ApprovalCommand || ask.Title != "touch made.txt" || ask.ReadOnly {
				t.Errorf("asked %+v", ask)
			}
			return agent.Answer{Allow: true}, nil
		},
	})
	r.Check(wire.StatusOK)
	var answers []string
	for _, line := range stdin(t, record) {
		if strings.Contains(line, "control_response") {
			answers = append(answers, line)
		}
	}
	want := `{"type":"control_response","response":{"subtype":"success","request_id":"77f16083-8b0a-47ef-a005-fc9fe4c4826e",` +
		`"response":{"behavior":"allow","updatedInput":{"command":"touch made.txt","description":"Run a command"}}}}` + "\n"
	if len(answers) != 2 || answers[0] != want {
		t.Errorf("answers %q\nwant first %q", answers, want)
	}
}

// What the model asks people is put to them, and their answers go into its call.
func TestRun_questions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, capture string
		answer        agent.Answer
		want          string
	}{
		{"chosen", "ask-single", agent.Answer{Allow: true, Answers: map[string][]string{"Which colour?": {"Blue"}}}, `"answers":{"Which colour?":"Blue"}`},
		{"several", "ask-multi", agent.Answer{Allow: true, Answers: map[string][]string{"Which toppings?": {"Cheese", "Olives"}}}, `"answers":{"Which toppings?":"Cheese, Olives"}`},
		{"declined", "ask-single", agent.Answer{Reason: "Ann does not want to answer that."}, `"message":"Ann does not want to answer that."`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			record := filepath.Join(t.TempDir(), "record")
			r := runScript(t, fake.Script{Capture: agenttest.TwoWay(t, tt.capture), Record: record}, agenttest.Options{
				Ask: func(context.Context, agent.Ask) (agent.Answer, error) { return tt.answer, nil },
			})
			r.Check(wire.StatusOK)
			asks := r.Asks()
			if len(asks) != 1 || asks[0].Kind != wire.ApprovalQuestion || len(asks[0].Questions) != 1 || len(asks[0].Questions[0].Options) < 2 {
				t.Errorf("asked %+v", asks)
			}
			if sent := strings.Join(stdin(t, record), ""); !strings.Contains(sent, tt.want) {
				t.Errorf("the model was told %s, want %s", sent, tt.want)
			}
		})
	}
}

// The plan is asked about with its text, also where the request does not hold
// it, and Plan mode says no.
func TestRun_plan(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plan-reject", "plan-file-reject"} {
		record := filepath.Join(t.TempDir(), "record")
		r := agenttest.Start(t, agenttest.Part{
			Provider: provider(t, fake.Script{Capture: agenttest.TwoWay(t, name), Record: record}), Prompt: "plan it", Mode: wire.ModePlan,
		}, agenttest.Options{Ask: func(_ context.Context, ask agent.Ask) (agent.Answer, error) {
			return permission.Decide(wire.ModePlan, nil, ask).Answer(), nil
		}})
		r.Wait(soon)
		r.Check(wire.StatusOK)
		asks := r.Asks()
		if len(asks) == 0 || asks[0].Kind != wire.ApprovalPlan || !strings.Contains(asks[0].Detail, "Edit hello.txt") {
			t.Errorf("%s: asked %+v", name, asks)
		}
		sent := strings.Join(stdin(t, record), "")
		if !strings.Contains(sent, `"behavior":"deny"`) || strings.Contains(sent, `"behavior":"allow"`) {
			t.Errorf("%s: the model was told %s", name, sent)
		}
		if args := argv(t, record); !strings.Contains(strings.Join(args, " "), "--permission-mode plan") {
			t.Errorf("%s: started with %q", name, args)
		}
	}
}

// A request that the CLI takes back ends the question to the person.
func TestRun_withdrawnRequest(t *testing.T) {
	t.Parallel()
	asked, withdrawn := make(chan struct{}), make(chan struct{})
	r := agenttest.Start(t, agenttest.Part{Provider: provider(t, fake.Script{Capture: agenttest.TwoWay(t, "interrupt-approval")}), Prompt: "go"},
		agenttest.Options{Ask: func(ctx context.Context, _ agent.Ask) (agent.Answer, error) {
			close(asked)
			<-ctx.Done()
			close(withdrawn)
			return agent.Answer{}, context.Cause(ctx)
		}})
	<-asked
	r.Cancel(errors.New("a person pressed stop"))
	<-withdrawn
	r.Wait(15 * time.Second)
	r.Check(wire.StatusCancelled)
}

// An answer that cannot be got is a no, and the run goes on.
func TestRun_askThatFails(t *testing.T) {
	t.Parallel()
	r := runScript(t, fake.Script{Capture: agenttest.TwoWay(t, "approve-deny")}, agenttest.Options{
		Ask: func(context.Context, agent.Ask) (agent.Answer, error) {
			return agent.Answer{}, errors.New("nobody there")
		},
	})
	r.Check(wire.StatusOK)
}

// The prompt goes to stdin as it is, and neither it nor a key is on the command
// line.
func TestRun_promptIsOnStdin(t *testing.T) {
	t.Parallel()
	prompts := []string{
		"plain", "-p", "--help\nis no flag", "/skill args", "a\u2028b\r\nc\td", "\U0001F680 — é", "\"quotes\" and \\ and {}",
		strings.Repeat("long ", 1<<18),
	}
	for _, prompt := range prompts {
		record := filepath.Join(t.TempDir(), "record")
		p := provider(t, fake.Script{Record: record})
		r := agenttest.Start(t, agenttest.Part{Provider: p, Prompt: prompt}, agenttest.Options{})
		r.Wait(soon)
		r.Check(wire.StatusOK)
		var given string
		for _, line := range stdin(t, record) {
			var l struct {
				Type    string
				Message struct{ Content []struct{ Text string } }
			}
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatalf("stdin: %v in %.100q", err, line)
			}
			if l.Type == "user" {
				given = l.Message.Content[0].Text
			}
		}
		if given != prompt {
			t.Errorf("the agent was given %.60q, want %.60q", given, prompt)
		}
		for _, arg := range argv(t, record)[1:] {
			if len(prompt) > 4 && strings.Contains(arg, prompt) {
				t.Errorf("the prompt is on the command line: %q", arg)
			}
		}
	}
}

func TestRun_notInstalled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "claude")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path, searched string
		code, hint           string
	}{
		{"not in PATH", "claude", "/nonexistent", "not_installed", "npm install -g @anthropic-ai/claude-code"},
		{"not at its path", dir + "/other", "/bin", "not_installed", "npm install -g @anthropic-ai/claude-code"},
		{"not executable", file, "/bin", "not_executable", "chmod"},
		{"not executable in PATH", "claude", dir, "not_executable", "chmod"},
		{"a folder", dir, "/bin", "not_installed", "npm install"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := claude.New(claude.Options{Path: tt.path, Environ: []string{"PATH=" + tt.searched}})
			r := agenttest.Start(t, agenttest.Part{Provider: p, Prompt: "go"}, agenttest.Options{})
			r.Wait(soon)
			r.Check(wire.StatusFailed)
			e := agenttest.Of[wire.Error](r.Events())
			if len(e) != 1 || e[0].Code != tt.code || !strings.Contains(e[0].Hint, tt.hint) {
				t.Errorf("error %+v, want %s", e, tt.code)
			}
		})
	}
}

func TestRun_choiceThatCannotBe(t *testing.T) {
	t.Parallel()
	r := runScript(t, fake.Script{}, agenttest.Options{Session: "--dangerously-skip-permissions"})
	r.Check(wire.StatusFailed)
	if r.Result.Code != "bad_choice" {
		t.Errorf("code = %q", r.Result.Code)
	}
}

// While a tool's input is written, its size and its end are shown.
func TestRun_showsToolInput(t *testing.T) {
	t.Parallel()
	r := runScript(t, fake.Script{Capture: agenttest.TwoWay(t, "write")}, agenttest.Options{})
	r.Check(wire.StatusOK)
	var last wire.ToolUseInput
	for _, f := range r.Frames() {
		if in, ok := f.(wire.ToolUseInput); ok {
			last = in
		}
	}
	if last.Name != "Write" || last.ToolID == "" || last.Bytes != int64(len(last.Tail)) || !strings.HasSuffix(last.Tail, `"}`) {
		t.Errorf("the last remark is %+v", last)
	}
}

func stdin(t *testing.T, file string) []string {
	t.Helper()
	var lines []string
	for _, r := range records(t, file) {
		if r.Stdin != "" {
			lines = append(lines, r.Stdin)
		}
	}
	return lines
}

func argv(t *testing.T, file string) []string {
	t.Helper()
	for _, r := range records(t, file) {
		if r.Argv != nil {
			return r.Argv
		}
	}
	t.Fatal("no command line was recorded")
	return nil
}

func records(t *testing.T, file string) []fake.Record {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []fake.Record
	for dec := json.NewDecoder(bufio.NewReader(f)); dec.More(); {
		var r fake.Record
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}
