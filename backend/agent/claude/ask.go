package claude

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// noQuestion is what the model is told of a question that cannot be shown.
const noQuestion = "The question could not be read. Write it and the choices into your answer and end your turn: " +
	"the person's next message is the answer."

// editTools are the CLI's tools that write files, with the fields that name
// them.
var editTools = map[string]string{
	"Edit": "file_path", "MultiEdit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path",
}

// readTools are the CLI's tools that change nothing in the world: they read, or
// keep the agent's own lists.
var readTools = map[string]bool{
	"Read": true, "Grep": true, "Glob": true, "LS": true, "NotebookRead": true,
	"WebFetch": true, "WebSearch": true, "ToolSearch": true, "ListAgents": true,
	"TaskCreate": true, "TaskUpdate": true, "TaskList": true, "TaskGet": true, "TodoWrite": true,
	"Agent": true, "Task": true, // a subagent asks for leave itself
	"EnterPlanMode": true, "ReportFindings": true,
}

// request is something that the CLI waits for an answer to.
func (t *translator) request(l *controlRequestLine, now time.Time, o *dialog.Step) error {
	t.up = true
	r := &l.Request
	if r.Subtype != "can_use_tool" {
		o.Odd = true
		o.Send = append(o.Send, refuseLine(l.RequestID, r.Subtype))
		return nil
	}
	if r.ToolName == "AskUserQuestion" {
		t.question(l, o)
		return nil
	}
	ask := agent.Ask{
		ToolID: r.ToolUseID, Tool: r.ToolName, Input: r.Input, Cwd: t.req.Cwd,
		Kind: wire.ApprovalTool, Title: r.ToolName, Detail: r.Description,
		ReadOnly: readTools[r.ToolName],
	}
	if call, ok := t.tools[r.ToolUseID]; ok {
		ask.ParentToolID = call.parent
		call.since = now
	}
	switch {
	case r.ToolName == "Bash":
		ask.Kind = wire.ApprovalCommand
		if c := dialog.Field(r.Input, "command"); c != "" {
			ask.Title = c
		}
		ask.Paths = t.absolute(r.BlockedPath)
	case editTools[r.ToolName] != "":
		ask.Kind = wire.ApprovalEdit
		if p := dialog.Field(r.Input, editTools[r.ToolName]); p != "" {
			ask.Title = p
			ask.Paths = t.absolute(p)
		}
	case r.ToolName == "ExitPlanMode":
		ask.Kind = wire.ApprovalPlan
		ask.Title = "The plan"
		ask.Detail = t.plan(r.ToolUseID, r.Input)
	default:
		if server, name := dialog.ToolName(r.ToolName); server != "" {
			ask.Title = name + " (" + server + ")"
		}
	}
	id, input := l.RequestID, r.Input
	o.Asks = append(o.Asks, dialog.Ask{
		ID: id, Ask: ask,
		Answer: func(a agent.Answer, now time.Time) dialog.Step {
			if !a.Allow {
				return dialog.Step{Send: [][]byte{denyLine(id, a.Reason)}}
			}
			t.granted(ask.ToolID, now)
			return dialog.Step{Send: [][]byte{allowLine(id, input)}}
		},
	})
	return nil
}

// question puts the model's questions to people.
func (t *translator) question(l *controlRequestLine, o *dialog.Step) {
	id, input := l.RequestID, l.Request.Input
	var fields struct {
		Questions []wire.QuestionItem `json:"questions"`
	}
	if json.Unmarshal(input, &fields) != nil || len(fields.Questions) == 0 {
		o.Send = append(o.Send, denyLine(id, noQuestion))
		return
	}
	ask := agent.Ask{
		ToolID: l.Request.ToolUseID, Kind: wire.ApprovalQuestion, Tool: l.Request.ToolName, Input: input,
		Title: fields.Questions[0].Question, Cwd: t.req.Cwd, Questions: fields.Questions,
	}
	if call, ok := t.tools[ask.ToolID]; ok {
		ask.ParentToolID = call.parent
	}
	o.Asks = append(o.Asks, dialog.Ask{
		ID: id, Ask: ask,
		Answer: func(a agent.Answer, now time.Time) dialog.Step {
			if !a.Allow {
				return dialog.Step{Send: [][]byte{denyLine(id, a.Reason)}}
			}
			t.granted(ask.ToolID, now)
			return dialog.Step{Send: [][]byte{allowLine(id, answered(input, a.Answers))}}
		},
	})
}

// answered returns the input of a question with the answers in it, as the CLI
// wants them: one string for each question.
func answered(input json.RawMessage, answers map[string][]string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return input
	}
	said := make(map[string]string, len(answers))
	for question, chosen := range answers {
		said[question] = strings.Join(chosen, ", ")
	}
	b, err := json.Marshal(said)
	if err != nil {
		return input
	}
	fields["answers"] = b
	if b, err = json.Marshal(fields); err != nil {
		return input
	}
	return b
}

// plan returns the text of a plan. The request does not always hold it; the
// call before it does.
func (t *translator) plan(toolID string, input json.RawMessage) string {
	if p := dialog.Field(input, "plan"); p != "" {
		return p
	}
	if call, ok := t.tools[toolID]; ok {
		return dialog.Field(call.input, "plan")
	}
	return ""
}

// granted notes that a call got its answer: its time counts from here.
func (t *translator) granted(toolID string, now time.Time) {
	if call, ok := t.tools[toolID]; ok {
		call.since = now
	}
}

func (t *translator) absolute(p string) []string {
	if p == "" {
		return nil
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(t.req.Cwd, p)
	}
	return []string{filepath.Clean(p)}
}
