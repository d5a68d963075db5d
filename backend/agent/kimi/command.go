package kimi

import (
	"fmt"
	"maps"
	"strings"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// defaultModel is the choice that leaves the model to the CLI.
const defaultModel = "default"

// homeVariable moves the CLI's folder.
const homeVariable = "KIMI_CODE_HOME"

// switches are the variables that make the CLI behave as a part of a daemon. The
// settings may override each.
var switches = map[string]string{"KIMI_DISABLE_TELEMETRY": "1"}

// environment returns the complete environment of the CLI.
func environment(parent []string, settings map[string]string) []string {
	extra := maps.Clone(switches)
	if v, ok := agent.Lookup(parent, homeVariable); ok {
		extra[homeVariable] = v
	}
	maps.Copy(extra, settings)
	return agent.Environment(parent, extra)
}

// check refuses what can be no value.
func check(req agent.Request) error {
	sel := req.Selection
	for _, v := range []struct{ name, value string }{{"model", sel.Model}, {"effort", sel.Effort}, {"session", req.Session}} {
		if strings.ContainsFunc(v.value, dialog.IsControl) || strings.HasPrefix(v.value, "-") {
			return fmt.Errorf("%.60q cannot be a %s", v.value, v.name)
		}
	}
	return nil
}

// The modes of the CLI that are used. Its own automatic ones are not: what it
// asks is answered by the rules of ours.
const (
	modeDefault = "default"
	modePlan    = "plan"
)

// modeOf returns the CLI's mode for one of ours. Only its plan mode keeps it
// from writing. An unknown mode is held to that.
func modeOf(m wire.Mode) string {
	switch m {
	case wire.ModeChat, wire.ModeCode, wire.ModeDebug, wire.ModeFullAuto:
		return modeDefault
	default:
		return modePlan
	}
}

type initializeParams struct {
	Version      int          `json:"protocolVersion"`
	Capabilities capabilities `json:"clientCapabilities"`
	Client       clientInfo   `json:"clientInfo"`
}

type capabilities struct {
	FS struct {
		Read  bool `json:"readTextFile"`
		Write bool `json:"writeTextFile"`
	} `json:"fs"`
	Terminal bool `json:"terminal"`
	// Elicitation makes all questions of a call come together, as a form.
	Elicitation struct {
		Form struct{} `json:"form"`
	} `json:"elicitation"`
}

type clientInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

func initialize() initializeParams {
	return initializeParams{Version: 1, Client: clientInfo{Name: "signalbox", Title: "Signalbox", Version: "1"}}
}

type sessionParams struct {
	SessionID string `json:"sessionId,omitempty"`
	Cwd       string `json:"cwd"`
	Servers   []any  `json:"mcpServers"`
}

type modeParams struct {
	SessionID string `json:"sessionId"`
	Mode      string `json:"modeId"`
}

type optionParams struct {
	SessionID string `json:"sessionId"`
	Option    string `json:"configId"`
	Value     string `json:"value"`
}

type promptParams struct {
	SessionID string  `json:"sessionId"`
	Prompt    []block `json:"prompt"`
}

// block is a part of a prompt: text, or a picture.
type block struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitempty"`
	Media string `json:"mimeType,omitempty"`
	Data  []byte `json:"data,omitempty"`
}
