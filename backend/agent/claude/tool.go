package claude

import (
	"encoding/json"
	"regexp"
	"strconv"
	"time"

	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// tool is a call without a result yet.
type tool struct {
	name   string // the CLI's
	parent string
	input  json.RawMessage
	// since is when it began, or when it got its leave: waiting for a person
	// is not the tool's time.
	since time.Time
	order int
}

func (t *translator) toolStart(b *block, parent string, now time.Time, o *dialog.Step) {
	if _, ok := t.tools[b.ID]; ok || t.ended[b.ID] || b.ID == "" {
		return // the same call again, or none
	}
	if b.Name == "" {
		b.Name = "unknown"
	}
	input := b.Input
	if len(input) == 0 {
		input = json.RawMessage(`{}`)
	}
	t.calls++
	t.tools[b.ID] = &tool{name: b.Name, parent: parent, input: input, since: now, order: t.calls}
	server, name := dialog.ToolName(b.Name)
	o.Emit(wire.ToolUseStart{ToolID: b.ID, Name: name, Server: server, Input: input, ParentToolID: parent})
}

// user is a line in the person's place: the results of tools. Texts there are
// the CLI's notes to the model and the prompts of subagents, which are seen
// elsewhere.
func (t *translator) user(l *userResultLine, now time.Time, o *dialog.Step) error {
	list := l.Message.Content
	results := 0
	for _, b := range list {
		if b.Type == "tool_result" {
			results++
		}
	}
	for i := range list {
		if list[i].Type != "tool_result" {
			continue
		}
		var detail json.RawMessage
		if results == 1 && l.Detail != "" {
			detail = detailOf(l.Detail, list[i].Content.Raw)
		}
		if err := t.toolEnd(&list[i], detail, l.Parent, now, o); err != nil {
			return err
		}
	}
	return nil
}

func (t *translator) toolEnd(b *block, detail json.RawMessage, parent string, now time.Time, o *dialog.Step) error {
	text, err := joinText(b.Content)
	if err != nil {
		return err
	}
	call, ok := t.tools[b.ToolUseID]
	if !ok {
		// Its start was not seen, for example because the line was cut off.
		t.toolStart(&block{ID: b.ToolUseID}, parent, now, o)
		if call = t.tools[b.ToolUseID]; call == nil {
			return nil // a second result, or one of nothing
		}
	}
	delete(t.tools, b.ToolUseID)
	t.ended[b.ToolUseID] = true
	_, name := dialog.ToolName(call.name)
	o.Emit(wire.ToolUseEnd{
		ToolID: b.ToolUseID, Name: name, OK: !b.IsError,
		Output: text, Detail: detail, ExitCode: exitCode(b.IsError, text),
		MS: max(0, now.Sub(call.since).Milliseconds()), ParentToolID: call.parent,
	})
	if !b.IsError && t.todos.apply(call, detail) {
		o.Emit(wire.Todo{Items: t.todos.items(call), ParentToolID: t.todos.owner(call)})
	}
	return nil
}

// exitLine is how the CLI begins the result of a command that failed. It tells
// the exit code nowhere else.
var exitLine = regexp.MustCompile(`^Exit code (\d{1,3})(?:\n|$)`)

func exitCode(failed bool, text string) *int {
	m := exitLine.FindStringSubmatch(text)
	if !failed || m == nil {
		return nil
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return nil
	}
	return &n
}

// closeTools ends the calls that will get no result, the oldest first.
func (t *translator) closeTools(why string, now time.Time) []wire.Event {
	var events []wire.Event
	for len(t.tools) > 0 {
		var first string
		for id, call := range t.tools {
			if first == "" || call.order < t.tools[first].order || call.order == t.tools[first].order && id < first {
				first = id
			}
		}
		call := t.tools[first]
		delete(t.tools, first)
		_, name := dialog.ToolName(call.name)
		events = append(events, wire.ToolUseEnd{
			ToolID: first, Name: name, Output: why,
			MS: max(0, now.Sub(call.since).Milliseconds()), ParentToolID: call.parent,
		})
	}
	return events
}
