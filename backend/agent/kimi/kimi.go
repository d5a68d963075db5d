// Package kimi answers runs with the Kimi Code CLI, which speaks the Agent
// Client Protocol: JSON-RPC 2.0, one object a line.
//
// It owns nothing between runs: each starts one process, opens or resumes one
// session in it and holds one turn. What the CLI prints is not trusted.
//
// The protocol does not tell why a turn failed, nor what it used. The CLI's own
// record of the session does, and record.go reads that when the turn is over;
// all else here is a translation without I/O. Package dialog drives the process.
package kimi

import (
	"context"
	"log/slog"
	"path/filepath"
	"regexp"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// ID is the agent's id in the settings and in the log.
const ID wire.AgentID = "kimi"

// Tested is the version of the CLI that this package is tested with.
const Tested = "2.1.0"

// Options configure a Provider.
type Options = dialog.Options

// Provider is Kimi Code as an agent.
type Provider struct {
	program dialog.Program
	home    string // where the CLI keeps its sessions
	log     *slog.Logger
	models  agent.Offer
}

// New returns the agent. It looks at nothing: [Provider.Probe] does.
func New(opts Options) *Provider {
	opts = opts.Defaults(ID, "kimi")
	env := environment(opts.Environ, opts.Env)
	home, ok := agent.Lookup(env, homeVariable)
	if !ok || home == "" {
		user, _ := agent.Lookup(env, "HOME")
		home = filepath.Join(user, ".kimi-code")
	}
	return &Provider{
		program: dialog.Program{
			Name: "Kimi Code", Command: "kimi", Install: "npm install -g @moonshot-ai/kimi-code",
			Vendor: "the provider", SignIn: signIn,
			Path: opts.Path, Env: env,
			Version: regexp.MustCompile(`^(?:kimi\D*)?(\d+\.\d+\.\d+\S*)`), Tested: Tested,
		},
		home: home,
		log:  opts.Log,
	}
}

// Run gives Kimi Code one prompt. See [agent.Provider].
func (p *Provider) Run(ctx context.Context, req agent.Request, host agent.Host) (agent.Result, error) {
	if err := check(req); err != nil {
		return dialog.Fail(host, wire.Error{
			Code: dialog.CodeBadChoice, Message: "The prompt was not given to Kimi Code: " + err.Error() + ".",
			Hint: "Choose another model or effort.",
		})
	}
	tr := newTranslator(p.program, p.home, req)
	var err error
	if tr.pictures, err = dialog.Pictures(req.Images); err != nil {
		return dialog.Fail(host, p.program.PictureError(err))
	}
	talk := dialog.Talk{Program: p.program, Args: []string{"acp"}, Request: req, Host: host, Log: p.log}
	return talk.Run(ctx, tr)
}

// Info describes the agent.
func (p *Provider) Info() agent.Info {
	const (
		shell  = "A command that it may run has all the rights of the daemon's user."
		unheld = "In a folder under git Kimi Code writes inside the folder without asking."
	)
	return agent.Info{
		ID: ID, Name: "Kimi Code",
		Models: p.models.Or([]agent.Choice{
			{Value: defaultModel, Name: "Default", Note: "What Kimi Code is set to"},
		}),
		Efforts: []agent.Choice{
			{Value: "off", Name: "Off", Note: "No thinking"},
			{Value: "low", Name: "Low"},
			{Value: "medium", Name: "Medium"},
			{Value: "high", Name: "High"},
		},
		Tiers: []agent.Choice{},
		Modes: []agent.ModePolicy{
			{Mode: wire.ModeChat, Policy: "Answers and reads. It asks before it changes or runs anything.", Caveat: unheld},
			{Mode: wire.ModePlan, Policy: "Reads and proposes a plan for you to accept. Edits and commands are refused."},
			{Mode: wire.ModeCode, Policy: "Edits files in the folder. It asks before it runs commands or edits elsewhere.", Caveat: shell},
			{Mode: wire.ModeReview, Policy: "Reads and reports, in Kimi Code's plan mode. Edits are refused; it asks before it runs commands."},
			{Mode: wire.ModeDebug, Policy: "As Code, to find and repair a fault.", Caveat: shell},
			{Mode: wire.ModeFullAuto, Policy: "Does whatever the task needs without asking.", Caveat: shell},
		},
		Forks: true, Images: true,
		Resume: "kimi --session {session}",
	}
}
