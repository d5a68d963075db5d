package kimi

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/agent/jsonrpc"
	"signalbox/backend/wire"
)

// request is something that the CLI waits for an answer to.
func (t *translator) request(m jsonrpc.Message, p params, now time.Time) dialog.Step {
	switch m.Method {
	case "session/request_permission":
		if hasOption(p.Options, "q0_") {
			// Without a form the answer could only be one of these.
			return t.answer(dialog.Step{}, m.ID, outcome("q0_skip"))
		}
		return t.permission(m.ID, p, now)
	case "elicitation/create":
		return t.question(m.ID, p)
	default:
		return t.rpc.Refuse(m, jsonrpc.MethodNotFound)
	}
}

// permission asks for leave. The request holds no input: it is what was written
// before, so the call is told now.
func (t *translator) permission(id jsonrpc.ID, p params, now time.Time) dialog.Step {
	var s dialog.Step
	u := &p.ToolCall
	t.called(u, now)
	call := t.tools[u.ToolCallID]
	if call == nil {
		call = &tool{id: u.ToolCallID, name: u.Title}
	} else {
		if diffs := diffsOf(u.parts()); len(diffs) > 0 {
			call.diff = diffs
		}
		t.begin(call, &s)
	}
	server, name := dialog.ToolName(call.name)
	ask := agent.Ask{
		ToolID: call.id, Kind: wire.ApprovalTool, Tool: name, Input: call.input, Cwd: t.req.Cwd,
		Title: name, Detail: detail(u), ReadOnly: call.kind == "read" || call.kind == "search",
	}
	yes, no := p.choose()
	switch {
	case hasOption(p.Options, "plan_"):
		if t.req.Selection.Mode != wire.ModePlan {
			// Plan mode stands for another one, which no plan may end.
			return t.answer(s, id, outcome(no))
		}
		ask.Kind, ask.Title = wire.ApprovalPlan, "The plan"
	case call.kind == "execute":
		ask.Kind = wire.ApprovalCommand
		if c := dialog.Field(call.input, "command"); c != "" {
			ask.Title = c
		}
	case call.kind == "edit":
		ask.Kind = wire.ApprovalEdit
		// Judged by every file that it names, in its input or in a diff.
		paths := []string{dialog.Field(call.input, "path")}
		for _, d := range call.diff {
			paths = append(paths, d.Path)
		}
		for _, path := range paths {
			if path != "" {
				ask.Title, ask.Paths = path, append(ask.Paths, t.absolute(path))
			}
		}
	case server != "":
		ask.Title, ask.Tool = name+" ("+server+")", call.name
	}
	if ask.Title == "" {
		ask.Title, ask.Tool = "A tool", "unknown"
	}
	s.Asks = append(s.Asks, dialog.Ask{
		ID: string(id), Ask: ask,
		Answer: func(a agent.Answer, now time.Time) dialog.Step {
			call.since = now // waiting for a person is not the tool's time
			if a.Allow {
				return t.answer(dialog.Step{}, id, outcome(yes))
			}
			if a.Instead != "" {
				t.remarks = append(t.remarks, a.Reason) // the CLI takes a no and no reason
			}
			return t.answer(dialog.Step{}, id, outcome(no))
		},
	})
	return s
}

// choose returns the options that mean yes and no for this once. An option that
// outlives the run is never chosen: that is for the daemon's rules.
func (p *params) choose() (yes, no string) {
	for _, o := range p.Options {
		switch {
		case o.Kind == "allow_once" && yes == "":
			yes = o.ID
		case o.ID == "plan_reject_and_exit": // the turn ends: the next prompt says what is to change
			no = o.ID
		case o.Kind == "reject_once" && no == "":
			no = o.ID
		}
	}
	return yes, no
}

func hasOption(options []answer, prefix string) bool {
	return slices.ContainsFunc(options, func(o answer) bool { return strings.HasPrefix(o.ID, prefix) })
}

// outcome is the answer to a request for leave: an option, or none.
func outcome(option string) any {
	if option == "" {
		return map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}
	}
	return map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": option}}
}

// detail is what the request says beside its title: a plan, mostly.
func detail(u *update) string {
	var lines []string
	for _, p := range u.parts() {
		if p.Content == nil || strings.HasPrefix(p.Content.Text, "Requesting approval to ") {
			continue
		}
		lines = append(lines, p.Content.Text)
	}
	return strings.Join(lines, "\n")
}

// question puts the model's questions to people. The form has them under names;
// their texts are in the call.
//
// The CLI takes only what it offers, and all of it or nothing. Where people say
// something else the form is declined, and the model is told when its turn is
// over.
func (t *translator) question(id jsonrpc.ID, p params) dialog.Step {
	decline := map[string]string{"action": "decline"}
	var input struct {
		Questions []struct {
			wire.QuestionItem
			Multi bool `json:"multi_select"`
		} `json:"questions"`
	}
	call := t.tools[p.ToolCallID]
	if call == nil || json.Unmarshal(call.input, &input) != nil || len(input.Questions) == 0 {
		return t.answer(dialog.Step{}, id, decline)
	}
	ask := agent.Ask{
		ToolID: call.id, Kind: wire.ApprovalQuestion, Tool: call.name, Input: call.input, Cwd: t.req.Cwd,
		Title: input.Questions[0].Question,
	}
	for _, q := range input.Questions {
		q.MultiSelect = q.Multi
		ask.Questions = append(ask.Questions, q.QuestionItem)
	}
	return dialog.Step{Asks: []dialog.Ask{{
		ID: string(id), Ask: ask,
		Answer: func(a agent.Answer, now time.Time) dialog.Step {
			call.since = now
			if !a.Allow {
				return t.answer(dialog.Step{}, id, decline)
			}
			content, ok := form(ask.Questions, a.Answers)
			if !ok {
				t.remarks = append(t.remarks, inWords(ask.Questions, a.Answers))
				return t.answer(dialog.Step{}, id, decline)
			}
			return t.answer(dialog.Step{}, id, map[string]any{"action": "accept", "content": content})
		},
	}}}
}

// form fills the form in; false where it cannot take the answers.
func form(questions []wire.QuestionItem, answers map[string][]string) (map[string]any, bool) {
	content := map[string]any{}
	for i, q := range questions {
		chosen := answers[q.Question]
		for _, c := range chosen {
			if !slices.ContainsFunc(q.Options, func(o wire.QuestionOption) bool { return o.Label == c }) {
				return nil, false
			}
		}
		name := "q" + strconv.Itoa(i)
		switch {
		case len(chosen) == 0:
			return nil, false
		case q.MultiSelect:
			content[name] = chosen
		default:
			content[name] = chosen[0]
		}
	}
	return content, true
}

// inWords says the answers as a person would.
func inWords(questions []wire.QuestionItem, answers map[string][]string) string {
	lines := []string{"The answers to your questions:"}
	for _, q := range questions {
		said := strings.Join(answers[q.Question], ", ")
		if said == "" {
			said = "no answer"
		}
		lines = append(lines, "- "+q.Question+" "+said)
	}
	return strings.Join(lines, "\n")
}

func (t *translator) answer(s dialog.Step, id jsonrpc.ID, result any) dialog.Step {
	t.rpc.Answer(&s, id, result)
	return s
}

func (t *translator) absolute(p string) string {
	if !filepath.IsAbs(p) {
		p = filepath.Join(t.req.Cwd, p)
	}
	return filepath.Clean(p)
}
