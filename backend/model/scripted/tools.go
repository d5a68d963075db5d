package scripted

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Tools spells what a scenario wants done as calls of the tools that the asking
// agent has.
type Tools interface {
	Shell(command string) Call
	// Write, Edit and Read take a path below the working directory.
	Write(file, content string) Call
	Edit(file, before, after string) Call
	Read(file string) Call
	// TodoPlan makes a to-do list; TodoMark sets the state of the item with the
	// number, from 1.
	TodoPlan(items ...string) []Block
	TodoMark(items []string, number int, state string) []Block
	Agent(prompt string) Call
	Ask(question string, options ...string) Call
	// HandIn hands in a plan for approval, in as many steps as the agent wants.
	HandIn(plan string) []Step
	// MCP calls a tool of an MCP server.
	MCP(server, tool string, input map[string]any) Call
	// Unknown calls a tool that no agent has.
	Unknown() Call
}

// claudeTools spells calls for Claude Code. Its newer versions do not list every
// tool that they have in each request, so a tool is taken for granted unless an
// older one is on offer in its place.
type claudeTools struct {
	cwd     string
	offered []string
}

func (c claudeTools) has(name string) bool { return slices.Contains(c.offered, name) }

// path joins as text: scenarios may name a place outside with "..".
func (c claudeTools) path(file string) string {
	if path.IsAbs(file) {
		return file
	}
	return strings.TrimSuffix(c.cwd, "/") + "/" + file
}

func (c claudeTools) Shell(command string) Call {
	return call("Bash", map[string]any{"command": command, "description": "Run a command"})
}

func (c claudeTools) Write(file, content string) Call {
	return call("Write", map[string]any{"file_path": c.path(file), "content": content})
}

func (c claudeTools) Edit(file, before, after string) Call {
	return call("Edit", map[string]any{"file_path": c.path(file), "old_string": before, "new_string": after})
}

func (c claudeTools) Read(file string) Call {
	return call("Read", map[string]any{"file_path": c.path(file)})
}

func (c claudeTools) TodoPlan(items ...string) []Block {
	if c.has("TodoWrite") {
		return c.todoWrite(items, 0, "")
	}
	var blocks []Block
	for _, it := range items {
		blocks = append(blocks, call("TaskCreate", map[string]any{"subject": it, "description": it, "activeForm": it}))
	}
	return blocks
}

func (c claudeTools) TodoMark(items []string, number int, state string) []Block {
	if c.has("TodoWrite") {
		return c.todoWrite(items, number, state)
	}
	return []Block{call("TaskUpdate", map[string]any{"taskId": strconv.Itoa(number), "status": state})}
}

// todoWrite is the older spelling: the whole list each time.
func (c claudeTools) todoWrite(items []string, number int, state string) []Block {
	todos := []map[string]any{}
	for i, it := range items {
		todos = append(todos, map[string]any{"content": it, "status": listState(i+1, number, state), "activeForm": it})
	}
	return []Block{call("TodoWrite", map[string]any{"todos": todos})}
}

func (c claudeTools) Agent(prompt string) Call {
	name := "Agent"
	if !c.has(name) && c.has("Task") {
		name = "Task"
	}
	return call(name, map[string]any{"description": "Look around", "prompt": prompt, "subagent_type": "general-purpose"})
}

func (c claudeTools) Ask(question string, options ...string) Call {
	opts := []map[string]any{}
	for _, o := range options {
		opts = append(opts, map[string]any{"label": o, "description": "Use " + o})
	}
	return call("AskUserQuestion", map[string]any{"questions": []any{map[string]any{
		"question": question, "header": "Choice", "multiSelect": false, "options": opts,
	}}})
}

func (c claudeTools) HandIn(plan string) []Step {
	return []Step{say(Text("Here is my plan."), call("ExitPlanMode", map[string]any{"plan": plan}))}
}

func (c claudeTools) MCP(server, tool string, input map[string]any) Call {
	return call("mcp__"+server+"__"+tool, input)
}

func (c claudeTools) Unknown() Call { return call("NoSuchTool", map[string]any{"x": 1}) }

// listState is the state of an item of a list in which the one with the number
// has the given state and those before it are done.
func listState(item, number int, state string) string {
	switch {
	case item < number:
		return "completed"
	case item == number:
		return state
	default:
		return "pending"
	}
}

func call(name string, input map[string]any) Call {
	return Call{Name: name, Input: quoteJSON(input)}
}

func quoteJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // scenarios pass strings and numbers only
	}
	return b
}
