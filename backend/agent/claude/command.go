package claude

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// defaultModel is the choice that leaves the model to the CLI.
const defaultModel = "default"

// initRequest is the id of the first request of ours, whose answer tells that
// the CLI is up: it prints nothing on its own.
const initRequest = "init"

// interruptRequest is the id of the request that stops the turn.
const interruptRequest = "interrupt"

// switches are the variables that make the CLI behave as a part of a daemon.
// The settings may override each.
//
// IS_SANDBOX is not among them: it is needed as root only for the permission
// bypass, which is never used.
var switches = map[string]string{
	"DISABLE_AUTOUPDATER":                      "1", // a CLI that replaces itself in mid-run is nobody's wish
	"DISABLE_TELEMETRY":                        "1",
	"DISABLE_ERROR_REPORTING":                  "1",
	"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
	"CLAUDE_CODE_ENABLE_TODO_TOOLS":            "1", // not there by default in print mode
	// The default of about ten keeps a failing run silent for minutes and can
	// not be ended by closing stdin. Six are half a minute.
	"CLAUDE_CODE_MAX_RETRIES": "6",
}

// passed are the variables of the CLI's own that it inherits.
var passed = []string{"CLAUDE_CONFIG_DIR"}

// environment returns the complete environment of the CLI.
func environment(parent []string, settings map[string]string) []string {
	extra := maps.Clone(switches)
	for _, name := range passed {
		if v, ok := agent.Lookup(parent, name); ok {
			extra[name] = v
		}
	}
	maps.Copy(extra, settings)
	return agent.Environment(parent, extra)
}

// arguments returns what follows the program for a request, without the prompt,
// which goes to stdin: it has no limit there, is seen in no list of processes and can
// be taken for no flag. A value that could be taken for a flag is an error.
//
// servers is the file with the MCP servers, if there are any.
func arguments(req agent.Request, servers string) ([]string, error) {
	args := []string{
		"-p",
		"--input-format", "stream-json",
		"--output-format", "stream-json", "--verbose", "--include-partial-messages",
		"--permission-prompt-tool", "stdio",
		"--thinking-display", "summarized",
		"--permission-mode", permissionMode(req.Selection.Mode),
	}
	values := []struct{ flag, value string }{
		{"--model", req.Selection.Model},
		{"--effort", req.Selection.Effort},
		{"--resume", req.Session},
	}
	if req.Fork {
		values = append(values, struct{ flag, value string }{"--resume-session-at", req.Turn})
	}
	for _, v := range values {
		if v.value == "" || v.flag == "--model" && v.value == defaultModel {
			continue
		}
		if strings.HasPrefix(v.value, "-") || strings.ContainsFunc(v.value, dialog.IsControl) {
			return nil, fmt.Errorf("%.60q cannot be a value of %s", v.value, v.flag)
		}
		args = append(args, v.flag, v.value)
	}
	if servers != "" {
		args = append(args, "--mcp-config", servers)
	}
	if req.Fork && req.Session != "" {
		args = append(args, "--fork-session")
	}
	if req.Selection.Mode == wire.ModeReview {
		// Last, since the flag takes every word that follows it up to another.
		args = append(args, "--disallowedTools", "Edit", "MultiEdit", "Write", "NotebookEdit")
	}
	return args, nil
}

// permissionMode returns the CLI's mode for one of ours. All but Plan are its
// default mode, in which it asks and the mode's rules answer.
func permissionMode(m wire.Mode) string {
	if m == wire.ModePlan {
		return "plan"
	}
	return "default"
}

// The lines that are written to the CLI.

type controlRequest struct {
	Type      string         `json:"type"`
	RequestID string         `json:"request_id"`
	Request   map[string]any `json:"request"`
}

type userLine struct {
	Type    string      `json:"type"`
	Message userMessage `json:"message"`
	Parent  *string     `json:"parent_tool_use_id"`
}

type userMessage struct {
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type imageBlock struct {
	Type   string      `json:"type"`
	Source imageSource `json:"source"`
}

type imageSource struct {
	Type  string `json:"type"`
	Media string `json:"media_type"`
	Data  []byte `json:"data"`
}

type controlResponse struct {
	Type     string       `json:"type"`
	Response responseBody `json:"response"`
}

type responseBody struct {
	Subtype   string `json:"subtype"`
	RequestID string `json:"request_id"`
	Response  any    `json:"response,omitempty"`
	Error     string `json:"error,omitempty"`
}

type permissionAllow struct {
	Behavior string `json:"behavior"`
	// UpdatedInput is the complete input: theirs, sent back unchanged.
	UpdatedInput json.RawMessage `json:"updatedInput"`
}

type permissionDeny struct {
	Behavior string `json:"behavior"`
	Message  string `json:"message"`
}

// firstLines returns what is written when the CLI was started.
func firstLines(prompt string, pictures []dialog.Picture) [][]byte {
	content := []any{textBlock{Type: "text", Text: prompt}}
	for _, p := range pictures {
		content = append(content, imageBlock{"image", imageSource{"base64", p.Media, p.Data}})
	}
	return [][]byte{
		initializeLine(),
		mustLine(userLine{
			Type:    "user",
			Message: userMessage{Role: "user", Content: content},
		}),
	}
}

// initializeLine asks the CLI what it is: it answers as soon as it is up.
func initializeLine() []byte {
	return mustLine(controlRequest{
		Type: "control_request", RequestID: initRequest,
		Request: map[string]any{"subtype": "initialize", "hooks": nil},
	})
}

// interruptLine asks the CLI to stop the turn.
func interruptLine() []byte {
	return mustLine(controlRequest{
		Type: "control_request", RequestID: interruptRequest,
		Request: map[string]any{"subtype": "interrupt"},
	})
}

// allowLine answers the permission request id with yes.
func allowLine(id string, input json.RawMessage) []byte {
	if len(input) == 0 {
		input = json.RawMessage(`{}`)
	}
	return responseLine(id, permissionAllow{Behavior: "allow", UpdatedInput: input})
}

// denyLine answers the permission request id with no.
func denyLine(id, reason string) []byte {
	return responseLine(id, permissionDeny{Behavior: "deny", Message: reason})
}

func responseLine(id string, body any) []byte {
	return mustLine(controlResponse{
		Type:     "control_response",
		Response: responseBody{Subtype: "success", RequestID: id, Response: body},
	})
}

// refuseLine answers a request of a kind that is not known here, so that the
// CLI does not wait for it.
func refuseLine(id, subtype string) []byte {
	return mustLine(controlResponse{
		Type: "control_response",
		Response: responseBody{
			Subtype: "error", RequestID: id, Error: fmt.Sprintf("request %.60q is not supported", subtype),
		},
	})
}

// mustLine encodes v as a line. The values are ours and raw JSON that was just
// decoded, so that it cannot fail.
func mustLine(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode line for the CLI: %v", err))
	}
	return append(b, '\n')
}
