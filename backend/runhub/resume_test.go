package runhub_test

import (
	"strings"
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// holds reports which of the words are in the text, in their order.
func holds(text string, words ...string) bool {
	for _, w := range words {
		_, rest, ok := strings.Cut(text, w)
		if !ok {
			return false
		}
		text = rest
	}
	return true
}

// notices counts the notices with the code in the chat's log.
func (w *world) notices(id wire.ChatID, code string) int {
	return count(w.events(id), func(e entry) bool {
		s, ok := e.ev.(wire.System)
		return ok && s.Code == code
	})
}

// A8, A107, A110: after a rewind the agent goes on in a copy of its session that
// ends where the chat does, or in a new one that is told what was said. The
// session that holds what was taken out is never resumed.
func TestRun_afterARewind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		forks, rewinds bool
		want           string
		fresh          bool
	}{
		{name: "native", forks: true, rewinds: true, want: "claude-s1 true claude-t1"},
		{name: "copies only", forks: true, want: "false", fresh: true},
		{name: "neither", want: "false", fresh: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newTalker("claude", tt.forks, tt.rewinds)
			w := start(t, a)
			id := w.chat()
			w.say(id, "a", "the first request", "claude")
			second := w.say(id, "b", "the request that is regretted", "claude")
			w.rewind(id, second.Seq)
			w.say(id, "c", "the new request", "claude")
			got := a.last()
			if way(got) != tt.want {
				t.Errorf("the run goes on with %q, want %q", way(got), tt.want)
			}
			if strings.Contains(got.Text+got.Fresh, "regretted") {
				t.Errorf("the agent is told what was taken out: %q", got.Text)
			}
			told := got.Text
			if !tt.fresh {
				if got.Text != "the new request" {
					t.Errorf("text = %q", got.Text)
				}
				told = got.Fresh
			}
			if !holds(told, "<transcript>", "Ann", "the first request", "CLAUDE", "heard claude-t1", "</transcript>", "the new request") {
				t.Errorf("the agent is told %q", told)
			}
			if n := w.notices(id, "session_fresh"); n != map[bool]int{true: 1}[tt.fresh] {
				t.Errorf("%d notices of a new session", n)
			}
			// From then on the new session is the chat's own.
			w.say(id, "d", "and then", "claude")
			if got := a.last(); got.Session != "claude-s2" || got.Fork || got.Text != "and then" {
				t.Errorf("the next run goes on with %q and is told %q", way(got), got.Text)
			}
		})
	}
}

// A rewind to before an agent's first turn leaves it nothing to go on with.
func TestRun_afterARewindOfEverything(t *testing.T) {
	t.Parallel()
	a := newTalker("claude", true, true)
	w := start(t, a)
	id := w.chat()
	first := w.say(id, "a", "one", "claude")
	w.rewind(id, first.Seq)
	w.say(id, "b", "two", "claude")
	if got := a.last(); way(got) != "false" || got.Text != "two" || got.Fresh != "" {
		t.Errorf("the run goes on with %q and is told %q", way(got), got.Text)
	}
	if n := w.notices(id, "session_fresh"); n != 0 {
		t.Errorf("%d notices of a new session where nothing was said before", n)
	}
}

// What a rewind discards stays discarded over a restart.
func TestRun_afterARewindAndARestart(t *testing.T) {
	t.Parallel()
	w := start(t, newTalker("claude", true, false))
	id := w.chat()
	w.say(id, "a", "one", "claude")
	second := w.say(id, "b", "two", "claude")
	w.rewind(id, second.Seq)
	a := newTalker("claude", true, false)
	w = w.crash(runhub.Options{}, a)
	w.say(id, "c", "three", "claude")
	if got := a.last(); way(got) != "false" {
		t.Errorf("the run goes on with %q", way(got))
	}
}

// A turn that has no id of its own (the run was stopped) is told instead.
func TestRun_afterARewindPastATurnWithoutAnID(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	p.info.Forks, p.info.Rewinds = true, true
	w := start(t, p)
	id := w.chat()
	turn := func(clientID, says string, result agent.Result) wire.PromptResult {
		t.Helper()
		res := w.prompt(id, clientID, "asks "+says)
		c := <-p.calls
		c.emit(t, wire.Session{Agent: "claude", SessionID: "s1"}, wire.AssistantText{Item: says, Delta: says})
		c.end <- func() (agent.Result, error) { return result, nil }
		w.settled(id)
		return res
	}
	turn("a", "first", agent.Result{Status: wire.StatusOK, Turn: "t1"})
	turn("b", "second", agent.Result{Status: wire.StatusCancelled})
	third := turn("c", "third", agent.Result{Status: wire.StatusOK, Turn: "t3"})
	w.rewind(id, third.Seq)
	w.prompt(id, "d", "go on")
	c := <-p.calls
	if way(c.req) != "s1 true t1" || !holds(c.req.Text, "since your last turn", "asks second", "second", "</transcript>", "go on") ||
		strings.Contains(c.req.Text, "first") || strings.Contains(c.req.Text, "third") {
		t.Errorf("the run goes on with %q and is told %q", way(c.req), c.req.Text)
	}
	c.ok()
	w.settled(id)
}

// Another agent is told what was said; the first one, when it comes back, what it
// missed.
func TestRun_changeOfAgent(t *testing.T) {
	t.Parallel()
	a, b := newTalker("claude", true, true), newTalker("codex", true, true)
	w := start(t, a, b)
	id := w.chat()
	w.say(id, "a", "for the first", "claude")
	w.say(id, "b", "for the second", "codex")
	if got := b.last(); got.Session != "" || got.Fresh != "" ||
		!holds(got.Text, "so far", "Ann", "for the first", "CLAUDE", "heard claude-t1", "</transcript>", "for the second") {
		t.Errorf("the new agent goes on with %q and is told %q", way(got), got.Text)
	}
	if n := w.notices(id, "session_fresh"); n != 1 {
		t.Errorf("%d notices of a new session", n)
	}
	w.say(id, "c", "back again", "claude")
	if got := a.last(); way(got) != "claude-s1 false" ||
		!holds(got.Text, "since your last turn", "for the second", "CODEX", "heard codex-t1", "</transcript>", "back again") ||
		strings.Contains(got.Text, "for the first") {
		t.Errorf("the first agent goes on with %q and is told %q", way(got), got.Text)
	}
	if got := a.last(); !holds(got.Fresh, "for the first", "for the second", "back again") {
		t.Errorf("for a session that is lost it is given %q", got.Fresh)
	}
	w.say(id, "d", "once more", "claude")
	if got := a.last(); got.Text != "once more" {
		t.Errorf("what it knows is told again: %q", got.Text)
	}
}

// A117: a session that is gone costs one fresh start, for which the text is at
// hand.
func TestRun_lostSession(t *testing.T) {
	t.Parallel()
	a := newTalker("claude", true, true)
	w := start(t, a)
	id := w.chat()
	w.say(id, "a", "one", "claude")
	a.lost = true
	w.say(id, "b", "two", "claude")
	if got := a.last(); way(got) != "claude-s1 false" || got.Text != "two" || !holds(got.Fresh, "one", "heard claude-t1", "</transcript>", "two") {
		t.Errorf("the run goes on with %q, %q or %q", way(got), got.Text, got.Fresh)
	}
	a.lost = false
	w.say(id, "c", "three", "claude")
	if got := a.last(); got.Session != "claude-s2" {
		t.Errorf("the next run goes on with %q", way(got))
	}
}

// A108: the transcript is what people and agents said: not thoughts, tools,
// subagents, nor a prompt that reached nobody; and it is bounded, also in what is
// read for it.
func TestRun_transcript(t *testing.T) {
	t.Parallel()
	p, b := newPuppet("claude"), newTalker("codex", true, true)
	w := start(t, p, b)
	id := w.chat()
	w.prompt(id, "a", "old "+strings.Repeat("x", 30_000))
	c := <-p.calls
	c.emit(t,
		wire.Session{Agent: "claude", SessionID: "s1"},
		wire.Thinking{Item: "k", Delta: "a thought"},
		wire.AssistantText{Item: "m", Delta: "pieces of "},
		wire.ToolUseEnd{ToolID: "t", OK: true, Output: "tool output"},
		wire.AssistantText{Item: "sub", Delta: "subagent", ParentToolID: "t"},
		wire.AssistantText{Item: "m", Delta: "one answer"},
		wire.AssistantText{Item: "n", Delta: "draft"}, wire.AssistantText{Item: "n", Final: "final words"},
	)
	c.ok()
	w.settled(id)
	w.prompt(id, "b", "reached nobody")
	(<-p.calls).end <- func() (agent.Result, error) { return agent.Result{Status: wire.StatusFailed}, nil }
	w.settled(id)

	w.say(id, "c", "go on", "codex")
	got := b.last().Text
	if !holds(got, "left out", "pieces of one answer", "final words", "</transcript>", "go on") {
		t.Errorf("the agent is told %q", got)
	}
	for _, no := range []string{"thought", "tool output", "subagent", "draft", "nobody", "xxx"} {
		if strings.Contains(got, no) {
			t.Errorf("the agent is told %q", no)
		}
	}
	if len(got) > 24_100 {
		t.Errorf("it is told %d bytes", len(got))
	}
}

// The mode's words stand between what was said and what is asked; skills go
// beside the text.
func TestRun_orderOfTheText(t *testing.T) {
	t.Parallel()
	a, b := newTalker("claude", true, true), newTalker("codex", true, true)
	w := start(t, a, b)
	id := w.chat()
	w.say(id, "a", "one", "claude")
	_, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{
		ClientID: "b", Text: "two", Skills: []string{"pdf", "docx"},
		Selection: wire.Selection{Agent: "codex", Mode: wire.ModeReview},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.settled(id)
	got := b.last()
	if !holds(got.Text, "<transcript>", "one", "</transcript>", "Review this", "two") || strings.Join(got.Skills, " ") != "pdf docx" {
		t.Errorf("text = %q, skills %q", got.Text, got.Skills)
	}
	users := 0
	for _, e := range w.events(id) {
		if u, ok := e.ev.(wire.User); ok && u.Text == "two" && strings.Join(u.Skills, " ") == "pdf docx" {
			users++
		}
	}
	if users != 1 {
		t.Error("the log does not hold the prompt as it was sent, with its skills")
	}
}

// Going on with a run that never reached its agent asks what that was to ask;
// one that did reach it is gone on with.
func TestRun_continuesWhatTheAgentKnows(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	long := strings.Repeat("long ", 10_000) + "end"
	_, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{Text: long, Skills: []string{"pdf"}})
	if err != nil {
		t.Fatal(err)
	}
	failed := func(c *call) {
		c.end <- func() (agent.Result, error) { return agent.Result{Status: wire.StatusFailed}, nil }
		w.settled(id)
	}
	failed(<-p.calls)
	goOn := func() *call {
		t.Helper()
		if _, err := w.hub.Continue(t.Context(), id, ann, runhub.Now); err != nil {
			t.Fatal(err)
		}
		return <-p.calls
	}
	for range 2 {
		c := goOn()
		if c.req.Text != long || strings.Join(c.req.Skills, " ") != "pdf" {
			t.Errorf("the agent is asked %.60q with the skills %q", c.req.Text, c.req.Skills)
		}
		failed(c)
	}
	c := goOn()
	c.emit(t, wire.Session{Agent: "claude", SessionID: "s1"})
	failed(c)
	c = goOn()
	if c.req.Session != "s1" || strings.Contains(c.req.Text, "long") || !strings.Contains(c.req.Text, "Continue") {
		t.Errorf("the agent goes on with %q and is asked %.60q", way(c.req), c.req.Text)
	}
	c.ok()
	w.settled(id)
}
