package codex

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// defaultModel is the choice that leaves the model to the CLI.
const defaultModel = "default"

// chosen returns the model to name; empty where the CLI chooses.
func chosen(model string) string {
	if model == defaultModel {
		return ""
	}
	return model
}

// passed are the variables of the CLI's own that it inherits.
var passed = []string{"CODEX_HOME"}

// environment returns the complete environment of the CLI.
func environment(parent []string, settings map[string]string) []string {
	extra := map[string]string{}
	for _, name := range passed {
		if v, ok := agent.Lookup(parent, name); ok {
			extra[name] = v
		}
	}
	maps.Copy(extra, settings)
	return agent.Environment(parent, extra)
}

// check refuses what can be no value: the server would take it for text.
func check(req agent.Request) error {
	sel := req.Selection
	for _, v := range []struct{ name, value string }{
		{"model", sel.Model}, {"effort", sel.Effort}, {"service tier", sel.Tier}, {"session", req.Session}, {"turn", req.Turn},
	} {
		if strings.ContainsFunc(v.value, dialog.IsControl) || strings.HasPrefix(v.value, "-") {
			return fmt.Errorf("%.60q cannot be a %s", v.value, v.name)
		}
	}
	return nil
}

// policy is what a mode means to Codex. The sandbox enforces it; plan mode alone
// enforces nothing.
type policy struct {
	sandbox  string
	approval string
	plan     bool
}

// policyOf maps a mode. An unknown mode is held to the strictest.
func policyOf(m wire.Mode) policy {
	switch m {
	case wire.ModeCode, wire.ModeDebug:
		return policy{sandbox: "workspace-write", approval: "on-request"}
	case wire.ModeFullAuto:
		return policy{sandbox: "danger-full-access", approval: "never"}
	case wire.ModePlan:
		return policy{sandbox: "read-only", approval: "on-request", plan: true}
	default:
		return policy{sandbox: "read-only", approval: "on-request"}
	}
}

type initializeParams struct {
	ClientInfo   clientInfo `json:"clientInfo"`
	Capabilities struct {
		Experimental bool `json:"experimentalApi"`
	} `json:"capabilities"`
}

type clientInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

func initialize() initializeParams {
	p := initializeParams{ClientInfo: clientInfo{Name: "signalbox", Title: "Signalbox", Version: "1"}}
	// The clean-up of commands that an interrupt leaves running is there only.
	p.Capabilities.Experimental = true
	return p
}

// threadParams start, resume or copy a thread. All that is sticky is said each
// time: a thread that is resumed would keep its last directory and policies.
type threadParams struct {
	ThreadID     string         `json:"threadId,omitempty"`
	LastTurnID   string         `json:"lastTurnId,omitempty"` // of a copy
	ExcludeTurns bool           `json:"excludeTurns,omitempty"`
	Cwd          string         `json:"cwd"`
	Model        string         `json:"model,omitempty"`
	Approval     string         `json:"approvalPolicy"`
	Sandbox      string         `json:"sandbox"`
	Config       map[string]any `json:"config,omitempty"`
}

type turnParams struct {
	ThreadID string  `json:"threadId"`
	Input    []input `json:"input"`
	Cwd      string  `json:"cwd"`
	Approval string  `json:"approvalPolicy"`
	Sandbox  any     `json:"sandboxPolicy"`
	Model    string  `json:"model,omitempty"`
	Effort   string  `json:"effort,omitempty"`
	Summary  string  `json:"summary"`
	// Tier null takes the thread back to the standard one.
	Tier          *string           `json:"serviceTier"`
	Collaboration collaborationMode `json:"collaborationMode"`
}

// sandboxes are the sandboxes as a turn names them. They have no network, so that
// a command that wants it asks.
var sandboxes = map[string]any{
	"read-only":          map[string]any{"type": "readOnly", "networkAccess": false},
	"workspace-write":    map[string]any{"type": "workspaceWrite", "writableRoots": []string{}, "networkAccess": false, "excludeTmpdirEnvVar": false, "excludeSlashTmp": false},
	"danger-full-access": map[string]any{"type": "dangerFullAccess"},
}

// input is a part of what a person gives: text, or a picture that the server
// reads itself.
type input struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	Path string `json:"path,omitempty"`
}

// collaborationMode is sticky too, so it is sent with every turn.
type collaborationMode struct {
	Mode     string `json:"mode"`
	Settings struct {
		Model        string  `json:"model"`
		Effort       *string `json:"reasoning_effort"`
		Instructions *string `json:"developer_instructions"`
	} `json:"settings"`
}

// turnStart builds a turn of the thread in the given mode.
func turnStart(o opened, sel wire.Selection, cwd, text string) turnParams {
	p := policyOf(sel.Mode)
	t := turnParams{
		ThreadID: o.Thread.ID,
		Input:    []input{{Type: "text", Text: text}},
		Cwd:      cwd,
		Approval: p.approval,
		Sandbox:  sandboxes[p.sandbox],
		Model:    chosen(sel.Model),
		Effort:   sel.Effort,
		Summary:  "detailed",
	}
	if sel.Tier != "" {
		t.Tier = &sel.Tier
	}
	t.Collaboration.Mode = "default"
	if p.plan {
		t.Collaboration.Mode = "plan"
	}
	t.Collaboration.Settings.Model = o.Model
	if m := chosen(sel.Model); m != "" {
		t.Collaboration.Settings.Model = m
	}
	if effort := cmp.Or(sel.Effort, o.Effort); effort != "" {
		t.Collaboration.Settings.Effort = &effort
	}
	return t
}
