package codex

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// The types of items that are treated apart.
const (
	itemCommand  = "commandExecution"
	itemPatch    = "fileChange"
	itemMCP      = "mcpToolCall"
	itemSubagent = "subAgentActivity"
)

// tool is a call without a result yet.
type tool struct {
	item   *item
	parent string
	since  time.Time
	order  int
}

// item translates the start or the end of an item of a thread.
func (t *translator) item(done bool, it *item, thread string, now time.Time, s *dialog.Step) {
	parent := t.parents[thread]
	switch it.Type {
	case "userMessage", "hookPrompt", "functionCallOutput":
	case "agentMessage", "plan":
		if !done {
			break
		}
		if it.Type == "plan" && parent == "" {
			t.plan = it.Text
		}
		t.complete(kindText, it.ID, thread, it.Text, s)
	case "reasoning":
		if done {
			t.complete(kindThinking, it.ID, thread, strings.Join(it.Summary, partBreak), s)
		}
	case "contextCompaction":
		if done {
			s.Emit(wire.System{
				Level: wire.LevelInfo, Code: "compacted", ParentToolID: parent,
				Text: "The conversation before this point was summed up to make room.",
			})
		}
	case itemSubagent:
		t.subagent(done, it, thread, now, s)
	default:
		t.begin(it, parent, now, s)
		if done {
			t.finishTool(it, now, s)
		}
	}
}

// subagent follows a subagent: the call that began it stays open until it ends.
func (t *translator) subagent(done bool, it *item, thread string, now time.Time, s *dialog.Step) {
	call := t.parents[it.AgentThreadID]
	switch {
	case call == "" && it.Kind == "started":
		if it.AgentThreadID != "" && len(t.parents) < maxOpen {
			t.parents[it.AgentThreadID] = it.ID
			t.begin(it, t.parents[thread], now, s)
		}
	case !done || it.Kind == "started" || it.Kind == "interacted" || t.tools[call] == nil:
	default:
		end := *t.tools[call].item
		end.Status = it.Kind
		words := t.said[it.AgentThreadID]
		end.Output = &words
		delete(t.said, it.AgentThreadID)
		t.finishTool(&end, now, s)
	}
}

// begin starts a tool, unless it did already.
func (t *translator) begin(it *item, parent string, now time.Time, s *dialog.Step) {
	if t.tools[it.ID] != nil || t.ended[it.ID] || len(t.tools) >= maxOpen {
		return
	}
	t.order++
	t.tools[it.ID] = &tool{item: it, parent: parent, since: now, order: t.order}
	s.Emit(wire.ToolUseStart{ToolID: it.ID, Name: toolName(it), Server: it.Server, Input: toolInput(it), ParentToolID: parent})
}

// finishTool ends a tool that began.
func (t *translator) finishTool(it *item, now time.Time, s *dialog.Step) {
	call := t.tools[it.ID]
	if call == nil {
		return
	}
	delete(t.tools, it.ID)
	if len(t.ended) < maxOpen {
		t.ended[it.ID] = true
	}
	end := t.toolEnd(it, call, now)
	s.Emit(end)
	if it.Type == itemCommand && !end.OK && noSandbox.MatchString(end.Output) {
		e := t.program.Failure(dialog.CodeSandbox, "")
		t.warn(s, wire.LevelWarn, e.Code, e.Message+" "+e.Hint)
	}
}

// noSandbox is how the helper of the sandbox complains, in place of a command's
// output, that it cannot make one.
var noSandbox = regexp.MustCompile(`^bwrap: .*(?:namespace|permission|not permitted|No such file)`)

// closeTools ends the tools that will get no result, the oldest first: an
// interrupt and a broken stream leave every item open.
func (t *translator) closeTools(s *dialog.Step, why string, now time.Time) {
	open := make([]*tool, 0, len(t.tools))
	for _, call := range t.tools {
		open = append(open, call)
	}
	slices.SortFunc(open, func(a, b *tool) int { return a.order - b.order })
	for _, call := range open {
		delete(t.tools, call.item.ID)
		t.ended[call.item.ID] = true
		s.Emit(wire.ToolUseEnd{
			ToolID: call.item.ID, Name: toolName(call.item), Output: why, MS: t.took(call, now), ParentToolID: call.parent,
		})
	}
}

// took is how long a tool has worked: waiting for a person is not its time.
func (t *translator) took(call *tool, now time.Time) int64 {
	since := call.since
	if g := t.granted[call.item.ID]; g.After(since) {
		since = g
	}
	return max(0, now.Sub(since).Milliseconds())
}

func toolName(it *item) string {
	switch it.Type {
	case itemMCP:
		if it.Tool != "" {
			return it.Tool
		}
	case itemSubagent:
		return "subagent"
	}
	return it.Type
}

// toolInput is what a person wants to see of a call before it ends. Of an item
// of a type that is not known it is the whole item.
func toolInput(it *item) json.RawMessage {
	switch it.Type {
	case itemCommand:
		return mustJSON(map[string]string{"command": shellWord(it.Command), "cwd": it.Cwd})
	case itemPatch:
		return mustJSON(map[string]any{"changes": it.Changes})
	case itemSubagent:
		return mustJSON(map[string]string{"agent": it.AgentPath, "model": it.Model})
	case itemMCP:
		if len(it.Arguments) == 0 {
			return json.RawMessage(`{}`)
		}
		return it.Arguments
	default:
		return it.raw
	}
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the values were read from JSON
	}
	return b
}

func (t *translator) toolEnd(it *item, call *tool, now time.Time) wire.ToolUseEnd {
	end := wire.ToolUseEnd{
		ToolID: it.ID, Name: toolName(it), OK: it.Status == "completed" || it.Status == "",
		ExitCode: it.ExitCode, MS: t.took(call, now), ParentToolID: call.parent,
	}
	if it.Output != nil {
		end.Output = *it.Output
	}
	switch {
	case it.Status == "declined":
		end.Output = "It was not allowed."
	case it.Type == itemMCP:
		end.Output = it.Result.text()
		if it.Result != nil && len(it.Result.Structured) > 0 && string(it.Result.Structured) != "null" {
			end.Detail = it.Result.Structured
		}
		if it.Error != nil {
			end.Output = it.Error.Message
		}
	case it.Type == itemPatch:
		end.Detail = toolInput(it)
	case it.Type == itemCommand && it.ExitCode != nil && *it.ExitCode != 0:
		end.OK = false
	}
	return end
}

// shellWord takes the command out of the shell that the server wraps it in:
// /bin/bash -lc 'echo hi'. What is not of that form, or of a shell that does not
// lie where the system's do, stays as it is.
func shellWord(command string) string {
	for _, dir := range []string{"", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"} {
		for _, shell := range []string{"bash", "zsh", "sh"} {
			rest, ok := strings.CutPrefix(command, dir+shell+" -lc ")
			if !ok {
				continue
			}
			if word, ok := unquote(rest); ok {
				return word
			}
			return rest
		}
	}
	return command
}

// unquote reads one word of a shell in either kind of quotes, as the server
// writes it.
func unquote(s string) (string, bool) {
	if len(s) < 2 {
		return "", false
	}
	switch inner := s[1 : len(s)-1]; {
	case s[0] == '\'' && s[len(s)-1] == '\'':
		inner = strings.ReplaceAll(inner, `'"'"'`, `'`)
		return strings.ReplaceAll(inner, `'\''`, `'`), true
	case s[0] == '"' && s[len(s)-1] == '"':
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\$`, `$`, "\\`", "`").Replace(inner), true
	}
	return "", false
}

// paths returns the files that a patch writes, cleaned and absolute.
func paths(changes []change, cwd string) []string {
	var list []string
	for _, c := range changes {
		for _, p := range []string{c.Path, c.Kind.MovePath} {
			if p != "" {
				list = append(list, absolute(p, cwd))
			}
		}
	}
	return list
}

func absolute(p, cwd string) string {
	if !filepath.IsAbs(p) {
		p = filepath.Join(cwd, p)
	}
	return filepath.Clean(p)
}

func patchTitle(it *item) string {
	if len(it.Changes) == 0 {
		return "Change files"
	}
	title := filepath.Base(it.Changes[0].Path)
	if len(it.Changes) > 1 {
		title += " and more files"
	}
	return title
}

func todo(plan []planStep) []wire.TodoItem {
	items := make([]wire.TodoItem, 0, len(plan))
	for _, s := range plan {
		status := wire.TodoPending
		switch s.Status {
		case "inProgress":
			status = wire.TodoInProgress
		case "completed":
			status = wire.TodoCompleted
		}
		items = append(items, wire.TodoItem{Text: s.Step, Status: status})
	}
	return items
}

func rateLimits(l *limits) []wire.Event {
	if l == nil {
		return nil
	}
	var events []wire.Event
	for _, w := range []*window{l.Primary, l.Secondary} {
		if w == nil {
			continue
		}
		share := w.UsedPercent / 100
		limit := wire.RateLimit{Scope: w.name(), UsedShare: &share}
		if w.ResetsAt > 0 {
			limit.ResetsAt = &wire.Time{Time: time.Unix(w.ResetsAt, 0).UTC()}
		}
		events = append(events, limit)
	}
	return events
}
