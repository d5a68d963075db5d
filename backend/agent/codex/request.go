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
func (t *translator) request(m jsonrpc.Message, p params) dialog.Step {
	ask := agent.Ask{
		ToolID: p.ItemID, ParentToolID: t.parents[p.ThreadID], Cwd: t.req.Cwd, Detail: p.Reason, Input: m.Params,
	}
	switch m.Method {
	case "item/commandExecution/requestApproval":
		ask.Kind, ask.Tool, ask.Title = wire.ApprovalCommand, itemCommand, shellWord(p.Command)
		if ask.Title == "" {
			ask.Title = "Run a command"
		}
		ask.Input = mustJSON(map[string]string{"command": shellWord(p.Command), "cwd": p.Cwd})
		if p.Cwd != "" && p.Cwd != t.req.Cwd {
			ask.Detail = strings.TrimSpace(ask.Detail + "\nIn " + p.Cwd)
		}
		// With a reason it wants out of the sandbox.
		ask.ReadOnly = readOnly(p.Actions) && p.Reason == ""
		return t.ask(m.ID, ask, decision)
	case "item/fileChange/requestApproval":
		ask.Kind, ask.Tool, ask.Title = wire.ApprovalEdit, itemPatch, "Change files"
		if call := t.tools[p.ItemID]; call != nil {
			ask.Title, ask.Paths, ask.Input = patchTitle(call.item), paths(call.item, t.req.Cwd), toolInput(call.item)
		}
		return t.ask(m.ID, ask, decision)
	case "item/permissions/requestApproval":
		ask.Kind, ask.Tool, ask.Title = wire.ApprovalTool, "permissions", "More permissions for this turn"
		ask.ToolID = "" // it belongs to no item
		return t.ask(m.ID, ask, func(a agent.Answer) any { return granted(a, p.Permissions) })
	case "mcpServer/elicitation/request":
		if p.Meta.Kind != "mcp_tool_call" {
			return t.answer(m.ID, map[string]string{"action": "decline"}) // a form that nobody can fill in here
		}
		ask.Kind, ask.Tool, ask.Title, ask.Detail = wire.ApprovalTool, p.Meta.Tool, p.Meta.Tool+" ("+p.ServerName+")", p.Message
		for id, call := range t.tools {
			if call.item.Server == p.ServerName && call.item.Tool == p.Meta.Tool {
				ask.ToolID, ask.Input = id, toolInput(call.item)
			}
		}
		return t.ask(m.ID, ask, elicited)
	case "item/tool/requestUserInput":
		return t.question(m.ID, p)
	default:
		return t.refuse(m, jsonrpc.MethodNotFound)
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
			return t.answer(id, result(answer))
		},
	}}}
}

func (t *translator) answer(id jsonrpc.ID, result any) dialog.Step {
	line, err := t.peer.Answer(id, result)
	if err != nil {
		panic(err) // the values are ours, or raw JSON that was just decoded
	}
	return dialog.Step{Send: [][]byte{line}}
}

// refuse answers a request that is not known here, so that the server does not
// wait for it.
func (t *translator) refuse(m jsonrpc.Message, code int64) dialog.Step {
	line, err := t.peer.Refuse(m.ID, code, "Signalbox does not answer "+dialog.Clip(m.Method))
	if err != nil {
		panic(err) // it is text
	}
	return dialog.Step{Send: [][]byte{line}, Odd: true}
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

// question declines what the model asks the person in mid-turn, which nobody can
// answer in this version, and shows it: the answer is the next prompt.
func (t *translator) question(id jsonrpc.ID, p params) dialog.Step {
	s := t.answer(id, map[string]any{"answers": struct{}{}})
	var asked []string
	for _, q := range p.Questions {
		words := q.Question
		var labels []string
		for _, o := range q.Options {
			labels = append(labels, o.Label)
		}
		if len(labels) > 0 {
			words += " (" + strings.Join(labels, ", ") + ")"
		}
		asked = append(asked, words)
	}
	s.Emit(wire.System{
		Level: wire.LevelInfo, Code: "question", ParentToolID: t.parents[p.ThreadID],
		Text: "Codex asked: " + strings.Join(asked, " ") + " Answer with the next prompt.",
	})
	return s
}
