package demo_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/agent/demo"
	"signalbox/backend/permission"
	"signalbox/backend/proc"
	"signalbox/backend/prompt"
	"signalbox/backend/wire"
)

// host keeps what a run emits and answers by the mode's rule.
type host struct {
	mode wire.Mode
	// seen is told each event before Emit returns; may be nil.
	seen func(wire.Event) error

	mu     sync.Mutex
	events []wire.Event
	asks   []agent.Ask
}

func (h *host) Emit(ev wire.Event) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, ev)
	if h.seen != nil {
		return h.seen(ev)
	}
	return nil
}

func (h *host) Remark(wire.Frame) {}

func (h *host) Ask(ctx context.Context, ask agent.Ask) (agent.Answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asks = append(h.asks, ask)
	return permission.Decide(h.mode, ask).Answer(), ctx.Err()
}

func (h *host) text() string {
	var b strings.Builder
	for _, ev := range h.events {
		if t, ok := ev.(wire.AssistantText); ok {
			b.WriteString(t.Delta)
		}
	}
	return b.String()
}

// of returns the events of one type.
func of[E wire.Event](h *host) []E {
	var got []E
	for _, ev := range h.events {
		if e, ok := ev.(E); ok {
			got = append(got, e)
		}
	}
	return got
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

func request(t *testing.T, dir, text string, mode wire.Mode) agent.Request {
	t.Helper()
	launcher := proc.NewLauncher(proc.Options{Instance: t.Name()})
	return agent.Request{
		Text: prompt.ForAgent(mode, text), Cwd: dir, Session: second,
		Selection: wire.Selection{Agent: demo.ID, Mode: mode},
		Start:     launcher.Start,
	}
}

func TestProvider_playsEveryWordUnderSupervision(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := &host{mode: wire.ModeCode}
	words := "text think edit shell ask approve plan todo slow big"
	res, err := fast(t).Run(t.Context(), request(t, dir, words, wire.ModeCode), h)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != wire.StatusOK || res.Code != "" {
		t.Errorf("result: %+v", res)
	}
	if s := of[wire.Session](h); len(s) != 1 || !s[0].Resumed || s[0].Agent != demo.ID || s[0].SessionID != res.Turn {
		t.Errorf("sessions: %+v, turn %q", s, res.Turn)
	}
	starts, ends := of[wire.ToolUseStart](h), of[wire.ToolUseEnd](h)
	if len(starts) != 5 || len(ends) != 5 {
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
	if todos := of[wire.Todo](h); len(todos) != 4 || todos[3].Items[2].Status != wire.TodoCompleted {
		t.Errorf("to-do lists: %+v", todos)
	}
	if len(of[wire.Thinking](h)) == 0 || len(of[wire.ToolOutput](h)) == 0 {
		t.Error("no reasoning or no output streamed")
	}
	if u := res.Usage; u == nil || u.Input == 0 || u.Output == 0 || u.CostUSD != nil || u.CostKind != wire.CostEstimated {
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
		h := &host{mode: mode}
		req := request(t, dir, strings.Join(everyWord, " "), mode)
		if _, err := fast(t).Run(t.Context(), req, h); err != nil {
			t.Fatal(err)
		}
		if files := tree(t, dir); len(files) != 0 {
			t.Errorf("%s: written: %v", mode, files)
		}
	}
}

// The words that a mode adds for a model must not be played.
func TestProvider_playsThePersonsWordsAlone(t *testing.T) {
	t.Parallel()
	for _, mode := range wire.Modes() {
		h := &host{mode: mode}
		if _, err := fast(t).Run(t.Context(), request(t, t.TempDir(), "hello", mode), h); err != nil {
			t.Fatal(err)
		}
		if len(h.asks) != 0 || len(of[wire.ToolUseStart](h)) != 0 || !strings.Contains(h.text(), "- **edit**") {
			t.Errorf("%s: it played %q", mode, h.text())
		}
	}
}

func TestProvider_asksNameWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := &host{mode: wire.ModePlan}
	if _, err := fast(t).Run(t.Context(), request(t, dir, "edit shell approve plan", wire.ModePlan), h); err != nil {
		t.Fatal(err)
	}
	type ask struct {
		Kind     wire.ApprovalKind
		Title    string
		Paths    []string
		ReadOnly bool
	}
	var got []ask
	for _, a := range h.asks {
		got = append(got, ask{a.Kind, a.Title, a.Paths, a.ReadOnly})
		if a.Cwd != dir || (a.Kind != wire.ApprovalPlan) != (a.ToolID != "") {
			t.Errorf("%s: cwd %q, tool %q", a.Title, a.Cwd, a.ToolID)
		}
	}
	want := []ask{
		{wire.ApprovalEdit, "Write signalbox-demo.md", []string{filepath.Join(dir, "signalbox-demo.md")}, false},
		{wire.ApprovalCommand, "ls -la", nil, true},
		{wire.ApprovalTool, "Stamp signalbox-demo-approved.md", []string{filepath.Join(dir, "signalbox-demo-approved.md")}, false},
		{wire.ApprovalPlan, "Carry out the plan", nil, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("asks (-want +got):\n%s", diff)
	}
}

func TestProvider_failIsOneErrorAndOneResult(t *testing.T) {
	t.Parallel()
	h := &host{mode: wire.ModeCode}
	res, err := fast(t).Run(t.Context(), request(t, t.TempDir(), "fail", wire.ModeCode), h)
	if err != nil {
		t.Fatal(err)
	}
	errs := of[wire.Error](h)
	if len(errs) != 1 || errs[0].Message == "" || errs[0].Hint == "" || !errs[0].Retryable {
		t.Errorf("errors: %+v", errs)
	}
	if res.Status != wire.StatusFailed || res.Code != errs[0].Code {
		t.Errorf("result: %+v", res)
	}
}

func TestProvider_cancelInTheMiddleOfEveryWord(t *testing.T) {
	t.Parallel()
	for _, word := range everyWord {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			h := &host{mode: wire.ModeCode}
			h.seen = func(ev wire.Event) error {
				if _, ok := ev.(wire.Session); !ok {
					cancel(errors.New("the person pressed stop"))
				}
				return nil
			}
			res, err := newProvider(t, time.Hour, "demo-agent").Run(ctx, request(t, t.TempDir(), word, wire.ModeCode), h)
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != wire.StatusCancelled || len(of[wire.Error](h)) != 0 {
				t.Errorf("result: %+v, errors: %v", res, of[wire.Error](h))
			}
			if b, e := len(of[wire.ToolUseStart](h)), len(of[wire.ToolUseEnd](h)); b != e {
				t.Errorf("%d tools began, %d ended", b, e)
			}
		})
	}
}

// patientHost never answers an ask.
type patientHost struct {
	host
	asked func()
}

func (h *patientHost) Ask(ctx context.Context, _ agent.Ask) (agent.Answer, error) {
	h.asked()
	<-ctx.Done()
	return agent.Answer{}, context.Cause(ctx)
}

func TestProvider_cancelWithdrawsWhatIsAsked(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	h := &patientHost{asked: cancel}
	res, err := fast(t).Run(ctx, request(t, dir, "edit", wire.ModeCode), h)
	if err != nil || res.Status != wire.StatusCancelled {
		t.Errorf("Run = %+v, %v", res, err)
	}
	if files := tree(t, dir); len(files) != 0 {
		t.Errorf("written: %v", files)
	}
}

func TestProvider_endsWhenTheLogRefusesAnEvent(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	h := &host{seen: func(ev wire.Event) error {
		if _, ok := ev.(wire.AssistantText); ok {
			return full
		}
		return nil
	}}
	_, err := newProvider(t, time.Hour, "demo-agent").Run(t.Context(), request(t, t.TempDir(), "slow", wire.ModeCode), h)
	if !errors.Is(err, full) {
		t.Errorf("Run = %v, want %v", err, full)
	}
}

// brokenAgent plays an agent with a fault and returns its exit code.
func brokenAgent(fault string) int {
	in := bufio.NewReader(os.Stdin)
	if fault != "deaf" {
		if _, err := in.ReadBytes('\n'); err != nil {
			return 3
		}
	}
	tool := `{"type":"tool_start","tool":"tool-1","name":"Bash","input":{}}`
	switch fault {
	case "dies":
		fmt.Println(tool)
		fmt.Fprintln(os.Stderr, "first line\npanic: out of words")
		return 7
	case "exits 0":
		return 0
	case "killed":
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			return 3
		}
	case "garbage":
		fmt.Println("Welcome!")
		fmt.Println(`{"type":"future","x":1}`)
		fmt.Println(`{"type":"end","status":"ok"}`)
		fmt.Println(`{"type":"text","item":"late","delta":"after the end"}`)
		fmt.Println(`{"type":"end","status":"failed"}`)
		return 0
	case "dies while it asks":
		fmt.Println(`{"type":"ask","id":"ask-1","kind":"command","title":"x"}`)
		return 7
	case "deaf":
		signal.Ignore(syscall.SIGINT)
		fmt.Println(tool)
		select {}
	}
	return 3
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
		h := &host{mode: wire.ModeCode}
		res, err := newProvider(t, -1, "broken-agent", tt.fault).Run(t.Context(), request(t, t.TempDir(), "x", wire.ModeCode), h)
		if err != nil {
			t.Fatal(err)
		}
		errs := of[wire.Error](h)
		if res.Status != wire.StatusFailed || len(errs) != 1 || !strings.Contains(errs[0].Message, tt.want) || errs[0].Hint == "" {
			t.Errorf("%s: result %+v, errors %+v", tt.fault, res, errs)
		}
		if b, e := len(of[wire.ToolUseStart](h)), len(of[wire.ToolUseEnd](h)); b != e {
			t.Errorf("%s: %d tools began, %d ended", tt.fault, b, e)
		}
	}
}

func TestProvider_oddLinesAreSaidAndTheFirstEndCounts(t *testing.T) {
	t.Parallel()
	h := &host{mode: wire.ModeCode}
	res, err := newProvider(t, -1, "broken-agent", "garbage").Run(t.Context(), request(t, t.TempDir(), "x", wire.ModeCode), h)
	if err != nil || res.Status != wire.StatusOK {
		t.Errorf("Run = %+v, %v", res, err)
	}
	if len(h.events) != 1 {
		t.Errorf("events: %+v", h.events)
	}
	if s := of[wire.System](h); len(s) != 1 || s[0].Level != wire.LevelWarn || !strings.Contains(s[0].Text, "Welcome!") {
		t.Errorf("notices: %+v", s)
	}
}

func TestProvider_anAskEndsWithTheAgent(t *testing.T) {
	t.Parallel()
	h := &patientHost{asked: func() {}}
	res, err := newProvider(t, -1, "broken-agent", "dies while it asks").Run(t.Context(), request(t, t.TempDir(), "x", wire.ModeCode), h)
	if err != nil || res.Status != wire.StatusFailed {
		t.Errorf("Run = %+v, %v", res, err)
	}
}

// T9: an agent that hears nothing is ended by signals.
func TestProvider_cancelEndsAnAgentThatReadsNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h := &host{seen: func(wire.Event) error { cancel(); return nil }}
	// The prompt is larger than a pipe holds.
	req := request(t, t.TempDir(), strings.Repeat("x", 1<<20), wire.ModeCode)
	req.Start = proc.NewLauncher(proc.Options{
		Instance: t.Name(), Grace: proc.Grace{Interrupt: 50 * time.Millisecond},
	}).Start
	p := newProvider(t, -1, "broken-agent", "deaf")
	demo.Impatient(p)
	res, err := p.Run(ctx, req, h)
	if err != nil || res.Status != wire.StatusCancelled {
		t.Errorf("Run = %+v, %v", res, err)
	}
	if ends := of[wire.ToolUseEnd](h); len(ends) != 1 || ends[0].OK {
		t.Errorf("tool ends: %+v", ends)
	}
}

func TestProvider_whatCannotBeStartedIsOneErrorAndOneResult(t *testing.T) {
	t.Parallel()
	absent, err := demo.New(demo.Options{Command: []string{"/no/such/program"}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		p    *demo.Provider
		dir  string
	}{
		{"the folder is gone", fast(t), filepath.Join(t.TempDir(), "gone")},
		{"the program is gone", absent, t.TempDir()},
	}
	for _, tt := range tests {
		h := &host{}
		res, err := tt.p.Run(t.Context(), request(t, tt.dir, "text", wire.ModeCode), h)
		if err != nil {
			t.Fatal(err)
		}
		errs := of[wire.Error](h)
		if res.Status != wire.StatusFailed || len(h.events) != 1 || len(errs) != 1 || res.Code != errs[0].Code || errs[0].Hint == "" {
			t.Errorf("%s: result %+v, events %+v", tt.name, res, h.events)
		}
	}
}

func TestProvider_aRunThatIsStoppedBeforeItsStartIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := &host{}
	res, err := fast(t).Run(ctx, request(t, t.TempDir(), "text", wire.ModeCode), h)
	if err != nil || res.Status != wire.StatusCancelled || len(of[wire.Error](h)) != 0 {
		t.Errorf("Run = %+v, %v; events %+v", res, err, h.events)
	}
}

func TestProvider_isLabelled(t *testing.T) {
	t.Parallel()
	p := fast(t)
	info := p.Info()
	if !info.Demo || !strings.Contains(info.Name, "Demo") || len(info.Models) == 0 {
		t.Errorf("info: %+v", info)
	}
	for i, mode := range wire.Modes() {
		if info.Modes[i].Mode != mode || info.Modes[i].Policy == "" {
			t.Errorf("mode %s: %+v", mode, info.Modes[i])
		}
	}
	if s := p.Probe(t.Context()); s.State != agent.StateReady || s.Path == "" {
		t.Errorf("status: %+v", s)
	}
	gone, err := demo.New(demo.Options{Command: []string{"/no/such/program"}})
	if err != nil {
		t.Fatal(err)
	}
	if s := gone.Probe(t.Context()); s.State != agent.StateBroken || s.Message == "" || s.Hint == "" {
		t.Errorf("status of what is not there: %+v", s)
	}
	if _, err := json.Marshal(info); err != nil {
		t.Error(err)
	}
}
