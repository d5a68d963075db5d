package history

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"

	"signalbox/backend/wire"
)

// codexFiles are sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl.
func codexFiles(home string) []string {
	var files []string
	_ = filepath.WalkDir(filepath.Join(home, "sessions"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && strings.HasPrefix(e.Name(), "rollout-") && strings.HasSuffix(e.Name(), ".jsonl") {
			files = append(files, path)
		}
		return nil //nolint:nilerr // what cannot be looked into holds no sessions for us
	})
	return files
}

// codexParser reads the sessions of Codex.
type codexParser struct {
	turns

	// asked says that the open turn is of a prompt that was written in two forms.
	asked string
	turn  string
}

type codexLine struct {
	Time    string          `json:"timestamp"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

type codexPayload struct {
	Type string `json:"type"`
	// Of session_meta and turn_context.
	ID     string          `json:"id"`
	Cwd    string          `json:"cwd"`
	Source json.RawMessage `json:"source"`
	Model  string          `json:"model"`
	TurnID string          `json:"turn_id"`
	// Of messages and calls.
	Role      string  `json:"role"`
	Content   content `json:"content"`
	Summary   content `json:"summary"`
	Message   string  `json:"message"`
	Name      string  `json:"name"`
	CallID    string  `json:"call_id"`
	Arguments string  `json:"arguments"`
	Input     string  `json:"input"`
	Output    content `json:"output"`
	Action    *struct {
		Command []string `json:"command"`
	} `json:"action"`
	Item *struct {
		Type    string  `json:"type"`
		Content content `json:"content"`
	} `json:"item"`
}

func (p *codexParser) line(raw []byte, yield func(Turn) bool) bool {
	var l codexLine
	var v codexPayload
	if json.Unmarshal(raw, &l) != nil || json.Unmarshal(l.Payload, &v) != nil {
		return true
	}
	at := clock(l.Time)
	switch l.Type {
	case "session_meta":
		var kind string
		sub := json.Unmarshal(v.Source, &kind) != nil && strings.Contains(string(v.Source), "subagent")
		if p.session.ID == "" && !sub { // a subagent's is part of another
			p.session.ID, p.session.Started = v.ID, at
			if filepath.IsAbs(v.Cwd) {
				p.session.Cwd = v.Cwd
			}
		}
	case "turn_context":
		if p.turn = v.TurnID; v.Model != "" {
			p.model = v.Model
			if p.open && p.now.ID == p.turn {
				p.now.Model = v.Model
			}
		}
	case "event_msg":
		return p.event(&v, at, yield)
	case "response_item":
		p.response(&v, at)
	}
	return true
}

func (p *codexParser) event(v *codexPayload, at wire.Time, yield func(Turn) bool) bool {
	switch v.Type {
	case "task_started":
		p.turn = v.TurnID
	case "user_message":
		return p.prompt(v.Message, at, yield)
	case "item_completed":
		if v.Item != nil && v.Item.Type == "UserMessage" {
			return p.prompt(v.Item.Content.text(), at, yield)
		}
	case "error":
		if p.open && v.Message != "" {
			p.now.Failed = valid(v.Message)
		}
	}
	return true
}

// prompt begins a turn. A prompt that is written in two forms begins one.
func (p *codexParser) prompt(text string, at wire.Time, yield func(Turn) bool) bool {
	if strings.TrimSpace(text) == "" || p.open && p.asked == text && len(p.now.Events) == 0 {
		return true
	}
	more := p.begin(at, text, yield)
	p.asked, p.now.ID = text, p.turn
	return more
}

func (p *codexParser) response(v *codexPayload, at wire.Time) {
	switch v.Type {
	case "message":
		if v.Role == "assistant" {
			p.text(at, v.ID, v.Content.text())
		}
	case "reasoning":
		p.thinking(at, v.ID, v.Summary.text())
	case "function_call":
		if v.Name == "update_plan" {
			p.plan(at, v.Arguments)
		} else if command := codexCommand(v.Name, v.Arguments); command != "" {
			p.command(at, v.CallID, command)
		} else {
			p.call(at, v.CallID, v.Name, json.RawMessage(v.Arguments))
		}
	case "custom_tool_call":
		input, _ := json.Marshal(map[string]string{"input": v.Input}) // strings can be
		p.call(at, v.CallID, v.Name, input)
	case "local_shell_call":
		if v.Action != nil {
			p.command(at, v.CallID, strings.Join(v.Action.Command, " "))
		}
	case "function_call_output", "custom_tool_call_output":
		output, ok := codexOutput(v.Output)
		p.result(at, v.CallID, ok, output)
	}
}

// plan is a to-do list as Codex keeps it.
func (p *codexParser) plan(at wire.Time, arguments string) {
	var v struct {
		Plan []struct {
			Step   string          `json:"step"`
			Status wire.TodoStatus `json:"status"`
		} `json:"plan"`
	}
	if json.Unmarshal([]byte(arguments), &v) != nil {
		return
	}
	todo := wire.Todo{Items: []wire.TodoItem{}}
	for _, it := range v.Plan {
		if it.Status != wire.TodoInProgress && it.Status != wire.TodoCompleted {
			it.Status = wire.TodoPending
		}
		todo.Items = append(todo.Items, wire.TodoItem{Text: valid(it.Step), Status: it.Status})
	}
	p.add(at, len(arguments), todo)
}

// command is a call as live runs of Codex show it.
func (p *codexParser) command(at wire.Time, id, command string) {
	input, _ := json.Marshal(map[string]string{"command": valid(command), "cwd": p.session.Cwd}) // strings can be
	p.call(at, id, "commandExecution", input)
}

// codexCommand returns the command that a call runs; empty if it runs none.
func codexCommand(name, arguments string) string {
	var v struct {
		Cmd     string          `json:"cmd"`
		Command json.RawMessage `json:"command"`
	}
	switch name {
	case "exec_command", "shell", "shell_command":
	default:
		return ""
	}
	var words []string
	var line string
	switch {
	case json.Unmarshal([]byte(arguments), &v) != nil:
		return ""
	case v.Cmd != "":
		return v.Cmd
	case json.Unmarshal(v.Command, &line) == nil:
		return line
	case json.Unmarshal(v.Command, &words) == nil:
		return strings.Join(words, " ")
	}
	return ""
}

// codexOutput reads a tool's result: a text, parts, or JSON in a text with what
// the command printed and how it ended.
func codexOutput(c content) (text string, ok bool) {
	text = c.text()
	var inner struct {
		Output   *string `json:"output"`
		Metadata struct {
			ExitCode *int `json:"exit_code"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &inner) == nil && inner.Output != nil {
		return *inner.Output, inner.Metadata.ExitCode == nil || *inner.Metadata.ExitCode == 0
	}
	_, code, found := strings.Cut(text, "Process exited with code ")
	return text, !found || strings.HasPrefix(code, "0")
}
