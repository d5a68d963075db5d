// Package demo is the labelled offline agent: a script that lets a newcomer see
// how Signalbox works where no vendor's CLI is installed. No model is behind it
// and it needs no network.
//
// It has two halves in one binary. [Provider] is the daemon's: it starts the
// other as a process under the run's supervision, like any CLI, and translates.
// [Main] is the process: words of the prompt choose what it plays (text, think,
// edit, shell, ask, approve, plan, todo, slow, fail, big), in their order. It
// does what it shows: files are written, commands are run, both in the chat's
// folder alone, and only after the daemon gave leave.
//
// # Protocol
//
// One JSON object a line. The daemon writes on stdin:
//
//	{"type":"start","text":"edit, then shell","session":"demo-5f0c9a61-2"}   once, first
//	{"type":"answer","id":"ask-1","allow":false,"reason":"Plan mode …"}      to an ask
//	{"type":"answer","id":"ask-2","allow":true,"answers":{"Which?":["This"]}}  to questions
//	{"type":"interrupt"}                                                     stop now
//
// The agent writes on stdout:
//
//	{"type":"session","session":"demo-5f0c9a61-3","resumed":true}
//	{"type":"text","item":"text-1","delta":"Hello"}              "thinking" likewise
//	{"type":"tool_start","tool":"tool-1","name":"Bash","input":{…}}
//	{"type":"tool_output","tool":"tool-1","delta":"total 8\n"}
//	{"type":"tool_end","tool":"tool-1","name":"Bash","ok":true,"output":"…","exitCode":0,"ms":12}
//	{"type":"todo","items":[{"text":"…","status":"pending"}]}
//	{"type":"ask","id":"ask-1","tool":"tool-1","name":"Write","kind":"edit",…}
//	{"type":"ask","id":"ask-2","kind":"question","questions":[{"question":"Which?",…}]}
//	{"type":"error","code":"overloaded","message":"…","hint":"…","retryable":true}
//	{"type":"end","status":"ok","usage":{"input":31,"output":240}}           once, last
//
// A session's id ends in the number of prompts that it had, so the session is
// remembered without a file, and going back to an earlier id goes back to what
// was known then. Closing stdin ends the agent.
//
// Concurrency: a Provider holds nothing that changes.
package demo

import (
	"context"
	"os"
	"os/exec"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

// ID is the demo agent's id.
const ID wire.AgentID = "demo"

// Options configure a [Provider].
type Options struct {
	// Command starts [Main]; default is this binary with "demo-agent".
	Command []string
	// Env is the complete environment of the process; default is what
	// [agent.Environment] lets through.
	Env []string
	// Pace is the time between two pieces of text; default 30 ms. Negative is
	// no time at all, for tests.
	Pace time.Duration
}

// Provider runs prompts with the demo agent.
type Provider struct {
	command  []string
	env      []string
	pace     time.Duration
	patience time.Duration // with an interrupt, before signals follow
}

// New returns a provider; it starts nothing.
func New(opts Options) (*Provider, error) {
	p := &Provider{command: opts.Command, env: opts.Env, pace: opts.Pace, patience: interruptPatience}
	if p.command == nil {
		exe, err := os.Executable()
		if err != nil {
			return nil, err
		}
		p.command = []string{exe, "demo-agent"}
	}
	if p.env == nil {
		p.env = agent.Environment(os.Environ(), nil)
	}
	switch {
	case p.pace == 0:
		p.pace = defaultPace
	case p.pace < 0:
		p.pace = 0
	}
	return p, nil
}

// Info says that this is the demo, in every word.
func (p *Provider) Info() agent.Info {
	return agent.Info{
		ID:     ID,
		Name:   "Demo (offline script)",
		Demo:   true,
		Models: []agent.Choice{{Value: "script", Name: "Script", Note: "No model: it plays what the words of the prompt name"}},
		// It has no such choices.
		Efforts: []agent.Choice{},
		Tiers:   []agent.Choice{},
		Modes: []agent.ModePolicy{
			{Mode: wire.ModeChat, Policy: "Lists the folder; asks before it writes"},
			{Mode: wire.ModePlan, Policy: "Lists the folder; writes nothing before you accept its plan"},
			{Mode: wire.ModeCode, Policy: "Writes its own files in the chat's folder; asks for the rest"},
			{Mode: wire.ModeReview, Policy: "Lists the folder; edits nothing, asks for the rest"},
			{Mode: wire.ModeDebug, Policy: "Writes its own files in the chat's folder; asks for the rest"},
			{Mode: wire.ModeFullAuto, Policy: "Writes its own files in the chat's folder; asks only questions"},
		},
		Forks: true, Rewinds: true,
	}
}

// Probe is ready wherever the daemon's own binary can still be started.
func (p *Provider) Probe(context.Context) agent.Status {
	path, err := exec.LookPath(p.command[0])
	if err != nil {
		return agent.Status{
			State:   agent.StateBroken,
			Message: "The program of the daemon is no longer where it was started.",
			Hint:    "Restart Signalbox.",
		}
	}
	return agent.Status{State: agent.StateReady, Version: "built in", Path: path}
}
