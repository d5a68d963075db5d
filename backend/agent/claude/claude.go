// Package claude answers runs with the Claude Code CLI, whose two-way
// stream-json protocol it translates.
//
// It owns nothing between runs. Each run starts one process (two, where the
// session to resume is gone), reads its output to the end and returns when the
// process and everything that it started are gone. What the CLI prints is not
// trusted: lines of unknown kinds are counted and passed over, and no input
// makes a run panic.
//
// Everything here is a translation without I/O: command.go makes a command line
// and the first lines of a request, the rest makes steps of lines. Package dialog
// drives the process.
package claude

import (
	"log/slog"
	"regexp"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// ID is the agent's id in the settings and in the log.
const ID wire.AgentID = "claude"

// Tested is the version of the CLI that this package is tested with.
const Tested = "2.1.332"

// signIn is the next step for a person who is not signed in.
const signIn = "Run `claude` in a terminal of this machine and sign in with /login, " +
	"or set ANTHROPIC_API_KEY under providers.claude.env in the settings."

// Options configure a Provider.
type Options = dialog.Options

// Provider is Claude Code as an agent.
type Provider struct {
	program dialog.Program
	log     *slog.Logger
	models  agent.Offer
}

// New returns the agent. It looks at nothing: [Provider.Probe] does.
func New(opts Options) *Provider {
	opts = opts.Defaults(ID, "claude")
	return &Provider{
		program: dialog.Program{
			Name: "Claude Code", Command: "claude", Install: "npm install -g @anthropic-ai/claude-code",
			Vendor: "Anthropic", SignIn: signIn,
			Path: opts.Path, Env: environment(opts.Environ, opts.Env),
			Version: regexp.MustCompile(`^(\d+\.\d+\.\d+\S*)`), Tested: Tested,
		},
		log: opts.Log,
	}
}

// Info describes the agent.
func (p *Provider) Info() agent.Info {
	const (
		shell    = "A command that it may run has all the rights of the daemon's user."
		settings = "Claude Code runs commands that only read, and what your own Claude settings allow, without asking."
	)
	return agent.Info{
		ID: ID, Name: "Claude Code",
		Models: p.models.Or([]agent.Choice{
			{Value: defaultModel, Name: "Default", Note: "What Claude Code is set to"},
			{Value: "opus", Name: "Opus", Note: "The most able"},
			{Value: "sonnet", Name: "Sonnet", Note: "For everyday work"},
			{Value: "haiku", Name: "Haiku", Note: "The fastest"},
		}),
		Efforts: []agent.Choice{
			{Value: "low", Name: "Low"},
			{Value: "medium", Name: "Medium"},
			{Value: "high", Name: "High"},
			{Value: "xhigh", Name: "Extra high"},
			{Value: "max", Name: "Maximum"},
		},
		Tiers: []agent.Choice{},
		Modes: []agent.ModePolicy{
			{Mode: wire.ModeChat, Policy: "Answers and reads. It asks before it changes or runs anything.", Caveat: settings},
			{Mode: wire.ModePlan, Policy: "Reads and proposes a plan for you to accept. Edits and commands are refused.", Caveat: settings},
			{Mode: wire.ModeCode, Policy: "Edits files in the folder. It asks before it runs commands or edits elsewhere.", Caveat: settings + " " + shell},
			{Mode: wire.ModeReview, Policy: "Reads and reports. It has no tools to edit, and asks before it runs commands.", Caveat: settings},
			{Mode: wire.ModeDebug, Policy: "As Code, to find and repair a fault.", Caveat: settings + " " + shell},
			{Mode: wire.ModeFullAuto, Policy: "Does whatever the task needs without asking.", Caveat: shell},
		},
		Forks: true, Rewinds: true, Images: true,
		Resume: "claude --resume {session}",
	}
}
