package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

// translator turns the lines of one process into events. It does no I/O and
// knows no clock: the same lines at the same times give the same events. One
// goroutine uses it.
type translator struct {
	req     agent.Request
	session string // the CLI's session as last told
	model   string // of the last message of the main agent

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

	lines   int            // all
	unknown map[string]int // lines of a type that is not known here
	garbage int            // lines that are no JSON object
	told    bool           // that there was garbage
}

// task is work beside the turn: a subagent, a shell in the background.
type task struct {
	shell bool
	name  string
}

// output is what one line means.
type output struct {
	events []wire.Event
	frames []wire.Frame
	asks   []permissionRequest // each is answered, unless it is withdrawn
	// withdrawn are the asks that need no answer any more.
	withdrawn []string
	replies   [][]byte // lines to write back at once
	// odd is set for a line that is not understood.
	odd bool
}

func (o *output) emit(ev wire.Event) { o.events = append(o.events, ev) }

func newTranslator(req agent.Request) *translator {
	return &translator{
		req:     req,
		lanes:   map[string]*lane{},
		tools:   map[string]*tool{},
		ended:   map[string]bool{},
		tasks:   map[string]task{},
		mcpTold: map[string]bool{},
		unknown: map[string]int{},
		open:    true, // the prompt is on its way
	}
}

// line translates one line of stdout. The line may be reused afterwards.
func (t *translator) line(b []byte, now time.Time) output {
	var o output
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return o
	}
	t.lines++
	if !utf8.Valid(b) {
		// Parts of a line go into events as they are.
		b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	}
	head := peek(b)
	err := t.dispatch(head, b, now, &o)
	if err == nil {
		return o
	}
	o = output{odd: true} // all or nothing: half a line is not shown
	if b[0] == '{' && json.Valid(b) {
		t.unknown[head.name()]++
		return o
	}
	t.garbage++
	if b[0] != '{' && !t.told {
		// Half a line of the protocol, where a process broke off, is no news:
		// the end of the run tells it.
		t.told = true
		o.emit(wire.System{
			Level: wire.LevelWarn, Code: "garbage",
			Text: "Claude Code printed something that is not part of its protocol. It was left out.",
		})
	}
	return o
}

func (t *translator) dispatch(head header, b []byte, now time.Time, o *output) error {
	switch head.Type {
	case "stream_event":
		return with(b, func(l *streamLine) error { t.stream(l, o); return nil })
	case "assistant":
		return with(b, func(l *assistantLine) error { return t.assistant(l, now, o) })
	case "user":
		return with(b, func(l *userResultLine) error { return t.user(l, now, o) })
	case "system":
		return t.system(head, b, o)
	case "result":
		return with(b, func(l *resultLine) error { t.end(l); return nil })
	case "rate_limit_event":
		return with(b, func(l *rateLimitLine) error { t.rateLimit(l, o); return nil })
	case "control_request":
		return with(b, func(l *controlRequestLine) error { return t.request(l, now, o) })
	case "control_cancel_request":
		return with(b, func(l *controlCancelLine) error { o.withdrawn = append(o.withdrawn, l.RequestID); return nil })
	case "control_response":
		t.up = true
		return nil
	case "conversation_reset":
		o.emit(wire.System{
			Level: wire.LevelInfo, Code: "conversation_cleared",
			Text: "Claude Code cleared its conversation: what came before is no longer known to it.",
		})
		return nil
	default:
		return fmt.Errorf("line of type %.40q is not known", head.Type)
	}
}

func (t *translator) system(head header, b []byte, o *output) error {
	switch head.Subtype {
	case "init":
		return with(b, func(l *initLine) error { t.init(l, o); return nil })
	case "api_retry":
		return with(b, func(l *retryLine) error { o.emit(retryNotice(l)); return nil })
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
				o.emit(wire.System{
					Level: wire.LevelInfo, Code: "compacting",
					Text: "Claude Code is summing up the conversation to make room.",
				})
			}
			return nil
		})
	case "compact_boundary":
		o.emit(wire.System{
			Level: wire.LevelInfo, Code: "compacted",
			Text: "The conversation before this point was summed up to make room.",
		})
		return nil
	case "thinking_tokens", "task_progress", "task_updated", "model_refusal_no_fallback":
		return nil // counters, and what another line tells in words
	default:
		return fmt.Errorf("system line of subtype %.40q is not known", head.Subtype)
	}
}

// init begins a turn; it is printed before each.
func (t *translator) init(l *initLine, o *output) {
	t.up, t.began, t.open, t.wake = true, true, true, false
	t.failed.code, t.failed.kind, t.failed.text = "", "", ""
	if t.model == "" {
		t.model = l.Model
	}
	t.sessionIs(l.SessionID, l.Model, o)
	for _, s := range l.MCPServers {
		if s.Status == "failed" && !t.mcpTold[s.Name] {
			t.mcpTold[s.Name] = true
			o.emit(wire.System{
				Level: wire.LevelWarn, Code: "mcp_failed",
				Text: fmt.Sprintf("The MCP server %s did not start; its tools are missing.", s.Name),
			})
		}
	}
}

// sessionIs tells the session, once for each.
func (t *translator) sessionIs(id, model string, o *output) {
	if id == "" || id == t.session {
		return
	}
	first := t.session == ""
	t.session = id
	o.emit(wire.Session{
		Agent: ID, SessionID: id, Model: model,
		Resumed: id == t.req.Session,
		Forked:  first && t.req.Session != "" && id != t.req.Session,
	})
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

func (t *translator) rateLimit(l *rateLimitLine, o *output) {
	ev := wire.RateLimit{Scope: l.Info.Type, UsedShare: l.Info.Utilization}
	if l.Info.ResetsAt > 0 {
		at := time.Unix(l.Info.ResetsAt, 0).UTC()
		ev.ResetsAt = &wire.Time{Time: at}
		if l.Info.Status == "rejected" {
			t.resets = at
		}
	}
	o.emit(ev)
}

// task keeps the list of work beside the turn. Only what was put into the
// background is told: a tool call that takes long is on the page anyway.
func (t *translator) task(subtype string, l *taskLine, o *output) {
	known, was := t.tasks[l.TaskID]
	switch subtype {
	case "task_started":
		if l.Backgrounded {
			t.tasks[l.TaskID] = task{shell: l.TaskType == shellTask, name: l.Description}
			o.emit(wire.System{
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
			o.emit(wire.System{
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

// stage is what the process is doing, as far as its lines tell.
type stage int

const (
	stageTurn  stage = iota // a turn is under way
	stageTasks              // subagents work in the background
	stageWake               // the CLI should begin a turn by itself
	stageDone               // nothing more is expected
)

// stage tells whether stdin may be closed.
//
// Subagents in the background are waited for, with stdin open, because they may
// ask for leave and their end wakes the model. A shell in the background is
// not: a server that was started there never ends, and a run that never ends is
// worse than one that ends its own server.
func (t *translator) stage() stage {
	if t.open {
		return stageTurn
	}
	for _, entry := range t.tasks {
		if !entry.shell {
			return stageTasks
		}
	}
	if t.wake {
		return stageWake
	}
	return stageDone
}

// sessionLost reports whether the process ended because the session to resume
// is not there: an end of a turn that never began.
func (t *translator) sessionLost() bool {
	return t.req.Session != "" && !t.began && t.result != nil && t.result.IsError
}

func (t *translator) notice(o *output, level wire.Level, code string, raw json.RawMessage, parent string) {
	var text string
	if json.Unmarshal(raw, &text) == nil && strings.TrimSpace(text) != "" {
		o.emit(wire.System{Level: level, Code: code, Text: text, ParentToolID: parent})
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

// strange lists the types of the lines that were not understood, most first.
func (t *translator) strange() []string {
	names := make([]string, 0, len(t.unknown))
	for name := range t.unknown {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := t.unknown[b] - t.unknown[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return names
}

// name is the line's type for a count, cut so that odd input stays small.
func (h header) name() string {
	name := h.Type
	if h.Subtype != "" {
		name += "/" + h.Subtype
	}
	if len(name) > 80 {
		name = strings.ToValidUTF8(name[:80], "")
	}
	return name
}

// with reads b as an L and calls f with it.
func with[L any](b []byte, f func(*L) error) error {
	var l L
	if err := json.Unmarshal(b, &l); err != nil {
		return err
	}
	return f(&l)
}
