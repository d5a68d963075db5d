package demo_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/demo"
	"signalbox/backend/permission"
	"signalbox/backend/prompt"
	"signalbox/backend/wire"
)

// limit is for runs that nothing holds up.
const limit = 30 * time.Second

// T9 is among the contract's tests.
func TestContract(t *testing.T) {
	t.Parallel()
	agenttest.Run(t, func(t *testing.T, s agenttest.Scene) agenttest.Part {
		switch s {
		case agenttest.Answer, agenttest.Continue, agenttest.Fork, agenttest.Lost:
			return agenttest.Part{Provider: fast(t), Prompt: "text", Unknown: "a session of another agent"}
		case agenttest.Tool:
			return agenttest.Part{Provider: fast(t), Prompt: "edit"}
		case agenttest.MidText:
			return agenttest.Part{Provider: newProvider(t, time.Hour, "demo-agent"), Prompt: "slow"}
		case agenttest.MidTool:
			// No tool of it lasts: after this one it talks for 13 seconds.
			return agenttest.Part{Provider: newProvider(t, 20*time.Millisecond, "demo-agent"), Prompt: "big, slow"}
		case agenttest.Fail:
			return agenttest.Part{Provider: fast(t), Prompt: "fail"}
		case agenttest.Leftover:
			p := newProvider(t, -1, "broken-agent", "deaf")
			demo.Impatient(p)
			// It reads nothing, and the prompt is larger than a pipe holds.
			return agenttest.Part{Provider: p, Prompt: strings.Repeat("x", 1<<20)}
		default:
			t.Fatalf("scene %s is not known", s)
			return agenttest.Part{}
		}
	})
}

func newProvider(t *testing.T, pace time.Duration, command ...string) *demo.Provider {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := demo.New(demo.Options{Command: append([]string{exe}, command...), Pace: pace})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fast plays at full speed.
func fast(t *testing.T) *demo.Provider { return newProvider(t, -1, "demo-agent") }

// run gives p a prompt in a mode whose rule answers what it asks.
func run(t *testing.T, p *demo.Provider, dir, text string, mode wire.Mode) *agenttest.Running {
	t.Helper()
	return agenttest.Start(t,
		agenttest.Part{Provider: p, Prompt: prompt.ForAgent(mode, text), Mode: mode},
		agenttest.Options{Session: second, Cwd: dir, Ask: func(_ context.Context, ask agent.Ask) (agent.Answer, error) {
			return answerIn(mode, ask), nil
		}})
}

// answerIn answers by the mode's rule. A person says yes in Code mode alone.
func answerIn(mode wire.Mode, ask agent.Ask) agent.Answer {
	d := permission.Decide(mode, nil, ask)
	if d.Verdict == permission.Ask && mode == wire.ModeCode {
		return agent.Answer{Allow: true}
	}
	return d.Answer()
}

// ended waits for the end and checks what holds for every run.
func ended(r *agenttest.Running, want wire.Status) *agenttest.Running {
	r.Wait(limit)
	r.Check(want)
	return r
}

func TestProvider_playsEveryWordUnderSupervision(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := ended(run(t, fast(t), dir, "text think edit shell ask approve plan todo slow big", wire.ModeCode), wire.StatusOK)
	events := r.Events()
	if s := agenttest.Of[wire.Session](events); len(s) != 1 || !s[0].Resumed || s[0].Agent != demo.ID || s[0].SessionID != r.Result.Turn {
		t.Errorf("sessions: %+v, turn %q", s, r.Result.Turn)
	}
	starts, ends := agenttest.Of[wire.ToolUseStart](events), agenttest.Of[wire.ToolUseEnd](events)
	if len(starts) != 7 || len(ends) != 7 {
		t.Fatalf("%d tools began, %d ended", len(starts), len(ends))
	}
	for i, end := range ends {
		if end.ToolID != starts[i].ToolID || end.Name != starts[i].Name || !end.OK {
			t.Errorf("tool %d: began as %+v, ended as %s %s %q", i, starts[i], end.ToolID, end.Name, end.Output)
		}
	}
	if n := len(ends[len(ends)-1].Output); n < 1<<20 {
		t.Errorf("the big output has %d bytes", n)
	}
	if todos := agenttest.Of[wire.Todo](events); len(todos) != 4 || todos[3].Items[2].Status != wire.TodoCompleted {
		t.Errorf("to-do lists: %+v", todos)
	}
	if len(agenttest.Of[wire.Thinking](events)) == 0 || len(agenttest.Of[wire.ToolOutput](events)) == 0 {
		t.Error("no reasoning or no output streamed")
	}
	if u := r.Result.Usage; u == nil || u.Input == 0 || u.Output == 0 || u.CostUSD != nil || !strings.Contains(u.Model, "characters") {
		t.Errorf("usage: %+v", u)
	}
	for _, name := range []string{"signalbox-demo.md", "signalbox-demo-approved.md"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestProvider_writesNothingWhereTheModeForbidsIt(t *testing.T) {
	t.Parallel()
	for _, mode := range []wire.Mode{wire.ModePlan, wire.ModeChat, wire.ModeReview, "unknown"} {
		dir := t.TempDir()
		r := run(t, fast(t), dir, strings.ReplaceAll(strings.Join(everyWord, " "), " fail", ""), mode)
		ended(r, wire.StatusOK)
		if files := tree(t, dir); len(files) != 0 {
			t.Errorf("%s: written: %v", mode, files)
		}
	}
}

// The words that a mode adds for a model must not be played.
func TestProvider_playsThePersonsWordsAlone(t *testing.T) {
	t.Parallel()
	for _, mode := range wire.Modes() {
		r := ended(run(t, fast(t), t.TempDir(), "hello", mode), wire.StatusOK)
		if len(r.Asks()) != 0 || !strings.Contains(r.Text(""), "- **edit**") {
			t.Errorf("%s: it played %q", mode, r.Text(""))
		}
	}
}

func TestProvider_asksNameWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := ended(run(t, fast(t), dir, "edit shell approve plan", wire.ModePlan), wire.StatusOK)
	type ask struct {
		Kind     wire.ApprovalKind
		Tool     string
		Title    string
		Paths    []string
		ReadOnly bool
	}
	var got []ask
	for _, a := range r.Asks() {
		got = append(got, ask{a.Kind, a.Tool, a.Title, a.Paths, a.ReadOnly})
		if a.Cwd != dir || (a.Kind != wire.ApprovalPlan) != (a.ToolID != "") {
			t.Errorf("%s: cwd %q, tool %q", a.Title, a.Cwd, a.ToolID)
		}
	}
	want := []ask{
		{wire.ApprovalEdit, "Write", "Write signalbox-demo.md", []string{filepath.Join(dir, "signalbox-demo.md")}, false},
		{wire.ApprovalCommand, "Bash", "ls -la", nil, true},
		{wire.ApprovalTool, "Stamp", "Stamp signalbox-demo-approved.md", []string{filepath.Join(dir, "signalbox-demo-approved.md")}, false},
		{wire.ApprovalPlan, "Plan", "Carry out the plan", nil, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("asks (-want +got):\n%s", diff)
	}
}

func TestProvider_failIsAnErrorThatCanBeTriedAgain(t *testing.T) {
	t.Parallel()
	r := ended(run(t, fast(t), t.TempDir(), "fail", wire.ModeCode), wire.StatusFailed)
	if errs := agenttest.Of[wire.Error](r.Events()); !errs[0].Retryable || r.Result.Code != errs[0].Code {
		t.Errorf("result %+v, errors %+v", r.Result, errs)
	}
}

func TestProvider_cancelInTheMiddleOfEveryWord(t *testing.T) {
	t.Parallel()
	for _, word := range everyWord {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			r := run(t, newProvider(t, time.Hour, "demo-agent"), t.TempDir(), word, wire.ModeCode)
			r.Until("the middle", func(ev wire.Event) bool {
				_, begin := ev.(wire.Session)
				return !begin
			})
			r.Cancel(errors.New("a person pressed stop"))
			ended(r, wire.StatusCancelled)
		})
	}
}

// asksForEver starts p with a host that never answers.
func asksForEver(t *testing.T, p *demo.Provider, dir string, asked func()) *agenttest.Running {
	t.Helper()
	return agenttest.Start(t, agenttest.Part{Provider: p, Prompt: "edit"}, agenttest.Options{
		Session: second, Cwd: dir,
		Ask: func(ctx context.Context, _ agent.Ask) (agent.Answer, error) {
			asked()
			<-ctx.Done()
			return agent.Answer{}, context.Cause(ctx)
		},
	})
}

func TestProvider_cancelWithdrawsWhatIsAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	asked := make(chan struct{})
	r := asksForEver(t, fast(t), dir, func() { close(asked) })
	<-asked
	r.Cancel(errors.New("a person pressed stop"))
	ended(r, wire.StatusCancelled)
	if files := tree(t, dir); len(files) != 0 {
		t.Errorf("written: %v", files)
	}
}

func TestProvider_anAskEndsWithTheAgent(t *testing.T) {
	t.Parallel()
	p := newProvider(t, -1, "broken-agent", "dies while it asks")
	ended(asksForEver(t, p, t.TempDir(), func() {}), wire.StatusFailed)
}

func TestProvider_aBrokenAgentIsOneErrorAndOneResult(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fault string
		want  string // in the message
	}{
		{"dies", "exit code 7: panic: out of words"},
		{"exits 0", "exit code 0"},
		{"killed", "killed"},
	}
	for _, tt := range tests {
		r := ended(run(t, newProvider(t, -1, "broken-agent", tt.fault), t.TempDir(), "x", wire.ModeCode), wire.StatusFailed)
		if errs := agenttest.Of[wire.Error](r.Events()); !strings.Contains(errs[0].Message, tt.want) {
			t.Errorf("%s: errors %+v", tt.fault, errs)
		}
	}
}

func TestProvider_oddLinesAreSaidAndTheFirstEndCounts(t *testing.T) {
	t.Parallel()
	r := ended(run(t, newProvider(t, -1, "broken-agent", "garbage"), t.TempDir(), "x", wire.ModeCode), wire.StatusOK)
	events := r.Events()
	if s := agenttest.Of[wire.System](events); len(events) != 1 || len(s) != 1 || !strings.Contains(s[0].Text, "Welcome!") {
		t.Errorf("events: %+v", events)
	}
}

func TestProvider_whatCannotBeStartedIsOneErrorAndOneResult(t *testing.T) {
	t.Parallel()
	absent, err := demo.New(demo.Options{Command: []string{"/no/such/program"}})
	if err != nil {
		t.Fatal(err)
	}
	ended(run(t, absent, t.TempDir(), "text", wire.ModeCode), wire.StatusFailed)
	if s := absent.Probe(t.Context()); s.State != agent.StateBroken || s.Message == "" || s.Hint == "" {
		t.Errorf("status: %+v", s)
	}
}

func TestProvider_isLabelled(t *testing.T) {
	t.Parallel()
	p := fast(t)
	if info := p.Info(); !info.Demo || !strings.Contains(info.Name, "Demo") {
		t.Errorf("info: %+v", info)
	}
	if s := p.Probe(t.Context()); s.State != agent.StateReady || s.Path == "" {
		t.Errorf("status: %+v", s)
	}
}
