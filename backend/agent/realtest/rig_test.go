//go:build real

package realtest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/claude"
	"signalbox/backend/model/modeltest"
	"signalbox/backend/permission"
	"signalbox/backend/prompt"
	"signalbox/backend/wire"
)

// agents is where scripts/real-agents puts the commands.
const agents = "../../../.cache/agents/bin"

const (
	// turnLimit ends a turn that hangs; a whole turn takes about two seconds.
	turnLimit = 90 * time.Second
	// stopLimit is how long a stopped turn may take.
	stopLimit = 15 * time.Second
)

func TestMain(m *testing.M) { agenttest.Main(m) }

// rig is a real agent, the model that it talks to and the folder it works in.
type rig struct {
	t     *testing.T
	model *modeltest.Server
	agent agent.Provider
	dir   string
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

// start gives the agent a prompt in a mode whose rule answers what it asks.
func (r *rig) start(mode wire.Mode, text, session string) *agenttest.Running {
	r.t.Helper()
	return agenttest.Start(r.t,
		agenttest.Part{Provider: r.agent, Prompt: prompt.ForAgent(mode, text), Mode: mode},
		agenttest.Options{Cwd: r.dir, Session: session, Ask: func(_ context.Context, ask agent.Ask) (agent.Answer, error) {
			return permission.Decide(mode, ask).Answer(), nil
		}})
}

// run gives the agent a prompt in Code mode and holds its turn to the contract.
func (r *rig) run(text string, want wire.Status) *agenttest.Running {
	r.t.Helper()
	return ended(r.start(wire.ModeCode, text, ""), want)
}

// ended waits for the end of the turn and checks what holds for every run.
func ended(tn *agenttest.Running, want wire.Status) *agenttest.Running {
	tn.Wait(turnLimit)
	tn.Check(want)
	return tn
}

// stopped stops the turn and checks that it ended in time.
func stopped(tn *agenttest.Running) *agenttest.Running {
	tn.Cancel(errors.New("the person pressed stop"))
	tn.Wait(stopLimit)
	tn.Check(wire.StatusCancelled)
	return tn
}

// of returns the turn's events of one type.
func of[E wire.Event](tn *agenttest.Running) []E { return agenttest.Of[E](tn.Events()) }

// thinking joins what the main agent thought.
func thinking(tn *agenttest.Running) string {
	var b strings.Builder
	for _, e := range of[wire.Thinking](tn) {
		if e.ParentToolID == "" {
			b.WriteString(e.Delta + e.Final)
		}
	}
	return b.String()
}

// session is the one session of the turn.
func (r *rig) session(tn *agenttest.Running) wire.Session {
	r.t.Helper()
	s := of[wire.Session](tn)
	if len(s) != 1 || s[0].Agent != claude.ID {
		r.t.Fatalf("sessions: %+v", s)
	}
	return s[0]
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
