package claude

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/internal/jsonvalid"
	"signalbox/backend/prompt"
	"signalbox/backend/wire"
)

// translator turns the lines of one process into steps. See
// [dialog.Translator].
type translator struct {
	program  dialog.Program
	req      agent.Request
	pictures []dialog.Picture
	session  string // the CLI's session as last told
	model    string // of the last message of the main agent

	lanes map[string]*lane // the messages being written, by the tool call of a subagent; "" is the main agent
	tools map[string]*tool // the calls that have no result yet
	ended map[string]bool  // the calls that had their result
	todos todos
	usage usageSum
	turn  string // the last message of the main agent, to rewind to

	up     bool            // the CLI has answered
	began  bool            // a turn has begun: the session is there
	open   bool            // a turn is under way
	tasks  map[string]task // the work beside the turn
	wake   bool            // a turn will follow that nobody asked for
	result *resultLine     // the last end of a turn
	resets time.Time       // when the vendor's limit is lifted, if it was told
	failed struct {        // what the CLI wrote about a failed request
		code, kind, text string
	}
	mcpTold map[string]bool

	calls int  // all that began
	spoke bool // a line came
	lost  bool // the session to resume is not there; set by Finish
}

// task is work beside the turn: a subagent, a shell in the background.
type task struct {
	shell bool
	name  string
}

func newTranslator(p dialog.Program, req agent.Request) *translator {
	return &translator{
		program: p,
		req:     req,
		lanes:   map[string]*lane{},
		tools:   map[string]*tool{},
		ended:   map[string]bool{},
		tasks:   map[string]task{},
		mcpTold: map[string]bool{},
		open:    true, // the prompt is on its way
	}
}

// Begin implements [dialog.Translator].
func (t *translator) Begin(time.Time) dialog.Step {
	s := dialog.Step{Send: firstLines(prompt.WithSkills(prompt.TriggerSlash, t.req.Skills, t.req.Text), t.pictures)}
	t.pictures = nil // they may be large
	return s
}

// Interrupt implements [dialog.Translator].
func (t *translator) Interrupt(time.Time) dialog.Step {
	return dialog.Step{Send: [][]byte{interruptLine()}}
}

// Line implements [dialog.Translator].
func (t *translator) Line(b []byte, now time.Time) dialog.Step {
	t.spoke = true
	var o dialog.Step
	if err := t.dispatch(b, now, &o); err != nil {
		return dialog.Step{Odd: true} // all or nothing: half a line is not shown
	}
	return o
}

func (t *translator) dispatch(b []byte, now time.Time, o *dialog.Step) error {
	if !jsonvalid.Bytes(b) {
		return errShape
	}
	line := gjson.Parse(string(b))
	switch kind := line.Get("type").Str; kind {
	case "stream_event":
		l, err := readStream(line)
		if err == nil {
			t.stream(&l, o)
		}
		return err
	case "assistant":
		l, err := readAssistant(line)
		if err == nil {
			t.assistant(&l, now, o)
		}
		return err
	case "user":
		l, err := readUser(line)
		if err != nil {
			return err
		}
		return t.user(&l, now, o)
	case "system":
		return t.system(header{Subtype: line.Get("subtype").Str, Parent: line.Get("parent_tool_use_id").Str}, b, o)
	case "result":
		t.ending(b, o)
		return nil
	case "rate_limit_event":
		return with(b, func(l *rateLimitLine) error { t.rateLimit(l, o); return nil })
	case "control_request":
		if err := with(b, func(l *controlRequestLine) error { return t.request(l, now, o) }); err != nil {
			// It waits for an answer, also to what cannot be read.
			o.Odd = true
			o.Send = append(o.Send, refuseLine(line.Get("request_id").String(), line.Get("request.subtype").String()))
		}
		return nil
	case "control_cancel_request":
		return with(b, func(l *controlCancelLine) error { o.Withdrawn = append(o.Withdrawn, l.RequestID); return nil })
	case "control_response":
		t.up = true
		return nil
	case "conversation_reset":
		o.Emit(wire.System{
			Level: wire.LevelInfo, Code: "conversation_cleared",
			Text: "Claude Code cleared its conversation: what came before is no longer known to it.",
		})
		return nil
	default:
		return fmt.Errorf("line of type %.40q is not known", kind)
	}
}

// header is what a notice of the CLI is read by.
type header struct{ Subtype, Parent string }

func (t *translator) system(head header, b []byte, o *dialog.Step) error {
	switch head.Subtype {
	case "init":
		return with(b, func(l *initLine) error { t.init(l, o); return nil })
	case "api_retry":
		return with(b, func(l *retryLine) error { o.Emit(retryNotice(l)); return nil })
	case "task_started", "task_notification", "background_tasks_changed":
		return with(b, func(l *taskLine) error { t.task(head.Subtype, l, o); return nil })
	case "permission_denied":
		return with(b, func(l *noticeLine) error {
			t.notice(o, wire.LevelWarn, "permission_denied", l.Message, head.Parent)
			return nil
		})
	case "informational":
		return with(b, func(l *noticeLine) error {
			level := wire.LevelInfo
			if l.Level == "warning" || l.Level == "error" {
				level = wire.LevelWarn
			}
			t.notice(o, level, "notice", l.Content, head.Parent)
			return nil
		})
	case "status":
		return with(b, func(l *noticeLine) error {
			if string(l.Status) == `"compacting"` {
				o.Emit(wire.System{
					Level: wire.LevelInfo, Code: "compacting",
					Text: "Claude Code is summing up the conversation to make room.",
				})
			}
			return nil
		})
	case "compact_boundary":
		o.Emit(wire.System{
			Level: wire.LevelInfo, Code: "compacted",
			Text: "The conversation before this point was summed up to make room.",
		})
		return nil
	case "thinking_tokens", "task_progress", "task_updated", "model_refusal_no_fallback", "ui_invalidate":
		return nil // counters, and what another line tells in words
	default:
		return fmt.Errorf("system line of subtype %.40q is not known", head.Subtype)
	}
}

// init begins a turn; it is printed before each.
func (t *translator) init(l *initLine, o *dialog.Step) {
	t.up, t.began, t.open, t.wake = true, true, true, false
	t.failed.code, t.failed.kind, t.failed.text = "", "", ""
	if t.model == "" {
		t.model = l.Model
	}
	t.sessionIs(l.SessionID, l.Model, o)
	for _, s := range l.MCPServers {
		if s.Status == "failed" && !t.mcpTold[s.Name] {
			t.mcpTold[s.Name] = true
			o.Emit(wire.System{
				Level: wire.LevelWarn, Code: "mcp_failed",
				Text: fmt.Sprintf("The MCP server %s did not start; its tools are missing.", s.Name),
			})
		}
	}
}

// sessionIs tells the session, once for each.
func (t *translator) sessionIs(id, model string, o *dialog.Step) {
	if id == "" || id == t.session {
		return
	}
	first := t.session == ""
	t.session = id
	o.Emit(wire.Session{
		Agent: ID, SessionID: id, Model: model,
		Resumed: id == t.req.Session,
		Forked:  first && t.req.Session != "" && id != t.req.Session,
	})
}

// ending reads the end of a turn. It ends the turn whatever its fields are: those of
// another shape than is known are left out.
func (t *translator) ending(b []byte, o *dialog.Step) {
	var l resultLine
	if err := json.Unmarshal(b, &l); err != nil {
		o.Odd = true
		l.IsError = l.IsError || l.Subtype != "success"
	}
	t.end(&l)
}

// end is the end of a turn.
func (t *translator) end(l *resultLine) {
	t.up = true
	t.open = false
	t.result = l
	t.wake = l.QueuedTurns > 0
	t.usage.add(l, t.req.Session != "", t.model)
	t.lanes = map[string]*lane{}
}

func (t *translator) rateLimit(l *rateLimitLine, o *dialog.Step) {
	ev := wire.RateLimit{Scope: l.Info.Type, UsedShare: l.Info.Utilization}
	if l.Info.ResetsAt > 0 {
		at := time.Unix(l.Info.ResetsAt, 0).UTC()
		ev.ResetsAt = &wire.Time{Time: at}
		if l.Info.Status == "rejected" {
			t.resets = at
		}
	}
	o.Emit(ev)
}

// task keeps the list of work beside the turn. Only what was put into the
// background is told: a tool call that takes long is on the page anyway.
func (t *translator) task(subtype string, l *taskLine, o *dialog.Step) {
	known, was := t.tasks[l.TaskID]
	switch subtype {
	case "task_started":
		if l.Backgrounded {
			t.tasks[l.TaskID] = task{shell: l.TaskType == shellTask, name: l.Description}
			o.Emit(wire.System{
				Level: wire.LevelInfo, Code: "background_started",
				Text: "Goes on in the background: " + l.Description, ParentToolID: l.ToolUseID,
			})
		}
	case "task_notification":
		delete(t.tasks, l.TaskID)
		if was {
			t.wake = true
			level := wire.LevelInfo
			if l.Status != "completed" {
				level = wire.LevelWarn
			}
			o.Emit(wire.System{
				Level: level, Code: "background_ended",
				Text: fmt.Sprintf("In the background, %s: %s", l.Status, known.name), ParentToolID: l.ToolUseID,
			})
		}
	case "background_tasks_changed":
		// The list is the truth: what it does not name is over, and what it
		// names anew was put aside without a start of its own.
		now := make(map[string]task, len(l.Tasks))
		for _, running := range l.Tasks {
			entry := t.tasks[running.TaskID]
			entry.shell = running.TaskType == shellTask
			now[running.TaskID] = entry
		}
		for id, entry := range t.tasks {
			if _, ok := now[id]; !ok && !entry.shell {
				t.wake = true
			}
		}
		t.tasks = now
	}
}

// shellTask is the type of a command that runs in the background.
const shellTask = "local_bash"

// State implements [dialog.Translator].
//
// Subagents in the background are waited for, with stdin open, because they may
// ask for leave and their end wakes the model. A shell in the background is
// not: a server that was started there never ends, and a run that never ends is
// worse than one that ends its own server.
func (t *translator) State() dialog.State {
	return dialog.State{Stage: t.stage()}
}

func (t *translator) stage() dialog.Stage {
	switch {
	case !t.up:
		return dialog.Starting
	case t.open:
		return dialog.Turning
	}
	for _, entry := range t.tasks {
		if !entry.shell {
			return dialog.Beside
		}
	}
	if t.wake {
		return dialog.Waking
	}
	return dialog.Over
}

// sessionLost reports whether the process ended because the session to resume
// is not there: an end of a turn that never began.
func (t *translator) sessionLost() bool {
	return t.req.Session != "" && !t.began && t.result != nil && t.result.IsError
}

func (t *translator) notice(o *dialog.Step, level wire.Level, code string, raw json.RawMessage, parent string) {
	var text string
	if json.Unmarshal(raw, &text) == nil && strings.TrimSpace(text) != "" {
		o.Emit(wire.System{Level: level, Code: code, Text: text, ParentToolID: parent})
	}
}

func retryNotice(l *retryLine) wire.System {
	why := "did not answer"
	if l.ErrorStatus != nil {
		why = fmt.Sprintf("answered with an error (%d)", *l.ErrorStatus)
	}
	return wire.System{
		Level: wire.LevelWarn, Code: "api_retry",
		Text: fmt.Sprintf("The model %s. Claude Code tries again in %s (%d of %d).",
			why, time.Duration(l.DelayMS*float64(time.Millisecond)).Round(100*time.Millisecond), l.Attempt, l.MaxRetries),
	}
}

// with reads b as an L and calls f with it.
func with[L any](b []byte, f func(*L) error) error {
	var l L
	if err := json.Unmarshal(b, &l); err != nil {
		return err
	}
	return f(&l)
}
