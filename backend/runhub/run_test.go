package runhub_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

type outcome = func(context.Context, agent.Request, agent.Host) (agent.Result, error)

// Every run has one verdict, whatever its agent does.
func TestRun_verdict(t *testing.T) {
	t.Parallel()
	usage := &wire.Usage{Input: 7, Output: 3, Model: "big"}
	for _, tt := range []struct {
		name string
		run  outcome
		want wire.Complete
		log  string // types of events after run_started
	}{
		{
			name: "ok, with what the agent says of it",
			run: func(context.Context, agent.Request, agent.Host) (agent.Result, error) {
				return agent.Result{Status: wire.StatusOK, Usage: usage, Turn: "t1"}, nil
			},
			want: wire.Complete{Status: wire.StatusOK, Usage: usage, Turn: "t1"},
			log:  "complete",
		},
		{
			name: "too many steps",
			run: func(context.Context, agent.Request, agent.Host) (agent.Result, error) {
				return agent.Result{Status: wire.StatusMaxIterations, Notice: "100 steps."}, nil
			},
			want: wire.Complete{Status: wire.StatusMaxIterations, Notice: "100 steps."},
			log:  "complete",
		},
		{
			name: "the agent's own failure",
			run: func(_ context.Context, _ agent.Request, h agent.Host) (agent.Result, error) {
				return agent.Result{Status: wire.StatusFailed, Code: "auth"}, h.Emit(wire.Error{Code: "auth", Message: "Not signed in."})
			},
			want: wire.Complete{Status: wire.StatusFailed, Code: "auth"},
			log:  "error complete",
		},
		{
			name: "a fault of ours",
			run: func(context.Context, agent.Request, agent.Host) (agent.Result, error) {
				return agent.Result{Status: wire.StatusOK}, errTest
			},
			want: wire.Complete{Status: wire.StatusFailed, Code: "internal"},
			log:  "error complete",
		},
		{
			name: "a fault that people may read",
			run: func(context.Context, agent.Request, agent.Host) (agent.Result, error) {
				return agent.Result{}, fault.New(fault.NotFound, "The folder is gone.")
			},
			want: wire.Complete{Status: wire.StatusFailed, Code: "not_found"},
			log:  "error complete",
		},
		{
			name: "a panic",
			run:  func(context.Context, agent.Request, agent.Host) (agent.Result, error) { panic("on purpose") },
			want: wire.Complete{Status: wire.StatusFailed, Code: "internal"},
			log:  "error complete",
		},
		{
			name: "no status",
			run:  func(context.Context, agent.Request, agent.Host) (agent.Result, error) { return agent.Result{}, nil },
			want: wire.Complete{Status: wire.StatusFailed, Code: "no_verdict"},
			log:  "error complete",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, scripted(tt.run))
			id := w.chat()
			w.prompt(id, "a", "hello")
			w.settled(id)
			got := w.last(id).(wire.Complete)
			got.MS = 0
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("complete (-want +got):\n%s", diff)
			}
			if got := w.types(id); got != "user run_started "+tt.log {
				t.Errorf("log = %s, want %s", got, tt.log)
			}
			if m, err := w.chats.Get(id); err != nil || m.Verdict != tt.want.Status {
				t.Errorf("listed verdict = %q, %v", m.Verdict, err)
			}
			for _, e := range w.events(id) {
				if e, ok := e.ev.(wire.Error); ok && strings.Contains(e.Message, errTest.Error()) {
					t.Errorf("the cause reaches people: %q", e.Message)
				}
			}
			// The chat is free.
			w.prompt(id, "b", "again")
			w.settled(id)
		})
	}
}

// What only the daemon may say, an agent cannot.
func TestHost_refusesWhatIsNotTheAgents(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	for _, ev := range []wire.Event{
		wire.User{},
		wire.RunStarted{},
		wire.Complete{},
		wire.Epoch{},
		wire.Approval{},
		wire.ApprovalAnswered{},
		wire.Question{},
		wire.QuestionAnswered{},
		nil,
	} {
		if err := c.host.Emit(ev); err == nil {
			t.Errorf("%T was taken", ev)
		}
	}
	c.ok()
	w.settled(id)
	if got := w.types(id); got != "user run_started complete" {
		t.Errorf("log = %s", got)
	}
}

func TestHost_nothingIsTakenAfterTheEnd(t *testing.T) {
	t.Parallel()
	w, id, c := running(t)
	c.ok()
	w.settled(id)
	c.host.Remark(wire.ToolUseInput{ToolID: "t"})
	if err := c.host.Emit(wire.AssistantText{Item: "i", Delta: "late"}); err == nil {
		t.Error("Emit succeeded")
	}
	if _, err := c.host.Ask(t.Context(), agent.Ask{}); err == nil {
		t.Error("Ask succeeded")
	}
	if _, err := c.req.Start(t.Context(), procSpec()); err == nil {
		t.Error("Start succeeded")
	}
	if got := w.types(id); got != "user run_started complete" {
		t.Errorf("log = %s", got)
	}
}

// The mode answers an agent that asks, and people see what it said.
func TestHost_ask(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode  wire.Mode
		allow bool
	}{{wire.ModeCode, true}, {wire.ModePlan, false}} {
		t.Run(string(tt.mode), func(t *testing.T) {
			t.Parallel()
			p := newPuppet("claude")
			w := start(t, p)
			id := w.chat()
			if _, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{Text: "a", Selection: wire.Selection{Mode: tt.mode}}); err != nil {
				t.Fatal(err)
			}
			c := <-p.calls
			answer, err := c.host.Ask(t.Context(), agent.Ask{
				ToolID: "t1", Kind: wire.ApprovalEdit, Title: "Edit a.go", Cwd: c.req.Cwd, Paths: []string{filepath.Join(c.req.Cwd, "a.go")},
			})
			if err != nil || answer.Allow != tt.allow {
				t.Fatalf("Ask = %+v, %v", answer, err)
			}
			c.ok()
			w.settled(id)
			if got := w.types(id); got != "user run_started approval approval_answered complete" {
				t.Fatalf("log = %s", got)
			}
			evs := w.events(id)
			asked, answered := evs[2].ev.(wire.Approval), evs[3].ev.(wire.ApprovalAnswered)
			option := map[bool]wire.ApprovalOption{true: wire.OptionOnce, false: wire.OptionDeny}[tt.allow]
			if asked.ApprovalID == "" || asked.ApprovalID != answered.ApprovalID || asked.ToolID != "t1" || asked.Title != "Edit a.go" ||
				answered.Option != option || !answered.Auto || answered.Reason == "" || answered.By != nil {
				t.Errorf("logged %+v and %+v", asked, answered)
			}
		})
	}
}

// The phases of a run, as those who watch see them, and running.json while it
// lives.
func TestRun_phases(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	v := w.follow(id, bob, nil)
	defer v.feed.Close()
	v.until(func() bool { return v.sync.Phase == wire.PhaseIdle })

	res := w.prompt(id, "a", "hello")
	v.until(func() bool { return v.sync.Phase == wire.PhaseStarting })
	if v.sync.Run != res.Run || !v.sync.Running || v.sync.By == nil || *v.sync.By != ann || v.sync.Since == nil {
		t.Errorf("sync = %+v", v.sync)
	}
	c := <-p.calls
	record := filepath.Join(w.store.Dir(id), "running.json")
	if b, err := os.ReadFile(record); err != nil || !strings.Contains(string(b), string(res.Run)) {
		t.Errorf("running.json = %s, %v", b, err)
	}
	if s, err := w.chats.Summary(id, bob.ID); err != nil || !s.Running || s.Phase != wire.PhaseStarting {
		t.Errorf("listed as %+v, %v", s, err)
	}
	c.emit(t, wire.AssistantText{Item: "i", Delta: "x"})
	v.until(func() bool { return v.sync.Phase == wire.PhaseRunning })
	if err := w.hub.Cancel(t.Context(), id, bob, ""); err != nil {
		t.Fatal(err)
	}
	v.until(func() bool { return v.sync.Phase == wire.PhaseStopping })
	v.until(func() bool { return v.sync.Phase == wire.PhaseIdle })
	if v.sync.Running || v.sync.Run != "" {
		t.Errorf("sync = %+v", v.sync)
	}
	if _, err := os.Stat(record); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("running.json after the run: %v", err)
	}
	if got := w.last(id).(wire.Complete); got.Status != wire.StatusCancelled || got.Notice != "Stopped by Bob." {
		t.Errorf("complete = %+v", got)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	cancel := func(run wire.RunID, want fault.Code) {
		t.Helper()
		if err := w.hub.Cancel(t.Context(), id, ann, run); fault.CodeOf(err) != want {
			t.Errorf("Cancel(%q) = %v, want code %q", run, err, want)
		}
	}
	cancel("", fault.Conflict)
	if err := w.hub.Cancel(t.Context(), "c_01ARZ3NDEKTSV4RRFFQ69G5FAV", ann, ""); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Cancel in no chat = %v", err)
	}

	first := w.prompt(id, "a", "hello")
	c := <-p.calls
	cancel("r_01ARZ3NDEKTSV4RRFFQ69G5FAV", fault.Conflict)
	if c.ctx.Err() != nil {
		t.Fatal("another run's cancel stopped this one")
	}
	cancel(first.Run, "")
	<-c.ctx.Done()
	if context.Cause(c.ctx) == nil || !strings.Contains(context.Cause(c.ctx).Error(), "Ann") {
		t.Errorf("cause = %v", context.Cause(c.ctx))
	}
	w.settled(id)
	cancel(first.Run, fault.Conflict)

	// Stopping what is being stopped does nothing; neither does an agent that
	// ends well after all.
	slow := &script{puppet: *newPuppet("slow")}
	release := make(chan struct{})
	slow.run = func(ctx context.Context, _ agent.Request, h agent.Host) (agent.Result, error) {
		<-ctx.Done()
		<-release
		return agent.Result{Status: wire.StatusOK}, h.Emit(wire.AssistantText{Item: "i", Delta: "last words"})
	}
	w2 := start(t, slow)
	id2 := w2.chat()
	w2.prompt(id2, "a", "hello")
	for range 3 {
		if err := w2.hub.Cancel(t.Context(), id2, ann, ""); err != nil {
			t.Errorf("Cancel = %v", err)
		}
	}
	close(release)
	w2.settled(id2)
	if got := w2.last(id2).(wire.Complete); got.Status != wire.StatusCancelled {
		t.Errorf("complete = %+v", got)
	}
	if n := count(w2.events(id2), isType(wire.TypeComplete)); n != 1 {
		t.Errorf("%d complete events", n)
	}
}

// An agent that does not react to being stopped is left behind: its run ends,
// and nothing that it says later counts.
func TestCancel_agentThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked, release, gone := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		w := start(t, scripted(func(_ context.Context, _ agent.Request, h agent.Host) (agent.Result, error) {
			close(asked)
			<-release
			gone <- h.Emit(wire.AssistantText{Item: "i", Delta: "late"})
			return agent.Result{Status: wire.StatusOK}, nil
		}))
		id := w.chat()
		w.prompt(id, "a", "hello")
		<-asked
		begun := time.Now()
		if err := w.hub.Cancel(t.Context(), id, ann, ""); err != nil {
			t.Fatal(err)
		}
		w.settled(id)
		if took := time.Since(begun); took > 30*time.Second {
			t.Errorf("stopping took %v", took)
		}
		if got := w.last(id).(wire.Complete); got.Status != wire.StatusCancelled {
			t.Errorf("complete = %+v", got)
		}
		close(release)
		if err := <-gone; err == nil {
			t.Error("the agent's late event was taken")
		}
		if got := w.types(id); got != "user run_started complete" {
			t.Errorf("log = %s", got)
		}
		w.stop()
	})
}

// A shutdown ends runs as interrupted and takes no more prompts.
func TestHub_shutdown(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id, other := w.chat(), w.chat()
	w.prompt(id, "a", "hello")
	c := <-p.calls
	c.emit(t, wire.AssistantText{Item: "i", Delta: "x"}, wire.AssistantText{Item: "i", Delta: "y"})
	w.stop()
	if _, err := w.hub.Prompt(t.Context(), other, ann, runhub.Prompt{Text: "a"}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("Prompt after shutdown = %v, want unavailable", err)
	}
	after := startIn(t, w.dir, runhub.Options{}, newPuppet("claude"))
	want := wire.Complete{Status: wire.StatusInterrupted, Code: "shutdown", Notice: "Signalbox was stopped during the run."}
	got := after.last(id).(wire.Complete)
	got.MS = 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("complete (-want +got):\n%s", diff)
	}
	if got := after.types(id); got != "user run_started assistant_text assistant_text complete" {
		t.Errorf("log = %s", got)
	}
	if got := after.types(other); got != "" {
		t.Errorf("log of the other chat = %s", got)
	}
}

// Unread is for those who were not there.
func TestRun_unread(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := start(t, p)
	id := w.chat()
	v := w.follow(id, bob, nil)
	defer v.feed.Close()
	unread := func(when string, who wire.UserID, want bool) {
		t.Helper()
		if s, err := w.chats.Summary(id, who); err != nil || s.Unread != want {
			t.Errorf("%s: unread for %s = %v, %v; want %v", when, who, s.Unread, err, want)
		}
	}
	w.prompt(id, "a", "hello")
	c := <-p.calls
	unread("during the run", ann.ID, false)
	unread("during the run", bob.ID, false)
	unread("during the run", "u_other", true)
	c.ok()
	w.settled(id)
	unread("after the run", ann.ID, true)
	unread("after the run", bob.ID, false)
	unread("after the run", "u_other", true)
}

// An agent that floods loses nothing, and order holds.
func TestRun_hundredThousandEvents(t *testing.T) {
	t.Parallel()
	const n = 100_000
	w := start(t, scripted(func(_ context.Context, _ agent.Request, h agent.Host) (agent.Result, error) {
		for i := range n {
			if err := h.Emit(wire.Thinking{Item: "i", Final: string(rune('a' + i%26))}); err != nil {
				return agent.Result{}, err
			}
		}
		return agent.Result{Status: wire.StatusOK}, nil
	}))
	id := w.chat()
	v := w.follow(id, ann, nil)
	defer v.feed.Close()
	w.prompt(id, "a", "hello")
	v.until(func() bool { return v.pos.Seq == n+3 && v.sync.Phase == wire.PhaseIdle })
	if len(v.lines) != n+3 {
		t.Errorf("%d events seen, want %d", len(v.lines), n+3)
	}
	if len(v.resets) > 0 {
		t.Errorf("resets: %v", v.resets)
	}
}
