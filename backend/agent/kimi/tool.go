package kimi

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// tailBytes is how much of a tool's input is shown while it is written.
const tailBytes = 512

// tool is a call without a result yet.
type tool struct {
	id, name string
	kind     string // the CLI's: read, edit, execute, ...
	written  string // its input as far as it is written
	input    json.RawMessage
	diff     []part // the changes of files that it would make
	begun    bool   // it was told
	since    time.Time
	order    int
}

// update translates news of our session.
func (t *translator) update(u *update, now time.Time) dialog.Step {
	var s dialog.Step
	switch u.Kind {
	case "agent_message_chunk":
		t.piece(false, u.text(), &s)
	case "agent_thought_chunk":
		t.piece(true, u.text(), &s)
	case "tool_call":
		t.closeText()
		t.called(u, now)
		t.progressed(u, now, &s)
	case "tool_call_update":
		t.progressed(u, now, &s)
	case "plan":
		s.Emit(wire.Todo{Items: todo(u.Entries)})
	case "usage_update":
		t.context.used, t.context.size = u.Used, u.Size
	case "current_mode_update", "config_option_update", "available_commands_update", "session_info_update",
		"user_message_chunk":
		// What we set, and what a person needs nothing of.
	default:
		s.Odd = true
	}
	return s
}

// called is a call of which only the name is known.
func (t *translator) called(u *update, now time.Time) {
	if u.ToolCallID == "" || t.tools[u.ToolCallID] != nil || t.ended[u.ToolCallID] || len(t.tools) >= maxOpen {
		return
	}
	t.order++
	t.tools[u.ToolCallID] = &tool{id: u.ToolCallID, name: u.Title, kind: u.ToolKind, since: now, order: t.order}
}

// progressed is news of a call: its input is being written, it begins, it ends.
func (t *translator) progressed(u *update, now time.Time, s *dialog.Step) {
	call := t.tools[u.ToolCallID]
	if call == nil {
		if u.Kind == "tool_call" || t.ended[u.ToolCallID] || u.ToolCallID == "" {
			return // again, or without an id
		}
		t.called(u, now) // its beginning was not seen
		if call = t.tools[u.ToolCallID]; call == nil {
			return
		}
	}
	if u.ToolKind != "" {
		call.kind = u.ToolKind
	}
	if diffs := diffsOf(u.parts()); len(diffs) > 0 {
		call.diff = diffs
	}
	switch {
	case u.Status == "completed" || u.Status == "failed":
		t.begin(call, s)
		t.finish(call, u, now, s)
	case len(u.Input) > 0:
		call.input = u.Input
		if !call.begun {
			call.since = now
		}
		t.begin(call, s)
	case !call.begun:
		call.written = u.text()
		if call.written != "" {
			s.Frames = append(s.Frames, call.writing())
		}
	}
}

// writing shows how much of the input is written.
func (c *tool) writing() wire.ToolUseInput {
	tail := c.written
	if cut := len(tail) - tailBytes; cut > 0 {
		for cut < len(tail) && !utf8.RuneStart(tail[cut]) {
			cut++
		}
		tail = tail[cut:]
	}
	_, name := dialog.ToolName(c.name)
	return wire.ToolUseInput{ToolID: c.id, Name: name, Bytes: int64(len(c.written)), Tail: tail}
}

// begin tells a call, once.
func (t *translator) begin(call *tool, s *dialog.Step) {
	if call.begun {
		return
	}
	call.begun = true
	if call.name == "" {
		call.name = "unknown"
	}
	if len(call.input) == 0 {
		call.input = json.RawMessage(`{}`)
		if w := strings.TrimSpace(call.written); strings.HasPrefix(w, "{") && json.Valid([]byte(w)) {
			call.input = json.RawMessage(w)
		}
	}
	server, name := dialog.ToolName(call.name)
	s.Emit(wire.ToolUseStart{ToolID: call.id, Name: name, Server: server, Input: call.input})
}

func (t *translator) finish(call *tool, u *update, now time.Time, s *dialog.Step) {
	delete(t.tools, call.id)
	if len(t.ended) < maxOpen {
		t.ended[call.id] = true
	}
	output := u.text()
	var raw string
	if json.Unmarshal(u.Output, &raw) == nil {
		output = raw
	}
	failed := u.Status == "failed"
	_, name := dialog.ToolName(call.name)
	end := wire.ToolUseEnd{
		ToolID: call.id, Name: name, OK: !failed, Output: output, ExitCode: exitCode(failed, output),
		MS: max(0, now.Sub(call.since).Milliseconds()),
	}
	if len(call.diff) > 0 {
		if b, err := json.Marshal(map[string]string{
			"path": call.diff[0].Path, "oldText": call.diff[0].Old, "newText": call.diff[0].New,
		}); err == nil {
			end.Detail = b
		}
	}
	s.Emit(end)
}

// exitLine is how the CLI tells the exit code of a command that failed. It tells
// it nowhere else.
var exitLine = regexp.MustCompile(`Command failed with exit code: (\d{1,3})\.`)

func exitCode(failed bool, output string) *int {
	all := exitLine.FindAllStringSubmatch(output, -1)
	if !failed || len(all) == 0 {
		return nil
	}
	n, err := strconv.Atoi(all[len(all)-1][1])
	if err != nil {
		return nil
	}
	return &n
}

// closeTools ends the calls that will get no result, the oldest first.
func (t *translator) closeTools(why string, now time.Time) []wire.Event {
	open := make([]*tool, 0, len(t.tools))
	for _, call := range t.tools {
		open = append(open, call)
	}
	slices.SortFunc(open, func(a, b *tool) int { return a.order - b.order })
	var events []wire.Event
	for _, call := range open {
		delete(t.tools, call.id)
		if !call.begun {
			continue // nobody has seen it
		}
		_, name := dialog.ToolName(call.name)
		events = append(events, wire.ToolUseEnd{
			ToolID: call.id, Name: name, Output: why, MS: max(0, now.Sub(call.since).Milliseconds()),
		})
	}
	return events
}

func todo(entries []entry) []wire.TodoItem {
	items := make([]wire.TodoItem, 0, len(entries))
	for _, e := range entries {
		status := wire.TodoPending
		switch e.Status {
		case "in_progress":
			status = wire.TodoInProgress
		case "completed":
			status = wire.TodoCompleted
		}
		items = append(items, wire.TodoItem{Text: e.Content, Status: status})
	}
	return items
}

// diffsOf returns the changes of files among parts.
func diffsOf(parts []part) []part {
	var diffs []part
	for _, p := range parts {
		if p.Type == "diff" {
			diffs = append(diffs, p)
		}
	}
	return diffs
}
