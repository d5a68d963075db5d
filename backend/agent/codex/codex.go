// Package codex answers runs with the Codex CLI, whose app server it speaks to:
// JSON-RPC, one object a line.
//
// It owns nothing between runs: each starts one server, opens or resumes one
// thread in it and holds one turn, or two where a plan is accepted. What the
// server prints is not trusted. Everything here is a translation without I/O;
// package dialog drives the process.
package codex

import (
	"context"
	"log/slog"
	"os"
	"regexp"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// ID is the agent's id in the settings and in the log.
const ID wire.AgentID = "codex"

// Tested is the version of the CLI that this package is tested with.
const Tested = "0.171.0"

// Options configure a Provider.
type Options = dialog.Options

// Provider is Codex as an agent.
type Provider struct {
	program dialog.Program
	log     *slog.Logger
	models  agent.Offer
}

// New returns the agent. It looks at nothing: [Provider.Probe] does.
func New(opts Options) *Provider {
	opts = opts.Defaults(ID, "codex")
	return &Provider{
		program: dialog.Program{
			Name: "Codex", Command: "codex", Install: "npm install -g @openai/codex",
			Vendor: "the provider", SignIn: signIn,
			Path: opts.Path, Env: environment(opts.Environ, opts.Env),
			Version: regexp.MustCompile(`^codex-cli (\d+\.\d+\.\d+\S*)`), Tested: Tested,
		},
		log: opts.Log,
	}
}

// Run gives Codex one prompt. See [agent.Provider].
func (p *Provider) Run(ctx context.Context, req agent.Request, host agent.Host) (agent.Result, error) {
	if err := check(req); err != nil {
		return dialog.Fail(host, wire.Error{
			Code: dialog.CodeBadChoice, Message: "The prompt was not given to Codex: " + err.Error() + ".",
			Hint: "Choose another model or effort.",
		})
	}
	for _, image := range req.Images {
		// Of a file that it cannot read the server says nothing.
		if _, err := os.Stat(image.Path); err != nil {
			return dialog.Fail(host, p.program.PictureError(err))
		}
	}
	talk := dialog.Talk{Program: p.program, Args: []string{"app-server"}, Request: req, Host: host, Log: p.log}
	return talk.Run(ctx, newTranslator(p.program, req))
}

// Info describes the agent.
func (p *Provider) Info() agent.Info {
	const (
		read  = "It runs commands in a sandbox that writes nothing and has no network."
		write = "It runs commands in a sandbox that writes only to the folder and to the temporary directories, and has no network."
		out   = "A command that is let out of the sandbox has all the rights of the daemon's user."
	)
	return agent.Info{
		ID: ID, Name: "Codex",
		Models: p.models.Or([]agent.Choice{
			{Value: defaultModel, Name: "Default", Note: "What Codex is set to"},
			{Value: "gpt-6.2-sol", Name: "GPT-6.2 Sol", Note: "Fast, for everyday work"},
			{Value: "gpt-6.2-astra", Name: "GPT-6.2 Astra", Note: "The most able"},
			{Value: "gpt-6.1-terra", Name: "GPT-6.1 Terra", Note: "Efficient, good with images"},
			{Value: "gpt-6-luna", Name: "GPT-6 Luna", Note: "For easier tasks"},
		}),
		Efforts: []agent.Choice{
			{Value: "low", Name: "Low"},
			{Value: "medium", Name: "Medium"},
			{Value: "high", Name: "High"},
			{Value: "xhigh", Name: "Extra high"},
			{Value: "max", Name: "Maximum"},
		},
		Tiers: []agent.Choice{
			{Value: "fast", Name: "Fast", Note: "Faster, and counts for more of the limit"},
			{Value: "flex", Name: "Flex", Note: "Slower and cheaper, with a key"},
		},
		Modes: []agent.ModePolicy{
			{Mode: wire.ModeChat, Policy: "Answers and reads. " + read + " It asks before it changes anything.", Caveat: out},
			{Mode: wire.ModePlan, Policy: "Reads and proposes a plan for you to accept. " + read + " Edits are refused."},
			{Mode: wire.ModeCode, Policy: "Edits files in the folder. " + write + " It asks for what wants out.", Caveat: out},
			{Mode: wire.ModeReview, Policy: "Reads and reports. " + read + " Edits are refused; it asks for what wants out.", Caveat: out},
			{Mode: wire.ModeDebug, Policy: "As Code, to find and repair a fault.", Caveat: out},
			{Mode: wire.ModeFullAuto, Policy: "Does whatever the task needs without asking, outside of its sandbox.", Caveat: "A command that it runs has all the rights of the daemon's user."},
		},
		Forks: true, Rewinds: true, Images: true,
		Resume: "codex resume {session}",
	}
}
