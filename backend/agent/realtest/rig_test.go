//go:build real

package realtest_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/agent/claude"
	"signalbox/backend/agent/codex"
	"signalbox/backend/agent/kimi"
	"signalbox/backend/agent/selftest"
	"signalbox/backend/model/modeltest"
	"signalbox/backend/model/scripted"
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

// key is the key that agents are given.
const key = selftest.Key

// vendor is how one agent is set up.
type vendor struct {
	id      wire.AgentID
	command string
	version string // that scripts/real-agents installs
	// lacks says of features that the agent does not have why.
	lacks map[string]string
	// notes says of features that it has in part what part.
	notes map[string]string
	// askMode is the mode in which it asks questions; default Code.
	askMode wire.Mode
	// asks is a scenario in which it asks leave in Code mode.
	asks string
	// skills is where it looks for skills in a folder.
	skills string
	// unknown is a session that it never had.
	unknown string
	// carriesOut says that it works on by itself when a plan was accepted.
	carriesOut bool
	errors     map[string]string // the code of each failure that the model can play
	// prices are the vendor's, for the models that the tests use; nil where the
	// agent tells no cost.
	prices map[string]prices
}

const noSession = "00000000-0000-4000-8000-000000000000"

var vendorClaude = vendor{
	id: claude.ID, command: "claude", version: claude.Tested, asks: "shell-touch", unknown: noSession, skills: ".claude/skills",
	lacks: map[string]string{
		"Shows the output of a command while it runs": "Claude Code prints the output when the command has ended.",
	},
	prices: map[string]prices{"claude-opus-5-5": {input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5}},
	errors: map[string]string{
		"error-400": "failed", "error-401": "key_refused", "error-403": "key_refused", "error-404": "model_unknown",
		"error-429": "rate_limited", "error-500": "server_error", "error-503": "server_error", "error-529": "overloaded",
		"quota": "quota", "overflow": "context_overflow", "mid-error": "server_error", "refusal": "refused",
		"max-tokens": "output_limit", "tool-then-error": "server_error",
	},
}

var vendorCodex = vendor{
	id: codex.ID, command: "codex", version: codex.Tested, asks: "write-outside", unknown: noSession, skills: ".agents/skills", carriesOut: true,
	askMode: wire.ModePlan,
	notes: map[string]string{
		"Asks people questions in the middle of its work": "Codex asks in Plan mode only.",
		"Asks leave, and takes no for an answer":          "Codex asks for what wants out of its sandbox.",
	},
	errors: map[string]string{
		"error-400": "failed", "error-401": "key_refused", "error-403": "key_refused", "error-404": "model_unknown",
		"error-429": "rate_limited", "error-500": "server_error", "error-503": "overloaded", "error-529": "overloaded",
		"quota": "quota", "overflow": "context_overflow", "mid-error": "server_error", "cut": "server_error",
		"max-tokens": "output_limit", "refusal": "refused", "tool-then-error": "server_error",
	},
}

var vendorKimi = vendor{
	id: kimi.ID, command: "kimi", version: kimi.Tested, asks: "shell-touch", unknown: "session_" + noSession,
	lacks: map[string]string{
		"Uses the skills that are chosen":             "Kimi Code takes the skills that fit by itself. Which ones were chosen is kept with the prompt.",
		"Goes back to an earlier turn, in a copy":     "Kimi Code copies whole sessions only. A rewind begins a new one with what was said before.",
		"Shows the output of a command while it runs": "Kimi Code prints the output when the command has ended.",
		"Shows the work of subagents apart":           "Kimi Code shows the call that began a subagent, and its result.",
		"Chat writes nothing unasked":                 "Kimi Code writes inside a folder under git without asking, unless it plans.",
	},
	errors: map[string]string{
		"error-400": "failed", "error-401": "key_refused", "error-403": "key_refused", "error-404": "model_unknown",
		"error-429": "rate_limited", "error-500": "server_error", "error-503": "overloaded", "error-529": "overloaded",
		"quota": "quota", "overflow": "context_overflow", "mid-error": "server_error", "cut": "unreachable",
		"max-tokens": "output_limit", "refusal": "refused", "tool-then-error": "server_error",
	},
}

// put writes a file and the folders above it.
func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// rig is a real agent, the model that it talks to and the folder it works in.
type rig struct {
	t     *testing.T
	id    wire.AgentID
	model *scripted.Server
	agent agent.Provider
	dir   string
	home  string
}

// newRig sets Claude Code up.
func newRig(t *testing.T, scenarios ...scripted.Scenario) *rig {
	t.Helper()
	return vendorClaude.rig(t, scenarios...)
}

// rig sets the agent up with a home of its own.
func (v vendor) rig(t *testing.T, scenarios ...scripted.Scenario) *rig {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(agents, v.command))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is not installed for tests: run scripts/real-agents (%v)", v.command, err)
	}
	model, url := modeltest.Start(t, scripted.Options{Scenarios: scenarios})
	dir := folder(t)
	// Not in a temporary directory, either: Codex keeps the helper of its sandbox there.
	home := filepath.Join(filepath.Dir(filepath.Dir(dir)), "home")
	provider, err := selftest.Offline(v.subject(path), home, url)
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, id: v.id, model: model, dir: dir, home: home, agent: provider}
}

// subject is the agent as it is set up for tests.
func (v vendor) subject(path string) selftest.Subject {
	return selftest.Subject{ID: v.id, Path: path, Environ: []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}}
}

// folder makes a folder to work in that is in no temporary directory: a sandbox
// leaves those open, also where the whole project lies in one. What lies beside
// it is the test's own, too, and so is the folder above.
func folder(t *testing.T) string {
	t.Helper()
	within, err := filepath.Abs(filepath.Dir(filepath.Dir(agents)))
	if err != nil {
		t.Fatal(err)
	}
	if permission.Outside("/tmp", []string{within}) == "" || permission.Outside(os.TempDir(), []string{within}) == "" {
		within = "/var/tmp"
	}
	parent, err := os.MkdirTemp(within, "signalbox-realtest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(parent); err != nil {
			t.Error(err)
		}
	})
	dir := filepath.Join(parent, "place", "work")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// start gives the agent a prompt in a mode whose rule answers what it asks. The
// person who is asked says yes where the agent is to work, else no.
func (r *rig) start(mode wire.Mode, text, session string) *agenttest.Running {
	r.t.Helper()
	return agenttest.Start(r.t,
		agenttest.Part{Provider: r.agent, Prompt: prompt.ForAgent(mode, text), Mode: mode},
		agenttest.Options{Cwd: r.dir, Session: session, Ask: func(_ context.Context, ask agent.Ask) (agent.Answer, error) {
			d := permission.Decide(mode, nil, ask)
			if d.Verdict == permission.Ask && mode == wire.ModeCode {
				return agent.Answer{Allow: true}, nil
			}
			return d.Answer(), nil
		}})
}

// fork gives the agent a prompt in a copy of a session that ends at a turn.
func (r *rig) fork(text, session, turn string) *agenttest.Running {
	r.t.Helper()
	return agenttest.Start(r.t,
		agenttest.Part{Provider: r.agent, Prompt: text, Mode: wire.ModeCode},
		agenttest.Options{Cwd: r.dir, Session: session, Fork: true, Turn: turn})
}

// sessionFiles returns the files in which the agent keeps what was said in a
// session.
func (r *rig) sessionFiles(session string) map[string]string {
	r.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(r.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" || !strings.Contains(path, session) {
			return err
		}
		b, err := os.ReadFile(path)
		files[path] = string(b)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return files
}

// holding returns the files of the agent's home that hold some text.
func (r *rig) holding(text string) []string {
	r.t.Helper()
	var files []string
	err := filepath.WalkDir(r.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), text) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return files
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
	if len(s) != 1 || s[0].Agent != r.id {
		r.t.Fatalf("sessions: %+v", s)
	}
	return s[0]
}

// charged is what the model said that its whole answers from the request n on
// cost.
func (r *rig) charged(n int) wire.Usage {
	var u scripted.Usage
	for _, req := range r.model.Requests() {
		if req.N >= n && req.End == scripted.EndWhole {
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
