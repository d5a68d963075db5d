package runhub_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// talker is an agent with sessions of its own: each run goes on with the one
// that it is given, or begins the next, answers "<text> heard", and ends its turn.
type talker struct {
	puppet

	mu       sync.Mutex
	sessions int
	turns    int
	requests []agent.Request
	lost     bool // every session is gone
}

func newTalker(id wire.AgentID, forks, rewinds bool) *talker {
	t := &talker{puppet: *newPuppet(id)}
	t.info.Forks, t.info.Rewinds = forks, rewinds
	return t
}

func (a *talker) Run(_ context.Context, req agent.Request, host agent.Host) (agent.Result, error) {
	a.mu.Lock()
	a.requests = append(a.requests, req)
	session := req.Session
	if a.lost {
		session = ""
	}
	begun := session == "" || req.Fork
	if begun {
		a.sessions++
		session = fmt.Sprintf("%s-s%d", a.info.ID, a.sessions)
	}
	a.turns++
	turn := fmt.Sprintf("%s-t%d", a.info.ID, a.turns)
	a.mu.Unlock()
	evs := []wire.Event{
		wire.Session{Agent: a.info.ID, SessionID: session, Resumed: !begun, Forked: req.Fork},
		wire.AssistantText{Item: turn, Delta: "heard "},
		wire.AssistantText{Item: turn, Delta: turn},
	}
	for _, ev := range evs {
		if err := host.Emit(ev); err != nil {
			return agent.Result{}, err
		}
	}
	if !a.info.Rewinds {
		turn = ""
	}
	return agent.Result{Status: wire.StatusOK, Turn: turn}, nil
}

// last returns what the agent was asked last.
func (a *talker) last() agent.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.requests[len(a.requests)-1]
}

// way is how a request goes on: "session fork turn".
func way(r agent.Request) string {
	return strings.TrimSpace(fmt.Sprintf("%s %v %s", r.Session, r.Fork, r.Turn))
}

// say sends the prompt and waits for its answer.
func (w *world) say(id wire.ChatID, clientID, text string, to wire.AgentID) wire.PromptResult {
	w.t.Helper()
	res, err := w.hub.Prompt(w.t.Context(), id, ann, runhub.Prompt{ClientID: clientID, Text: text, Selection: wire.Selection{Agent: to}})
	if err != nil {
		w.t.Fatalf("Prompt: %v", err)
	}
	w.settled(id)
	return res
}

func (w *world) rewind(id wire.ChatID, seq uint64) wire.Cut {
	w.t.Helper()
	cut, err := w.hub.Rewind(id, ann, seq)
	if err != nil {
		w.t.Fatalf("Rewind: %v", err)
	}
	return cut
}

func (w *world) outline(id wire.ChatID) wire.Outline {
	w.t.Helper()
	o, err := w.hub.Outline(id)
	if err != nil {
		w.t.Fatalf("Outline: %v", err)
	}
	return o
}

func wantCode(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Errorf("%s = %v, want code %q", what, err, code)
	}
}

// A7, A99: the chosen prompt and everything later is gone; what was taken out
// can be brought back while no prompt was sent.
func TestHub_Rewind(t *testing.T) {
	t.Parallel()
	a := newTalker("claude", true, true)
	w := start(t, a)
	id := w.chat()
	first := w.say(id, "a", "first thing", "claude")
	second := w.say(id, "b", "second\nthing", "claude")
	w.say(id, "c", "third thing", "claude")
	before := w.events(id)
	b := w.follow(id, bob, nil)
	defer b.feed.Close()
	b.upto(before[len(before)-1].Seq)

	cut := w.rewind(id, second.Seq)
	if cut.Keep != second.Seq-1 || cut.Prompts != 2 || cut.Line != "second" || !cut.Restorable || cut.Cause != wire.CauseRewind ||
		!cut.Expires.Equal(cut.At.Add(7*24*time.Hour)) {
		t.Errorf("cut = %+v", cut)
	}
	if len(cut.Sent) != 2 || cut.Sent[0].Seq != second.Seq || cut.Sent[0].Line != "second" || cut.Sent[1].Line != "third thing" ||
		cut.Sent[1].T.Before(cut.Sent[0].T.Time) {
		t.Errorf("prompts of the cut = %+v", cut.Sent)
	}
	o := w.outline(id)
	if len(o.Prompts) != 1 || o.Prompts[0].Seq != first.Seq || o.Epoch != cut.Epoch {
		t.Errorf("outline after the rewind = %+v", o)
	}
	if diff := cmp.Diff([]wire.Cut{cut}, o.Cuts); diff != "" {
		t.Errorf("cuts of the outline (-want +got)\n%s", diff)
	}
	b.until(func() bool { return b.pos.Epoch == cut.Epoch })
	if len(b.lines) != int(cut.Keep)+1 {
		t.Errorf("who follows has %d lines, want %d and the epoch", len(b.lines), cut.Keep)
	}

	if err := w.hub.Restore(id, ann, cut.Epoch); err != nil {
		t.Fatalf("Restore: %v", err)
	}
	after := w.events(id)
	if len(after) != len(before)+1 || after[len(after)-1].Type != wire.TypeEpoch {
		t.Errorf("%d events after the restore, want %d and its epoch", len(after), len(before))
	}
	if o := w.outline(id); len(o.Prompts) != 3 || len(o.Cuts) != 0 {
		t.Errorf("outline after the restore = %+v", o)
	}
	// The session is the chat's own again.
	w.say(id, "d", "fourth", "claude")
	if got := way(a.last()); got != "claude-s1 false" {
		t.Errorf("after the restore the run goes on with %q", got)
	}
	wantCode(t, "a second restore", w.hub.Restore(id, ann, 0), fault.NotFound)
}

// A100, A123: refused by the server while a run starts or lives, and for a prompt
// that is not there.
func TestHub_Rewind_refused(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	_, err := w.hub.Rewind(id, bob, 1)
	wantCode(t, "rewind while a run lives", err, fault.Busy)
	if err != nil && !strings.Contains(err.(*fault.Error).Hint, "Nothing was changed") {
		t.Errorf("its hint = %q", err.(*fault.Error).Hint)
	}
	wantCode(t, "restore while a run lives", w.hub.Restore(id, bob, 0), fault.Busy)
	c.ok()
	w.settled(id)
	for _, seq := range []uint64{0, 2, 99} {
		_, err := w.hub.Rewind(id, bob, seq)
		wantCode(t, fmt.Sprint("rewind to event ", seq), err, fault.NotFound)
	}
	_, err = w.hub.Rewind("c_00000000000000000000000000", bob, 1)
	wantCode(t, "rewind of an unknown chat", err, fault.NotFound)
	wantCode(t, "restore of nothing", w.hub.Restore(id, bob, 0), fault.NotFound)
	wantCode(t, "restore of an unknown cut", w.hub.Restore(id, bob, 7), fault.NotFound)
}

// A123: rewinds and prompts that come at the same time happen one after the
// other: each prompt has its run whole, or is gone whole.
func TestHub_Rewind_doesNotInterleaveWithPrompts(t *testing.T) {
	t.Parallel()
	w := start(t, newTalker("claude", true, true))
	id := w.chat()
	first := w.say(id, "first", "hello", "claude")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			_, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{ClientID: fmt.Sprint("p", i), Text: "hello", WhenBusy: "reject"})
			if err != nil && fault.CodeOf(err) != fault.Busy {
				t.Errorf("Prompt: %v", err)
			}
		})
		wg.Go(func() {
			for _, p := range w.outline(id).Prompts {
				if p.Seq <= first.Seq {
					continue
				}
				_, err := w.hub.Rewind(id, bob, p.Seq)
				if code := fault.CodeOf(err); err != nil && code != fault.Busy && code != fault.NotFound {
					t.Errorf("Rewind: %v", err)
				}
			}
		})
	}
	wg.Wait()
	w.settled(id)
	open := map[wire.RunID]bool{}
	for _, e := range w.events(id) {
		switch e.Type {
		case wire.TypeUser:
			open[e.Run] = true
		case wire.TypeComplete:
			if !open[e.Run] {
				t.Errorf("run %s is complete without a prompt", e.Run)
			}
			delete(open, e.Run)
		}
	}
	if len(open) > 0 {
		t.Errorf("runs without an end: %v", open)
	}
}

func TestHub_Restore_conflicts(t *testing.T) {
	t.Parallel()
	w := start(t, newTalker("claude", true, true))
	id := w.chat()
	w.say(id, "a", "one", "claude")
	second := w.say(id, "b", "two", "claude")
	older := w.rewind(id, second.Seq)
	third := w.say(id, "c", "three", "claude")
	wantCode(t, "restore after a prompt", w.hub.Restore(id, ann, 0), fault.Conflict)
	newer := w.rewind(id, third.Seq)
	wantCode(t, "restore of an older cut", w.hub.Restore(id, ann, older.Epoch), fault.Conflict)
	if o := w.outline(id); len(o.Cuts) != 2 || o.Cuts[0].Epoch != newer.Epoch || !o.Cuts[0].Restorable || o.Cuts[1].Restorable {
		t.Errorf("cuts = %+v", o.Cuts)
	}
	if err := w.hub.Restore(id, ann, newer.Epoch); err != nil {
		t.Errorf("restore of the newer = %v", err)
	}
}

// T10: the client id of a rewound prompt is taken for as long as the chat lives:
// after a restart, and when nothing of the prompt is kept any more.
func TestHub_rewoundClientIDsLiveAsLongAsTheChat(t *testing.T) {
	t.Parallel()
	w := start(t, newTalker("claude", true, true))
	id := w.chat()
	w.say(id, "a", "one", "claude")
	long := strings.Repeat("long ", 10_000)
	second := w.say(id, "b", long, "claude")
	w.rewind(id, second.Seq)
	third := w.say(id, "c", "three", "claude")
	w.rewind(id, third.Seq)
	check := func(when string, w *world) {
		t.Helper()
		for clientID, want := range map[string]wire.PromptResult{"b": second, "c": third} {
			text := map[string]string{"b": long, "c": "three"}[clientID]
			got, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{ClientID: clientID, Text: text})
			if err != nil || got != want {
				t.Errorf("%s, prompt %s again = %+v, %v; want %+v", when, clientID, got, err, want)
			}
			_, err = w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{ClientID: clientID, Text: "other"})
			wantCode(t, when+", with another text", err, fault.Conflict)
		}
	}
	check("at once", w)
	w = w.crash(runhub.Options{}, newTalker("claude", true, true))
	check("after a crash", w)
	w.hub.Tidy(t.Context(), time.Now().Add(8*24*time.Hour))
	if o := w.outline(id); len(o.Cuts) != 0 {
		t.Errorf("after 8 days there are the cuts %+v", o.Cuts)
	}
	w = w.crash(runhub.Options{}, newTalker("claude", true, true))
	check("after its events were deleted", w)
}

// A file that cannot be read costs the memory of rewound prompts, not the chat, and
// is never written over.
func TestHub_rewoundClientIDs_damagedFile(t *testing.T) {
	t.Parallel()
	w := start(t, newTalker("claude", true, true))
	id := w.chat()
	first := w.say(id, "a", "one", "claude")
	w.rewind(id, first.Seq)
	w.stop()
	if err := os.WriteFile(filepath.Join(w.dir, "chats", string(id), "rewound.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	w = startIn(t, w.dir, runhub.Options{}, newTalker("claude", true, true))
	second := w.say(id, "b", "two", "claude")
	w.rewind(id, second.Seq)
	kept, err := filepath.Glob(filepath.Join(w.dir, "chats", string(id), "rewound.json.damaged-*"))
	if err != nil || len(kept) != 1 {
		t.Errorf("kept aside: %q, %v", kept, err)
	}
	if res := w.prompt(id, "b", "two"); res.Run != second.Run {
		t.Errorf("the prompt that was taken out = %+v, want %+v", res, second)
	}
}

// The list agrees with what is left of the chat.
func TestHub_Rewind_tellsTheList(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	res := w.prompt(id, "a", "name me after this")
	(<-p.calls).ok()
	w.settled(id)
	if _, err := w.chats.Update(id, func(m *catalog.Meta) error { m.MarkRead(bob.ID); return nil }); err != nil {
		t.Fatal(err)
	}
	watcher := w.chats.Watch(bob.ID)
	defer watcher.Close()
	w.rewind(id, res.Seq)
	frames, err := watcher.Next(t.Context())
	if err != nil || len(frames) != 1 {
		t.Fatalf("frames = %+v, %v", frames, err)
	}
	s := frames[0].(wire.ChatChanged).Chat
	if s.Title != "" || s.Verdict != "" || !s.Unread {
		t.Errorf("the rewound chat is listed as %+v", s)
	}
	if s, err := w.chats.Summary(id, ann.ID); err != nil || s.Unread {
		t.Errorf("to who rewound it = %+v, %v", s, err)
	}
	if err := w.hub.Restore(id, ann, 0); err != nil {
		t.Fatal(err)
	}
	if s, err := w.chats.Summary(id, ann.ID); err != nil || s.Title != "name me after this" || s.Verdict != wire.StatusOK {
		t.Errorf("the restored chat is listed as %+v, %v", s, err)
	}
}

// What waits in the queue was meant for another course of the chat: it rests.
func TestHub_Rewind_pausesTheQueue(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	if _, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{ClientID: "b", Text: "later"}); err != nil {
		t.Fatal(err)
	}
	c.end <- func() (agent.Result, error) { return agent.Result{Status: wire.StatusFailed}, nil }
	w.settled(id)
	w.rewind(id, 1)
	q, err := w.hub.Queue(id)
	if err != nil || len(q.Items) != 1 || q.Paused == nil || q.Paused.Reason != wire.PauseRewound {
		t.Errorf("queue after a rewind = %+v, %v", q, err)
	}
}

// Rewind and restore bring back the same bytes.
func TestHub_Restore_bringsBackTheSameLines(t *testing.T) {
	t.Parallel()
	w := start(t, newTalker("claude", true, true))
	id := w.chat()
	w.say(id, "a", "one", "claude")
	second := w.say(id, "b", "two", "claude")
	path := filepath.Join(w.dir, "chats", string(id), "events.jsonl")
	lines := func() []byte {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := bytes.Cut(b, []byte("\n"))
		return rest
	}
	before := lines()
	w.rewind(id, second.Seq)
	if err := w.hub.Restore(id, ann, 0); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(lines(), before) {
		t.Error("the restored lines are not those that were taken out")
	}
}
