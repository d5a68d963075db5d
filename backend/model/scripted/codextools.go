package scripted

import (
	"slices"
	"strings"
)

// codexTools spells calls for Codex. It offers its tools in one of two ways: in
// "code mode" the model writes JavaScript for one tool, exec, that calls the
// others; else each is a function.
type codexTools struct {
	code      bool
	namespace string // of the tools in code mode
	patches   bool   // apply_patch is a tool of its own
}

func newCodexTools(offered []string) codexTools {
	t := codexTools{patches: slices.Contains(offered, "apply_patch")}
	switch {
	case slices.Contains(offered, "functions/exec"):
		t.code, t.namespace = true, "functions"
	case slices.Contains(offered, "exec"):
		t.code, t.namespace = true, "functions"
	}
	return t
}

// source is a call of exec with JavaScript.
func (t codexTools) source(js string) Call {
	return Call{Name: "exec", Input: quote(js), Custom: true}
}

// do calls a tool with an input and gives its result to the model.
func (t codexTools) do(name string, input any) Call {
	if t.code {
		return t.source("const r = await tools." + name + "(" + string(quoteJSON(input)) + "); text(r);")
	}
	return Call{Name: name, Input: quoteJSON(input)}
}

func (t codexTools) Shell(command string) Call {
	return t.do("exec_command", map[string]any{"cmd": command})
}

func (t codexTools) patch(body string) Call {
	p := "*** Begin Patch\n" + body + "\n*** End Patch"
	switch {
	case t.code:
		return t.source("const r = await tools.apply_patch(" + string(quote(p)) + "); text(r);")
	case t.patches:
		return Call{Name: "apply_patch", Input: quote(p), Custom: true}
	default:
		return t.Shell("apply_patch <<'EOF'\n" + p + "\nEOF")
	}
}

func (t codexTools) Write(file, content string) Call {
	lines := strings.Split(strings.TrimSuffix(content, "\n"), "\n")
	return t.patch("*** Add File: " + file + "\n+" + strings.Join(lines, "\n+"))
}

func (t codexTools) Edit(file, before, after string) Call {
	return t.patch("*** Update File: " + file + "\n@@\n-" + before + "\n+" + after)
}

func (t codexTools) Read(file string) Call { return t.Shell("cat '" + file + "'") }

func (t codexTools) TodoPlan(items ...string) []Block { return t.todo(items, 0, "") }

func (t codexTools) TodoMark(items []string, number int, state string) []Block {
	return t.todo(items, number, state)
}

func (t codexTools) todo(items []string, number int, state string) []Block {
	plan := []map[string]any{}
	for i, step := range items {
		plan = append(plan, map[string]any{"step": step, "status": listState(i+1, number, state)})
	}
	return []Block{t.do("update_plan", map[string]any{"explanation": "The plan", "plan": plan})}
}

func (t codexTools) Agent(prompt string) Call {
	if t.code {
		return Call{Name: "spawn_agent", Namespace: "collaboration", Input: quoteJSON(map[string]any{"task_name": "helper", "message": prompt})}
	}
	return Call{Name: "spawn_agent", Namespace: "multi_agent_v1", Input: quoteJSON(map[string]any{"message": prompt})}
}

func (t codexTools) Ask(question string, options ...string) Call {
	opts := []map[string]any{}
	for _, o := range options {
		opts = append(opts, map[string]any{"label": o, "description": "Use " + o})
	}
	return Call{Name: "request_user_input", Namespace: t.namespace, Input: quoteJSON(map[string]any{"questions": []any{map[string]any{
		"header": "Choice", "id": "choice", "question": question, "options": opts,
	}}})}
}

// HandIn is text: Codex reads the plan out of the answer.
func (t codexTools) HandIn(plan string) []Step {
	return []Step{say(Text("Here is my plan."), Text("<proposed_plan>\n"+plan+"\n</proposed_plan>"))}
}

func (t codexTools) MCP(server, tool string, input map[string]any) Call {
	if t.code {
		return t.do("mcp__"+server+"__"+tool, input)
	}
	return Call{Name: tool, Namespace: "mcp__" + server, Input: quoteJSON(input)}
}

func (t codexTools) Unknown() Call {
	return Call{Name: "no_such_tool", Namespace: t.namespace, Input: quoteJSON(map[string]any{"x": 1})}
}
