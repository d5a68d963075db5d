//go:build real

package realtest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"signalbox/backend/agent"
	"signalbox/backend/agent/claude"
	"signalbox/backend/model/modeltest"
	"signalbox/backend/permission"
	"signalbox/backend/proc"
	"signalbox/backend/prompt"
	"signalbox/backend/wire"
)

// agents is where scripts/real-agents puts the commands.
const agents = "../../../.cache/agents/bin"

// turnLimit ends a turn that hangs; a whole turn takes about two seconds.
const turnLimit = 90 * time.Second

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "supervise" {
		os.Exit(proc.Supervise())
	}
	goleak.VerifyTestMain(m)
}

// rig is a real agent, the model that it talks to and the folder it works in.
type rig struct {
	t        *testing.T
	model    *modeltest.Server
	agent    agent.Provider
	launcher *proc.Launcher
	dir      string
}

// newRig sets Claude Code up with a home of its own.
func newRig(t *testing.T, scenarios ...modeltest.Scenario) *rig {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(agents, "claude"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("Claude Code is not installed for tests: run scripts/real-agents (%v)", err)
	}
	model, url := modeltest.Start(t, modeltest.Options{Scenarios: scenarios})
	return &rig{
		t: t, model: model, dir: t.TempDir(),
		launcher: proc.NewLauncher(proc.Options{Instance: t.Name()}),
		agent: claude.New(claude.Options{
			Path:    path,
			Environ: []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"},
			Env: map[string]string{
				"ANTHROPIC_BASE_URL":      url,
				"ANTHROPIC_API_KEY":       "sk-scripted",
				"CLAUDE_CODE_MAX_RETRIES": "1", // the waits between more of them are long
			},
		}),
	}
}

// turn is a run and what came of it.
type turn struct {
	t      *testing.T
	mode   wire.Mode
	result agent.Result
	// seen is called with each event; may be nil.
	seen func(wire.Event)

	mu     sync.Mutex
	events []wire.Event
}

func (tn *turn) Emit(ev wire.Event) error {
	tn.mu.Lock()
	defer tn.mu.Unlock()
	tn.events = append(tn.events, ev)
	if tn.seen != nil {
		tn.seen(ev)
	}
	return nil
}

func (tn *turn) Remark(wire.Frame) {}

func (tn *turn) Ask(_ context.Context, ask agent.Ask) (agent.Answer, error) {
	return permission.Decide(tn.mode, ask).Answer(), nil
}

// run gives the agent a prompt in Code mode.
func (r *rig) run(text string) *turn {
	r.t.Helper()
	return r.runAs(r.t.Context(), &turn{mode: wire.ModeCode}, text, "")
}

// runAs gives the agent a prompt and waits for the end of its turn.
func (r *rig) runAs(ctx context.Context, tn *turn, text, session string) *turn {
	r.t.Helper()
	tn.t = r.t
	ctx, cancel := context.WithTimeoutCause(ctx, turnLimit, fmt.Errorf("the turn took more than %s", turnLimit))
	defer cancel()
	var err error
	tn.result, err = r.agent.Run(ctx, agent.Request{
		Text: prompt.ForAgent(tn.mode, text), Cwd: r.dir, Session: session,
		Selection: wire.Selection{Agent: claude.ID, Mode: tn.mode},
		Start:     r.launcher.Start,
	}, tn)
	if err != nil {
		r.t.Fatalf("%s: %v", text, err)
	}
	if cause := context.Cause(ctx); cause != nil && tn.result.Status != wire.StatusCancelled {
		r.t.Fatalf("%s: %v", text, cause)
	}
	return tn
}

// of returns the events of one type.
func of[E wire.Event](tn *turn) []E {
	var got []E
	for _, ev := range tn.events {
		if e, ok := ev.(E); ok {
			got = append(got, e)
		}
	}
	return got
}

// text is the answer as a person reads it: the main agent's items joined.
func (tn *turn) text() string {
	return joined(of[wire.AssistantText](tn), func(e wire.AssistantText) (string, string, string, string) {
		return e.Item, e.Delta, e.Final, e.ParentToolID
	})
}

func (tn *turn) thinking() string {
	return joined(of[wire.Thinking](tn), func(e wire.Thinking) (string, string, string, string) {
		return e.Item, e.Delta, e.Final, e.ParentToolID
	})
}

// joined folds the pieces of items, as clients do.
func joined[E any](events []E, read func(E) (item, delta, final, parent string)) string {
	var order []string
	items := map[string]string{}
	for _, e := range events {
		item, delta, final, parent := read(e)
		if parent != "" {
			continue
		}
		if _, ok := items[item]; !ok {
			order = append(order, item)
		}
		if items[item] += delta; final != "" {
			items[item] = final
		}
	}
	var b strings.Builder
	for _, item := range order {
		b.WriteString(items[item])
	}
	return b.String()
}

// tools returns the tool calls that ended, and checks that each that began did.
func (tn *turn) tools() []wire.ToolUseEnd {
	tn.t.Helper()
	open := map[string]string{}
	for _, ev := range tn.events {
		switch e := ev.(type) {
		case wire.ToolUseStart:
			if _, twice := open[e.ToolID]; twice || e.Name == "" || len(e.Input) == 0 {
				tn.t.Errorf("tool began: %+v (twice: %t)", e, twice)
			}
			open[e.ToolID] = e.Name
		case wire.ToolUseEnd:
			if _, ok := open[e.ToolID]; !ok {
				tn.t.Errorf("tool %s ended without a begin, or twice", e.ToolID)
			}
			delete(open, e.ToolID)
		}
	}
	if len(open) > 0 {
		tn.t.Errorf("tools that never ended: %v", open)
	}
	return of[wire.ToolUseEnd](tn)
}

// session is the one session of the turn.
func (tn *turn) session() wire.Session {
	tn.t.Helper()
	s := of[wire.Session](tn)
	if len(s) != 1 || s[0].SessionID == "" || s[0].Agent != claude.ID {
		tn.t.Fatalf("sessions: %+v", s)
	}
	return s[0]
}

// succeeded checks what holds for every turn that went well.
func (r *rig) succeeded(tn *turn) {
	r.t.Helper()
	if tn.result.Status != wire.StatusOK || tn.result.Code != "" {
		r.t.Fatalf("result %+v, errors %+v", tn.result, of[wire.Error](tn))
	}
	if errs := of[wire.Error](tn); len(errs) != 0 {
		r.t.Errorf("errors in a turn that went well: %+v", errs)
	}
	tn.session()
	tn.tools()
	if tn.result.Turn == "" {
		r.t.Error("the turn has no id")
	}
}

// charged is what the model said that its whole answers from the request n on
// cost.
func (r *rig) charged(n int) wire.Usage {
	var u modeltest.Usage
	for _, req := range r.model.Requests() {
		if req.N >= n && req.End == modeltest.EndWhole {
			u = u.Add(req.Usage)
		}
	}
	return wire.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
}

// counts is the part of a usage that the model counts.
func counts(u *wire.Usage) wire.Usage {
	if u == nil {
		return wire.Usage{}
	}
	return wire.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
}

// write puts a file into the agent's folder.
func (r *rig) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// files returns the content of every file below the agent's folder.
func (r *rig) files() map[string]string {
	r.t.Helper()
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	defer root.Close()
	files := map[string]string{}
	err = filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(r.dir, path)
		if err != nil {
			return err
		}
		b, err := root.ReadFile(rel)
		files[rel] = string(b)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return files
}
