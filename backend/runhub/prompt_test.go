package runhub_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// The outcomes of a prompt that is refused: nothing is stored.
func TestPrompt_refused(t *testing.T) {
	t.Parallel()
	w := start(t, newPuppet("claude"))
	id := w.chat()
	for _, tt := range []struct {
		name string
		p    runhub.Prompt
		want fault.Code
	}{
		{name: "empty", p: runhub.Prompt{}, want: fault.Invalid},
		{name: "white space", p: runhub.Prompt{Text: " \n\t"}, want: fault.Invalid},
		{name: "too large", p: runhub.Prompt{Text: strings.Repeat("x", 1<<20+1)}, want: fault.TooLarge},
		{name: "NUL", p: runhub.Prompt{Text: "a\x00"}, want: fault.Invalid},
		{name: "unknown agent", p: runhub.Prompt{Text: "a", Selection: wire.Selection{Agent: "x"}}, want: fault.Invalid},
		{name: "unknown mode", p: runhub.Prompt{Text: "a", Selection: wire.Selection{Mode: "x"}}, want: fault.Invalid},
		{name: "unknown effort", p: runhub.Prompt{Text: "a", Selection: wire.Selection{Effort: "x"}}, want: fault.Invalid},
		{name: "a model that is an option", p: runhub.Prompt{Text: "a", Selection: wire.Selection{Model: "--yes"}}, want: fault.Invalid},
		{name: "a long client id", p: runhub.Prompt{Text: "a", ClientID: strings.Repeat("x", 201)}, want: fault.Invalid},
		{name: "a client id with a line feed", p: runhub.Prompt{Text: "a", ClientID: "a\nb"}, want: fault.Invalid},
		{name: "whenBusy x", p: runhub.Prompt{Text: "a", WhenBusy: "x"}, want: fault.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := w.hub.Prompt(t.Context(), id, ann, tt.p)
			if got := fault.CodeOf(err); got != tt.want {
				t.Errorf("Prompt = %v, want code %q", err, tt.want)
			}
			if f, ok := errors.AsType[*fault.Error](err); ok && f.Message == "" {
				t.Error("the error says nothing")
			}
		})
	}
	if _, err := w.hub.Prompt(t.Context(), "c_01ARZ3NDEKTSV4RRFFQ69G5FAV", ann, runhub.Prompt{Text: "a"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Prompt to no chat = %v, want not_found", err)
	}
	if got := w.events(id); len(got) != 0 {
		t.Errorf("the log holds %d events", len(got))
	}
}

// A24: the prompt is in the log before the agent is asked. The log holds the
// person's words, the agent gets those of the mode, too (A25).
func TestPrompt_isLoggedBeforeTheAgentIsAsked(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	res, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{
		ClientID: "a", Text: "make a plan", Selection: wire.Selection{Mode: wire.ModePlan, Model: "big"},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := <-p.calls
	got := w.events(id)
	want := wire.User{Text: "make a plan", ClientID: "a", By: ann, Selection: wire.Selection{Agent: "claude", Mode: wire.ModePlan, Model: "big"}}
	if diff := cmp.Diff(want, got[0].ev); diff != "" || got[0].Run != res.Run || got[0].Seq != res.Seq {
		t.Errorf("first event: seq %d, run %s (-want +got):\n%s", got[0].Seq, got[0].Run, diff)
	}
	if c.req.Run != res.Run || !strings.HasSuffix(c.req.Text, "\n\nmake a plan") || c.req.Selection != want.Selection {
		t.Errorf("request = %+v", c.req)
	}
	m, err := w.chats.Get(id)
	if err != nil || m.Title != "make a plan" || m.TitleSource != catalog.TitleAuto || m.Selected != want.Selection || c.req.Cwd != m.Cwd {
		t.Errorf("metadata = %+v, %v", m, err)
	}
	c.ok()
	w.settled(id)
	if got := w.types(id); got != "user run_started complete" {
		t.Errorf("log = %s", got)
	}
}

// A title that a person set stays.
func TestPrompt_doesNotRenameAChat(t *testing.T) {
	t.Parallel()
	w := start(t, scripted(func(context.Context, agent.Request, agent.Host) (agent.Result, error) {
		return agent.Result{Status: wire.StatusOK}, nil
	}))
	m, err := w.chats.Create(ann, catalog.New{Title: "Mine"})
	if err != nil {
		t.Fatal(err)
	}
	w.prompt(m.ID, "a", "hello")
	w.settled(m.ID)
	if m, err = w.chats.Get(m.ID); err != nil || m.Title != "Mine" {
		t.Errorf("title = %q, %v", m.Title, err)
	}
}

// A31, A33, A34: one of many senders wins, each other is told so alone, with
// the run, and nothing of theirs is stored.
func TestPrompt_oneOfManySendersWins(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	watcher := w.follow(id, bob, nil)
	defer watcher.feed.Close()
	const senders = 100
	results, errs := make([]wire.PromptResult, senders), make([]error, senders)
	var wg sync.WaitGroup
	for i := range senders {
		wg.Go(func() {
			results[i], errs[i] = w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{Text: "hello", WhenBusy: "reject"})
		})
	}
	wg.Wait()
	var winner wire.RunID
	for i, err := range errs {
		if err == nil {
			if winner != "" {
				t.Errorf("two senders won: %s and %s", winner, results[i].Run)
			}
			winner = results[i].Run
		}
	}
	for _, err := range errs {
		if f, ok := errors.AsType[*fault.Error](err); err != nil && (!ok || f.Code != fault.Busy || f.Run != string(winner)) {
			t.Errorf("a loser got %v", err)
		}
	}
	c := <-p.calls
	c.ok()
	watcher.until(func() bool { return len(watcher.lines) == 3 && watcher.sync.Phase == wire.PhaseIdle })
	if got := w.types(id); got != "user run_started complete" {
		t.Errorf("log = %s", got)
	}
}

// T10.
func TestPrompt_sentTwiceIsTakenOnce(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()

	const senders = 20
	results := make([]wire.PromptResult, senders)
	var wg sync.WaitGroup
	for i := range senders {
		wg.Go(func() { results[i] = w.prompt(id, "a", "hello") })
	}
	wg.Wait()
	c := <-p.calls
	first := results[0]
	check := func(when string, w *world) {
		t.Helper()
		if got := w.prompt(id, "a", "hello"); got != first {
			t.Errorf("%s: %+v, want the first answer %+v", when, got, first)
		}
		_, err := w.hub.Prompt(t.Context(), id, bob, runhub.Prompt{ClientID: "a", Text: "hello!"})
		if fault.CodeOf(err) != fault.Conflict {
			t.Errorf("%s: other text = %v, want conflict", when, err)
		}
	}
	for _, r := range results {
		if r != first {
			t.Errorf("sent at once: %+v and %+v", first, r)
		}
	}
	check("during the run", w)
	c.ok()
	w.settled(id)
	check("after the run", w)
	after := w.crash(runhub.Options{}, newPuppet("other"))
	check("after a restart, without the agent", after)
	for _, w := range []*world{w, after} {
		if got := w.types(id); got != "user run_started complete" {
			t.Errorf("log = %s", got)
		}
	}
}

// A client id without a name gets one, so that the sender can ask again.
func TestPrompt_mintsClientIDs(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	res := w.prompt(id, "", "hello")
	if res.ClientID == "" {
		t.Error("no client id")
	}
	if again := w.prompt(id, res.ClientID, "hello"); again != res {
		t.Errorf("again = %+v, want %+v", again, res)
	}
	(<-p.calls).ok()
	w.settled(id)
}

// A sender that gives up does not end the run.
func TestPrompt_outlivesItsSender(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := w.hub.Prompt(ctx, id, ann, runhub.Prompt{Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	cancel()
	c := <-p.calls
	c.emit(t, wire.AssistantText{Item: "i", Delta: "still here"})
	c.ok()
	w.settled(id)
	if got := w.types(id); got != "user run_started assistant_text complete" {
		t.Errorf("log = %s", got)
	}
}

// A49, A50: the request, then the chat, then the person's last choice, then the
// first agent that is ready.
func TestPrompt_selection(t *testing.T) {
	t.Parallel()
	broken, claude, codex := newPuppet("broken"), newPuppet("claude"), newPuppet("codex")
	codex.info.Models = nil
	codex.info.Modes = []agent.ModePolicy{{Mode: wire.ModeChat}, {Mode: wire.ModePlan}}
	for _, tt := range []struct {
		name             string
		person, chat, by wire.Selection
		want             wire.Selection
	}{
		{name: "nothing chosen", want: wire.Selection{Agent: "claude", Mode: wire.ModeCode}},
		{
			name:   "the person's last",
			person: wire.Selection{Agent: "claude", Model: "small", Effort: "high", Mode: wire.ModePlan},
			want:   wire.Selection{Agent: "claude", Model: "small", Effort: "high", Mode: wire.ModePlan},
		},
		{
			name:   "the chat's before the person's",
			person: wire.Selection{Agent: "claude", Model: "small", Mode: wire.ModePlan},
			chat:   wire.Selection{Agent: "claude", Model: "big", Mode: wire.ModeDebug},
			want:   wire.Selection{Agent: "claude", Model: "big", Mode: wire.ModeDebug},
		},
		{
			name: "the request's before the chat's",
			chat: wire.Selection{Agent: "claude", Model: "big", Mode: wire.ModeDebug},
			by:   wire.Selection{Model: "small", Mode: wire.ModeChat},
			want: wire.Selection{Agent: "claude", Model: "small", Mode: wire.ModeChat},
		},
		{
			name: "another agent takes no model along",
			chat: wire.Selection{Agent: "claude", Model: "big", Mode: wire.ModePlan},
			by:   wire.Selection{Agent: "codex"},
			want: wire.Selection{Agent: "codex", Mode: wire.ModePlan},
		},
		{
			name: "a request with its agent means its defaults",
			chat: wire.Selection{Agent: "claude", Model: "big", Effort: "high", Mode: wire.ModePlan},
			by:   wire.Selection{Agent: "claude"},
			want: wire.Selection{Agent: "claude", Mode: wire.ModePlan},
		},
		{
			name: "a mode that the agent lacks is not taken along",
			chat: wire.Selection{Agent: "claude", Mode: wire.ModeCode},
			by:   wire.Selection{Agent: "codex"},
			want: wire.Selection{Agent: "codex", Mode: wire.ModeChat},
		},
		{
			name: "an agent that is gone is not taken along",
			chat: wire.Selection{Agent: "gone", Model: "x", Mode: wire.ModePlan},
			want: wire.Selection{Agent: "claude", Mode: wire.ModePlan},
		},
		{
			name: "an effort that is gone is not taken along",
			chat: wire.Selection{Agent: "claude", Effort: "gone", Mode: wire.ModePlan},
			want: wire.Selection{Agent: "claude", Mode: wire.ModePlan},
		},
		{
			name: "a model of which there is no list",
			by:   wire.Selection{Agent: "codex", Model: "o9-preview", Mode: wire.ModePlan},
			want: wire.Selection{Agent: "codex", Model: "o9-preview", Mode: wire.ModePlan},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, &unready{broken}, scriptOf(claude), scriptOf(codex))
			if tt.person != (wire.Selection{}) {
				if _, err := w.chats.Create(ann, catalog.New{Selected: tt.person}); err != nil {
					t.Fatal(err)
				}
			}
			m, err := w.chats.Create(bob, catalog.New{Selected: tt.chat})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.hub.Prompt(t.Context(), m.ID, ann, runhub.Prompt{Text: "a", Selection: tt.by}); err != nil {
				t.Fatal(err)
			}
			w.settled(m.ID)
			if got := w.events(m.ID)[0].ev.(wire.User).Selection; got != tt.want {
				t.Errorf("selection = %+v, want %+v", got, tt.want)
			}
			if m, err := w.chats.Get(m.ID); err != nil || m.Selected != tt.want {
				t.Errorf("stored = %+v, %v", m.Selected, err)
			}
			if got := w.chats.LastSelection(ann.ID); got != tt.want {
				t.Errorf("the person's last = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestPrompt_noAgentIsReady(t *testing.T) {
	t.Parallel()
	w := start(t, &unready{newPuppet("broken")})
	_, err := w.hub.Prompt(t.Context(), w.chat(), ann, runhub.Prompt{Text: "a"})
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != fault.Unavailable || f.Hint == "" {
		t.Errorf("Prompt = %v, want unavailable with a hint", err)
	}
}

// A resumed agent gets its session back, also after a restart; another agent
// does not get it.
func TestPrompt_resumesTheSession(t *testing.T) {
	t.Parallel()
	claude, codex := newPuppet("claude"), newPuppet("codex")
	w := start(t, claude, codex)
	id := w.chat()
	ask := func(w *world, p *puppet, session string) string {
		t.Helper()
		if _, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{Text: "a", Selection: wire.Selection{Agent: p.info.ID}}); err != nil {
			t.Fatal(err)
		}
		c := <-p.calls
		if session != "" {
			c.emit(t, wire.Session{Agent: p.info.ID, SessionID: session})
		}
		c.ok()
		w.settled(id)
		return c.req.Session
	}
	for _, tt := range []struct {
		p          *puppet
		emit, want string
	}{
		{p: claude, emit: "s1"},
		{p: claude, want: "s1"},
		{p: codex, emit: "x1"},
		{p: claude, want: "s1", emit: "s2"},
		{p: codex, want: "x1"},
	} {
		if got := ask(w, tt.p, tt.emit); got != tt.want {
			t.Errorf("%s was given session %q, want %q", tt.p.info.ID, got, tt.want)
		}
	}
	claude2 := newPuppet("claude")
	after := w.crash(runhub.Options{}, claude2)
	if got := ask(after, claude2, ""); got != "s2" {
		t.Errorf("after a restart: session %q, want s2", got)
	}
}
