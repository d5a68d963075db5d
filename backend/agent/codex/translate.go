package codex

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/agent/jsonrpc"
	"signalbox/backend/prompt"
	"signalbox/backend/wire"
)

// retryLimit is how long a turn may try again without getting anywhere. The CLI
// itself waits for a network without end.
const retryLimit = 2 * time.Minute

// maxOpen bounds how many items, threads and messages are kept at once: a turn
// has a few.
const maxOpen = 10_000

// translator turns the lines of one run into steps. See [dialog.Translator].
type translator struct {
	program dialog.Program
	req     agent.Request
	rpc     dialog.RPC[params]

	opened opened // the thread, once it is started or resumed
	turn   string // the running turn, or the last; "" before it is known
	stage  dialog.Stage

	texts    map[string]*text     // open messages, by item
	givenUp  []*text              // messages that a broken stream left open
	tools    map[string]*tool     // open tools, by item
	ended    map[string]bool      // tools that ended
	parents  map[string]string    // the tool that began a subagent, by its thread
	busy     map[string]bool      // the threads of subagents that work
	said     map[string]string    // the last message of each subagent, by its thread
	counted  map[string]tokens    // the last total of each thread
	used     tokens               // of this run, over all threads
	context  usage                // of the main thread's last call
	plan     string               // the plan that the turn ended with, if any
	failed   *turnError           // the last failure that is not tried again
	limits   *limits              // of the account, as last told
	end      *turn                // how our turn ended
	retries  retries              // since the last progress
	remarks  []string             // of people, for the next turn
	stopping bool                 // the run was stopped: no further turn follows
	mode     wire.Mode            // of the turn
	told     map[string]bool      // warnings that were told
	granted  map[string]time.Time // when a tool got its leave
	progress dialog.Progress
	order    int
}

// retries is a row of attempts that got nowhere, and why the last one did.
type retries struct {
	since time.Time // zero while there is none
	why   *turnError
}

func newTranslator(p dialog.Program, req agent.Request) *translator {
	t := &translator{
		program: p, req: req,
		texts: map[string]*text{}, tools: map[string]*tool{}, ended: map[string]bool{},
		parents: map[string]string{}, busy: map[string]bool{}, said: map[string]string{},
		counted: map[string]tokens{}, told: map[string]bool{}, granted: map[string]time.Time{},
	}
	t.rpc = dialog.RPC[params]{
		Peer: jsonrpc.New(jsonrpc.Unmarked), Result: t.result, Failure: t.refused, Request: t.request, Notice: t.notice,
	}
	return t
}

// Begin implements [dialog.Translator].
func (t *translator) Begin(time.Time) dialog.Step {
	var s dialog.Step
	t.rpc.Call(&s, "initialize", initialize())
	return s
}

// State implements [dialog.Translator].
func (t *translator) State() dialog.State {
	s := dialog.State{Stage: t.stage}
	if t.stage == dialog.Over && len(t.busy) > 0 {
		s.Stage = dialog.Beside // subagents work on
	}
	if t.stage == dialog.Turning && !t.retries.since.IsZero() {
		s.Until, s.Code = t.retries.since.Add(retryLimit), dialog.CodeUnreachable
	}
	return s
}

// Interrupt implements [dialog.Translator].
func (t *translator) Interrupt(time.Time) dialog.Step {
	t.stopping = true
	var s dialog.Step
	if t.opened.Thread.ID != "" && t.turn != "" {
		t.rpc.Call(&s, "turn/interrupt", map[string]string{"threadId": t.opened.Thread.ID, "turnId": t.turn})
	}
	return s
}

// Line implements [dialog.Translator].
func (t *translator) Line(b []byte, now time.Time) dialog.Step {
	t.progress.Spoke = true
	return t.rpc.Line(b, now)
}

// result goes on to the next step of the set-up.
func (t *translator) result(m jsonrpc.Message, _ time.Time) dialog.Step {
	var s dialog.Step
	switch m.Method {
	case "initialize":
		t.stage = dialog.Turning
		t.rpc.Notify(&s, "initialized", nil)
		t.open(&s)
	case "thread/start", "thread/resume", "thread/fork":
		if json.Unmarshal(m.Params, &t.opened) != nil || t.opened.Thread.ID == "" {
			t.over("Codex opened a thread without an id.")
			s.Odd = true
			break
		}
		s.Emit(wire.Session{
			Agent: ID, SessionID: t.opened.Thread.ID, Model: t.opened.Model,
			Resumed: m.Method == "thread/resume", Forked: m.Method == "thread/fork",
		})
		t.start(&s, t.req.Selection.Mode, prompt.WithSkills(prompt.TriggerDollar, t.req.Skills, t.req.Text))
	case "turn/start":
		var p params
		if json.Unmarshal(m.Params, &p) == nil && p.Turn != nil {
			t.began(p.Turn.ID)
		}
	case "thread/backgroundTerminals/clean":
		t.stage = dialog.Over
	}
	return s
}

// refused is a request of ours that the server did not take.
func (t *translator) refused(m jsonrpc.Message, _ time.Time) dialog.Step {
	var s dialog.Step
	switch m.Method {
	case "thread/resume", "thread/fork":
		if strings.Contains(m.Error.Message, "active writer") {
			t.over(m.Error.Message)
			break
		}
		s.Emit(dialog.Lost(t.program.Name, t.req))
		t.req = dialog.Anew(t.req)
		t.open(&s)
	case "initialize", "thread/start", "turn/start":
		t.over(m.Error.Message)
	case "thread/backgroundTerminals/clean":
		t.stage = dialog.Over
	}
	return s // an interrupt that came too late changes nothing
}

// over ends the run before the turn did.
func (t *translator) over(message string) {
	t.stage = dialog.Over
	if t.end == nil {
		t.end = &turn{Status: turnFailed, Error: &turnError{Message: message}}
	}
}

// open starts a thread, or resumes or copies the one that the request names.
func (t *translator) open(s *dialog.Step) {
	p := policyOf(t.req.Selection.Mode)
	method, session, turn := "thread/start", t.req.Session, ""
	switch {
	case session == "":
	case t.req.Fork:
		method, turn = "thread/fork", t.req.Turn
	default:
		method = "thread/resume"
	}
	t.rpc.Call(s, method, threadParams{
		ThreadID: session, LastTurnID: turn, ExcludeTurns: session != "", Cwd: t.req.Cwd, Model: chosen(t.req.Selection.Model),
		Approval: p.approval, Sandbox: p.sandbox, Config: settings(t.req.Servers),
	})
}

// start starts a turn in a mode.
func (t *translator) start(s *dialog.Step, mode wire.Mode, text string) {
	t.turn, t.plan, t.failed, t.end, t.mode = "", "", nil, nil, mode
	t.stage = dialog.Turning
	sel := t.req.Selection
	sel.Mode = mode
	params := turnStart(t.opened, sel, t.req.Cwd, text)
	for _, image := range t.req.Images {
		params.Input = append(params.Input, input{Type: "localImage", Path: image.Path})
	}
	t.req.Images = nil // of the first turn alone
	t.rpc.Call(s, "turn/start", params)
}

func (t *translator) began(turn string) {
	if t.turn == "" {
		t.turn, t.progress.Began = turn, true
	}
}

// notice reads a notification.
func (t *translator) notice(m jsonrpc.Message, p params, now time.Time) dialog.Step {
	var s dialog.Step
	switch m.Method {
	case "turn/started":
		t.started(p)
	case "turn/completed":
		t.completed(p, now, &s)
	case "item/started", "item/completed":
		t.retries.since = time.Time{}
		if p.Item == nil || p.Item.ID == "" || p.Item.Type == "" {
			s.Odd = true
			break
		}
		t.item(m.Method == "item/completed", p.Item, p.ThreadID, now, &s)
	case "item/agentMessage/delta", "item/plan/delta":
		t.delta(kindText, p, &s)
	case "item/reasoning/summaryTextDelta", "item/reasoning/textDelta":
		t.delta(kindThinking, p, &s)
	case "item/reasoning/summaryPartAdded":
		if p.SummaryIndex > 0 {
			p.Delta = partBreak
			t.delta(kindThinking, p, &s)
		}
	case "item/fileChange/patchUpdated":
		// What is asked for is judged by what it now is.
		if call := t.tools[p.ItemID]; call != nil && len(p.Changes) > 0 {
			changed := *call.item
			changed.Changes = p.Changes
			call.item = &changed
		}
	case "item/commandExecution/outputDelta":
		if t.tools[p.ItemID] != nil && p.Delta != "" {
			s.Emit(wire.ToolOutput{ToolID: p.ItemID, Delta: p.Delta})
		}
	case "turn/plan/updated":
		s.Emit(wire.Todo{Items: todo(p.Plan), ParentToolID: t.parents[p.ThreadID]})
	case "thread/tokenUsage/updated":
		s.Odd = !t.count(p)
		if u := t.usage(); u != nil {
			s.Frames = append(s.Frames, wire.RunUsage{Usage: *u})
		}
	case "account/rateLimits/updated":
		s.Events = rateLimits(p.RateLimits)
		if p.RateLimits != nil {
			t.limits = p.RateLimits
		}
	case "error":
		t.problem(p, now, &s)
	case "warning", "guardianWarning":
		t.warn(&s, wire.LevelWarn, "agent_warning", p.Message)
	case "configWarning":
		// Each start tells that the helper of the sandbox is the one that came
		// with Codex. That is fine.
		if !bundledSandbox(p.Summary) {
			t.warn(&s, wire.LevelInfo, "agent_settings", p.Summary)
		}
	case "mcpServer/startupStatus/updated":
		if p.status() == "failed" {
			t.warn(&s, wire.LevelWarn, "mcp_failed", fmt.Sprintf("The MCP server %s did not start; its tools are missing.", p.Name))
		}
	case "serverRequest/resolved":
		// After an answer of ours it is news to nobody.
		s.Withdrawn = append(s.Withdrawn, string(p.RequestID))
	default:
		s.Odd = !ignored[m.Method]
	}
	return s
}

// ignored are the notifications that a person needs nothing of.
var ignored = map[string]bool{
	"account/updated": true, "app/list/updated": true, "deprecationNotice": true,
	"hook/started": true, "hook/completed": true,
	"item/commandExecution/terminalInteraction": true,
	"item/fileChange/outputDelta":               true,
	"item/mcpToolCall/progress":                 true, "item/autoApprovalReview/started": true, "item/autoApprovalReview/completed": true,
	"model/rerouted": true, "model/verification": true, "remoteControl/status/changed": true,
	"skills/changed": true, "thread/closed": true, "thread/compacted": true, "thread/environment/connected": true,
	"thread/goal/cleared": true, "thread/goal/updated": true, "thread/name/updated": true, "thread/queue/changed": true,
	"thread/readState/changed": true, "thread/reverted": true, "thread/settings/updated": true, "thread/started": true,
	"thread/status/changed": true, "turn/diff/updated": true, "turn/moderationMetadata": true,
}

// warn tells a warning, once.
func (t *translator) warn(s *dialog.Step, level wire.Level, code, words string) {
	words = dialog.Clip(words)
	if words == "" || t.told[words] || len(t.told) > maxOpen {
		return
	}
	t.told[words] = true
	s.Emit(wire.System{Level: level, Code: code, Text: words})
}

func (t *translator) started(p params) {
	switch {
	case p.Turn == nil || p.Turn.ID == "":
	case p.ThreadID == t.opened.Thread.ID:
		t.began(p.Turn.ID)
	case len(t.busy) < maxOpen:
		t.busy[p.ThreadID] = true
	}
}

// completed is the end of a turn: ours, or a subagent's.
func (t *translator) completed(p params, now time.Time, s *dialog.Step) {
	switch {
	case p.Turn == nil || p.Turn.ID == "":
		s.Odd = true
		if p.ThreadID == t.opened.Thread.ID {
			t.over("Codex ended its turn and did not say how.")
		}
		return
	case p.ThreadID != t.opened.Thread.ID:
		delete(t.busy, p.ThreadID)
		return
	case t.turn != "" && p.Turn.ID != t.turn || t.end != nil:
		return // of an earlier turn, or again
	}
	t.began(p.Turn.ID)
	t.end, t.retries.since = p.Turn, time.Time{}
	t.abandon()
	switch {
	case p.Turn.Status == turnInterrupted:
		// The interrupt leaves the running command alive.
		t.rpc.Call(s, "thread/backgroundTerminals/clean", map[string]string{"threadId": t.opened.Thread.ID})
	case p.Turn.Status == turnCompleted && len(t.remarks) > 0 && !t.stopping:
		t.closeTools(s, "The turn ended before this did.", now)
		t.start(s, t.mode, strings.Join(t.remarks, "\n"))
		t.remarks = nil
	case p.Turn.Status == turnCompleted && t.plan != "" && policyOf(t.mode).plan:
		t.stage = dialog.Beside
		t.closeTools(s, "The turn ended before this did.", now)
		s.Asks = append(s.Asks, t.review(t.plan))
	default:
		t.stage = dialog.Over
	}
}

// review asks whether the plan is to be carried out. Codex ends its turn with a
// plan and asks nothing: yes is a turn in the mode that works.
func (t *translator) review(plan string) dialog.Ask {
	input, err := json.Marshal(map[string]string{"plan": plan})
	if err != nil {
		panic(err) // it is text
	}
	return dialog.Ask{
		ID:  "plan",
		Ask: agent.Ask{Kind: wire.ApprovalPlan, Tool: "plan", Input: input, Title: "The plan", Detail: plan, Cwd: t.req.Cwd},
		Answer: func(a agent.Answer, _ time.Time) dialog.Step {
			var s dialog.Step
			switch {
			case a.Allow:
				t.start(&s, wire.ModeCode, "Implement the plan.")
			case a.Instead != "":
				t.start(&s, t.mode, a.Reason)
			default:
				t.stage = dialog.Over // the next prompt says what is to change
			}
			return s
		},
	}
}

// problem reads an error: one that is tried again is a notice, another is kept
// for the end of the turn, which repeats it.
func (t *translator) problem(p params, now time.Time, s *dialog.Step) {
	switch {
	case p.Error == nil:
		s.Odd = true
	case !p.WillRetry:
		if p.ThreadID == t.opened.Thread.ID {
			t.failed = p.Error
		}
	default:
		if t.retries.since.IsZero() {
			t.retries.since = now
		}
		t.retries.why = p.Error
		t.giveUp(p.ThreadID)
		s.Emit(wire.System{
			Level: wire.LevelWarn, Code: "api_retry", Text: retrying(p.Error), ParentToolID: t.parents[p.ThreadID],
		})
	}
}
