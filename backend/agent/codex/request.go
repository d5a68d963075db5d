package codex

import (
	"encoding/json"
	"strings"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/agent/jsonrpc"
	"signalbox/backend/wire"
)

// request is something that the server waits for an answer to.
func (t *translator) request(m jsonrpc.Message, p params, _ time.Time) dialog.Step {
	ask := agent.Ask{
		ToolID: p.ItemID, ParentToolID: t.parents[p.ThreadID], Cwd: t.req.Cwd, Detail: p.Reason, Input: m.Params,
	}
	switch m.Method {
	case "item/commandExecution/requestApproval":
		// A command that only reads runs in the sandbox unasked, so none that is
		// asked for counts as one: the server's own summary of what a command
		// does leaves parts of it out.
		ask.Kind, ask.Tool, ask.Title = wire.ApprovalCommand, itemCommand, shellWord(p.Command)
		ask.Input = mustJSON(map[string]string{"command": shellWord(p.Command), "cwd": p.Cwd})
		if p.Cwd != "" {
			ask.Cwd = p.Cwd
		}
		if ask.Title == "" {
			// Which command it is is not told, so no answer can hold for more.
			ask.Kind, ask.Tool, ask.Title = wire.ApprovalTool, "", "Run a command"
		}
		return t.ask(m.ID, ask, decision)
	case "item/fileChange/requestApproval":
		ask.Kind, ask.Tool, ask.Title = wire.ApprovalEdit, itemPatch, "Change files"
		if call := t.tools[p.ItemID]; call != nil {
			ask.Title, ask.Paths, ask.Input = patchTitle(call.item), paths(call.item.Changes, t.req.Cwd), toolInput(call.item)
		}
		if p.GrantRoot != "" {
			// The answer holds for all below it, for as long as the server lives.
			ask.Paths = append(ask.Paths, absolute(p.GrantRoot, t.req.Cwd))
			ask.Detail = strings.TrimSpace(ask.Detail + "\nA yes allows changes everywhere below " + p.GrantRoot + " for the rest of the run.")
		}
		return t.ask(m.ID, ask, decision)
	case "item/permissions/requestApproval":
		// Without a tool no answer holds for the chat: each request is another.
		ask.Kind, ask.Title = wire.ApprovalTool, "More permissions for this turn"
		ask.Detail = strings.TrimSpace(ask.Detail + "\n" + string(p.Permissions))
		ask.ToolID = "" // it belongs to no item
		return t.ask(m.ID, ask, func(a agent.Answer) any { return granted(a, p.Permissions) })
	case "mcpServer/elicitation/request":
		if p.Meta.Kind != "mcp_tool_call" {
			return t.answer(m.ID, map[string]string{"action": "decline"}) // a form that nobody can fill in here
		}
		ask.Kind, ask.Tool, ask.Title, ask.Detail = wire.ApprovalTool, "mcp__"+p.ServerName+"__"+p.Meta.Tool, p.Meta.Tool+" ("+p.ServerName+")", p.Message
		for id, call := range t.tools {
			if call.item.Server == p.ServerName && call.item.Tool == p.Meta.Tool {
				ask.ToolID, ask.Input = id, toolInput(call.item)
			}
		}
		return t.ask(m.ID, ask, elicited)
	case "item/tool/requestUserInput":
		return t.question(m.ID, p)
	default:
		return t.rpc.Refuse(m, jsonrpc.MethodNotFound)
	}
}

// ask puts a request to the person; result makes the server's answer of theirs.
func (t *translator) ask(id jsonrpc.ID, a agent.Ask, result func(agent.Answer) any) dialog.Step {
	return dialog.Step{Asks: []dialog.Ask{{
		ID: string(id), Ask: a,
		Answer: func(answer agent.Answer, now time.Time) dialog.Step {
			if answer.Allow && a.ToolID != "" && t.tools[a.ToolID] != nil {
				t.granted[a.ToolID] = now
			}
			t.remark(answer)
			return t.answer(id, result(answer))
		},
	}}}
}

// remark keeps what a person wants instead: the server takes a no and no reason,
// so the model is told when its turn is over.
func (t *translator) remark(a agent.Answer) {
	if !a.Allow && a.Instead != "" {
		t.remarks = append(t.remarks, a.Reason)
	}
}

func (t *translator) answer(id jsonrpc.ID, result any) dialog.Step {
	var s dialog.Step
	t.rpc.Answer(&s, id, result)
	return s
}

// decision is the answer to an approval of a command or a patch.
func decision(a agent.Answer) any {
	if a.Allow {
		return map[string]string{"decision": "accept"}
	}
	return map[string]string{"decision": "decline"} // the turn goes on
}

// elicited is the answer to an approval of an MCP tool.
func elicited(a agent.Answer) any {
	if a.Allow {
		return map[string]any{"action": "accept", "content": struct{}{}}
	}
	return map[string]string{"action": "decline"}
}

// granted is the answer to a request for permissions: all of them for the turn,
// or none.
func granted(a agent.Answer, wanted json.RawMessage) any {
	if !a.Allow || len(wanted) == 0 {
		wanted = json.RawMessage(`{}`)
	}
	return map[string]any{"permissions": wanted, "scope": "turn"}
}

// question puts the model's questions to people.
func (t *translator) question(id jsonrpc.ID, p params) dialog.Step {
	ids := map[string]string{} // by text
	ask := agent.Ask{
		ParentToolID: t.parents[p.ThreadID], Kind: wire.ApprovalQuestion, Tool: "requestUserInput", Cwd: t.req.Cwd,
	}
	secret := false
	for _, q := range p.Questions {
		secret = secret || q.Secret
		ids[q.Question] = q.ID
		item := wire.QuestionItem{Question: q.Question, Header: q.Header, Options: []wire.QuestionOption{}}
		for _, o := range q.Options {
			item.Options = append(item.Options, wire.QuestionOption{Label: o.Label, Description: o.Description})
		}
		ask.Questions = append(ask.Questions, item)
	}
	none := map[string]any{"answers": struct{}{}}
	switch {
	case len(ask.Questions) == 0:
		return t.answer(id, none)
	case secret:
		s := t.answer(id, none)
		s.Emit(wire.System{
			Level: wire.LevelWarn, Code: "question", ParentToolID: ask.ParentToolID,
			Text: "Codex asked for a secret. Signalbox does not pass secrets on: what is answered here is kept in the chat.",
		})
		return s
	}
	ask.Title, ask.Input = ask.Questions[0].Question, mustJSON(map[string]any{"questions": ask.Questions})
	return dialog.Step{Asks: []dialog.Ask{{
		ID: string(id), Ask: ask,
		Answer: func(a agent.Answer, _ time.Time) dialog.Step {
			if !a.Allow {
				return t.answer(id, none)
			}
			answers := map[string]any{}
			for text, chosen := range a.Answers {
				if qid, ok := ids[text]; ok {
					answers[qid] = map[string]any{"answers": chosen}
				}
			}
			return t.answer(id, map[string]any{"answers": answers})
		},
	}}}
}
