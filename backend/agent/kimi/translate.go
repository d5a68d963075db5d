package kimi

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/agent/jsonrpc"
	"signalbox/backend/wire"
)

const (
	// setupLimit is how long the CLI may be silent before the turn has begun:
	// opening a session takes seconds on a busy machine.
	setupLimit = time.Minute
	// silenceLimit is how long it may be silent in a turn while no tool works. It
	// tries again and again without a word when the provider fails.
	silenceLimit = 5 * time.Minute
)

// maxOpen bounds how many tools and pieces of text are kept.
const maxOpen = 10_000

// translator turns the lines of one run into steps. See [dialog.Translator].
type translator struct {
	program  dialog.Program
	home     string
	req      agent.Request
	pictures []dialog.Picture // of the prompt
	rpc      dialog.RPC[params]

	session  session
	setting  setting   // being set
	settings []setting // still to be set
	prompted bool      // the prompt was given
	stage    dialog.Stage
	last     time.Time // of the last line

	text    string   // of the prompt
	remarks []string // of people, for another prompt
	// stopping means that the run was stopped: no further prompt follows.
	stopping bool
	texts    []*text // of the turn, in their order
	items    int     // how many texts the run has
	tools    map[string]*tool
	ended    map[string]bool
	order    int
	context  struct{ used, size int64 }

	end      *promptEnd     // how the turn ended, by the protocol
	endedAt  time.Time      // and when
	refused  *jsonrpc.Error // or why it did not
	doing    string         // what was refused: a setting, the session or the prompt
	reader   *recordReader  // of the CLI's own record; an errand's while one is out
	record   *record        // what that said
	used     wire.Usage     // of all turns of the run
	progress dialog.Progress
}

// setting is something that is set before the prompt is given.
type setting struct {
	what   string // "mode", "model", "effort"
	method string
	params any
	must   bool // the run cannot go on without it
}

func newTranslator(p dialog.Program, home string, req agent.Request) *translator {
	t := &translator{
		program: p, home: home, req: req, text: req.Text,
		tools: map[string]*tool{}, ended: map[string]bool{},
	}
	t.rpc = dialog.RPC[params]{
		Peer: jsonrpc.New(jsonrpc.Standard), Result: t.result, Failure: t.failed, Request: t.request, Notice: t.notice,
	}
	return t
}

// Begin implements [dialog.Translator].
func (t *translator) Begin(now time.Time) dialog.Step {
	t.last = now
	var s dialog.Step
	t.rpc.Call(&s, "initialize", initialize())
	return s
}

// State implements [dialog.Translator].
func (t *translator) State() dialog.State {
	s := dialog.State{Stage: t.stage}
	switch {
	case t.stage != dialog.Turning || t.end != nil || t.refused != nil:
	case !t.prompted:
		s.Until, s.Code = t.last.Add(setupLimit), dialog.CodeNoAnswer
	case len(t.tools) == 0:
		s.Until, s.Code = t.last.Add(silenceLimit), dialog.CodeSilent
	}
	return s
}

// Interrupt implements [dialog.Translator].
func (t *translator) Interrupt(time.Time) dialog.Step {
	t.stopping = true
	var s dialog.Step
	if t.prompted {
		t.rpc.Notify(&s, "session/cancel", map[string]string{"sessionId": t.session.ID})
	}
	return s
}

// Line implements [dialog.Translator].
func (t *translator) Line(b []byte, now time.Time) dialog.Step {
	t.progress.Spoke = true
	t.last = now
	return t.rpc.Line(b, now)
}

// notice reads a notification.
func (t *translator) notice(m jsonrpc.Message, p params, now time.Time) dialog.Step {
	switch {
	case m.Method != "session/update":
		return dialog.Step{Odd: true}
	case p.SessionID != t.session.ID:
		return dialog.Step{} // of a session that the CLI keeps beside ours, or before ours is known
	}
	return t.update(&p.Update, now)
}

// result goes on to the next step of the set-up.
func (t *translator) result(m jsonrpc.Message, now time.Time) dialog.Step {
	var s dialog.Step
	switch m.Method {
	case "initialize":
		t.stage = dialog.Turning
		t.able(m.Params, &s)
		if len(t.req.Skills) > 0 {
			s.Emit(wire.System{
				Level: wire.LevelInfo, Code: "skills_not_named",
				Text: "Kimi Code is not told which skills were chosen: it takes those that fit by itself.",
			})
		}
		t.open(&s)
	case "session/new", "session/resume", "session/fork":
		t.opened(m, &s)
	case "session/set_mode", "session/set_config_option":
		t.next(&s)
	case "session/prompt":
		t.end, t.endedAt = &promptEnd{}, now
		if json.Unmarshal(m.Params, t.end) != nil || t.end.Reason == "" {
			s.Odd = true
		}
		s.Errands = append(s.Errands, t.read())
	}
	return s
}

// able reads what the CLI can do. Pictures that it takes none of are named in the
// prompt by their paths, as all files are.
func (t *translator) able(result json.RawMessage, s *dialog.Step) {
	var is initialized
	if len(t.pictures) == 0 || json.Unmarshal(result, &is) == nil && is.Agent.Prompt.Image {
		return
	}
	t.pictures = nil
	s.Emit(wire.System{
		Level: wire.LevelWarn, Code: "images_not_taken",
		Text: "This version of Kimi Code takes no pictures. It was told where the files are.",
	})
}

// open begins a session, or resumes or copies the one that the request names.
func (t *translator) open(s *dialog.Step) {
	id, method := t.req.Session, "session/new"
	switch {
	case id == "":
	case t.req.Fork:
		method = "session/fork"
	default:
		method = "session/resume"
		t.session.ID = id // its answer does not repeat it
	}
	t.rpc.Call(s, method, sessionParams{SessionID: id, Cwd: t.req.Cwd, Servers: servers(t.req.Servers)})
}

// opened has the session set as the run wants it. All of it is said each time:
// a session keeps the mode of its last run.
func (t *translator) opened(m jsonrpc.Message, s *dialog.Step) {
	id := t.session.ID
	if json.Unmarshal(m.Params, &t.session) != nil || t.session.ID == "" {
		s.Odd = true
		t.over("session", &jsonrpc.Error{Message: "Kimi Code opened a session without an id."})
		return
	}
	resumed := m.Method == "session/resume"
	if resumed {
		t.session.ID = id
	}
	ours := t.session.ID
	s.Emit(wire.Session{
		Agent: ID, SessionID: ours, Model: t.session.option("model").name(),
		Resumed: resumed, Forked: m.Method == "session/fork",
	})
	t.settings = []setting{t.mode()}
	if m := t.req.Selection.Model; m != "" && m != defaultModel {
		t.settings = append(t.settings, setting{"model", "session/set_config_option", optionParams{ours, "model", m}, true})
	}
	if effort := t.req.Selection.Effort; effort != "" {
		value := thinking(t.session.option("thinking"), effort)
		t.settings = append(t.settings, setting{"effort", "session/set_config_option", optionParams{ours, "thinking", value}, false})
	}
	t.next(s)
}

// mode is the setting of the run's mode.
func (t *translator) mode() setting {
	return setting{"mode", "session/set_mode", modeParams{t.session.ID, modeOf(t.req.Selection.Mode)}, true}
}

// thinking returns the CLI's value for an effort; a model that has no levels
// only thinks or does not.
func thinking(o *option, effort string) string {
	if !o.has(effort) && o.has("on") {
		return "on"
	}
	return effort
}

// next sets the next thing, or goes on to the prompt.
func (t *translator) next(s *dialog.Step) {
	if len(t.settings) > 0 {
		t.setting, t.settings = t.settings[0], t.settings[1:]
		t.rpc.Call(s, t.setting.method, t.setting.params)
		return
	}
	s.Errands = append(s.Errands, t.mark())
}

// prompt gives the prompt.
func (t *translator) prompt(now time.Time) dialog.Step {
	var s dialog.Step
	t.prompted, t.progress.Began, t.last = true, true, now
	blocks := []block{{Type: "text", Text: t.text}}
	for _, p := range t.pictures {
		blocks = append(blocks, block{Type: "image", Media: p.Media, Data: p.Data})
	}
	t.pictures = nil // of the first prompt alone
	t.rpc.Call(&s, "session/prompt", promptParams{SessionID: t.session.ID, Prompt: blocks})
	return s
}

// failed is a request of ours that the CLI did not take.
func (t *translator) failed(m jsonrpc.Message, _ time.Time) dialog.Step {
	var s dialog.Step
	switch m.Method {
	case "session/resume", "session/fork":
		if unknownSession(m.Error) {
			s.Emit(dialog.Lost(t.program.Name, t.req))
			t.req, t.session.ID = dialog.Anew(t.req), ""
			t.text = t.req.Text
			t.open(&s)
			return s
		}
		t.over("session", m.Error)
	case "session/set_mode", "session/set_config_option":
		if t.setting.must {
			t.over(t.setting.what, m.Error)
			break
		}
		s.Emit(wire.System{
			Level: wire.LevelWarn, Code: "setting_refused",
			Text: fmt.Sprintf("Kimi Code did not take the %s: %s", t.setting.what, words(m.Error)),
		})
		t.next(&s)
	case "session/prompt":
		t.refused, t.doing = m.Error, "prompt"
		s.Errands = append(s.Errands, t.read())
	default:
		t.over("session", m.Error)
	}
	return s
}

// over ends the run before the turn began.
func (t *translator) over(doing string, why *jsonrpc.Error) {
	t.stage = dialog.Over
	t.refused, t.doing = why, doing
}

func unknownSession(e *jsonrpc.Error) bool {
	return e.Code == jsonrpc.InvalidParams || strings.Contains(strings.ToLower(e.Message), "session")
}

// mark is the errand before the prompt: it notes where the record ends.
func (t *translator) mark() dialog.Errand {
	t.reader = &recordReader{home: t.home, session: t.session.ID}
	return func(context.Context) func(time.Time) dialog.Step {
		t.reader.mark()
		return t.prompt
	}
}

// read is the errand after the turn: it reads what the record says of it.
func (t *translator) read() dialog.Errand {
	return func(ctx context.Context) func(time.Time) dialog.Step {
		r := t.reader.wait(ctx)
		return func(time.Time) dialog.Step {
			var s dialog.Step
			t.record, t.stage = r, dialog.Over
			t.used = plus(t.used, r.used)
			t.correct(&s)
			if len(t.remarks) > 0 && !t.stopping && t.went() {
				t.again(&s)
			}
			return s
		}
	}
}

// went reports whether the turn ended well.
func (t *translator) went() bool {
	return t.end != nil && t.end.Reason == endTurn && (!t.record.ended || t.record.reason == "completed")
}

// again gives what people said as another prompt of the run. A plan that was
// refused has ended the CLI's plan mode, so the mode is set anew.
func (t *translator) again(s *dialog.Step) {
	t.text, t.remarks, t.texts = strings.Join(t.remarks, "\n"), nil, nil
	t.prompted, t.end, t.record, t.stage = false, nil, nil, dialog.Turning
	t.settings = []setting{t.mode()}
	t.next(s)
}
