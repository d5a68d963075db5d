package scripted

// kimiTools spells calls for Kimi Code. Its file tools take paths below the
// working directory.
type kimiTools struct {
	plan string // where it wants a plan to be written; empty outside of its plan mode
}

func (kimiTools) Shell(command string) Call {
	return call("Bash", map[string]any{"command": command})
}

func (kimiTools) Write(file, content string) Call {
	return call("Write", map[string]any{"path": file, "content": content})
}

func (kimiTools) Edit(file, before, after string) Call {
	return call("Edit", map[string]any{"path": file, "old_string": before, "new_string": after})
}

func (kimiTools) Read(file string) Call { return call("Read", map[string]any{"path": file}) }

func (t kimiTools) TodoPlan(items ...string) []Block { return t.todo(items, 0, "") }

func (t kimiTools) TodoMark(items []string, number int, state string) []Block {
	return t.todo(items, number, state)
}

func (kimiTools) todo(items []string, number int, state string) []Block {
	todos := []map[string]any{}
	for i, title := range items {
		s := listState(i+1, number, state)
		if s == "completed" {
			s = "done"
		}
		todos = append(todos, map[string]any{"title": title, "status": s})
	}
	return []Block{call("TodoList", map[string]any{"todos": todos})}
}

func (kimiTools) Agent(prompt string) Call {
	return call("Agent", map[string]any{"description": "Look around", "prompt": prompt, "subagent_type": "coder"})
}

func (kimiTools) Ask(question string, options ...string) Call {
	opts := []map[string]any{}
	for _, o := range options {
		opts = append(opts, map[string]any{"label": o, "description": "Use " + o})
	}
	return call("AskUserQuestion", map[string]any{"questions": []any{map[string]any{
		"question": question, "header": "Choice", "multi_select": false, "options": opts,
	}}})
}

// HandIn writes the plan's file first: without it nobody is asked.
func (t kimiTools) HandIn(plan string) []Step {
	var steps []Step
	if t.plan != "" {
		steps = append(steps, say(call("Write", map[string]any{"path": t.plan, "content": plan})))
	}
	return append(steps, say(Text("Here is my plan."), call("ExitPlanMode", map[string]any{})))
}

func (kimiTools) MCP(server, tool string, input map[string]any) Call {
	return call("mcp__"+server+"__"+tool, input)
}

func (kimiTools) Unknown() Call { return call("NoSuchTool", map[string]any{"x": 1}) }
