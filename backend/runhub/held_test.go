package runhub

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/proc"
	"signalbox/backend/wire"
)

// inside is an agent that reaches into its run: for what no real child or log
// does on demand.
type inside struct {
	do func(r *run) (agent.Result, error)
}

func (i *inside) Info() agent.Info { return agent.Info{ID: "inside", Name: "Inside"} }

func (i *inside) Probe(context.Context) agent.Status { return agent.Status{State: agent.StateReady} }

func (i *inside) Run(_ context.Context, _ agent.Request, h agent.Host) (agent.Result, error) {
	return i.do(h.(*host).run)
}

// stubborn is a child of which a process could not be ended.
type stubborn struct{ left []proc.Process }

func (s *stubborn) Supervisor() proc.Process { return proc.Process{PID: 1} }
func (s *stubborn) Stop()                    {}
func (s *stubborn) Wait() proc.Exit          { return proc.Exit{Left: s.left} }
func (s *stubborn) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

type daemon struct {
	hub   *Hub
	store *eventlog.Store
	chats *catalog.Catalog
	chat  wire.ChatID
	stop  func()
}

func startInside(t *testing.T, do func(r *run) (agent.Result, error)) *daemon {
	t.Helper()
	store, err := eventlog.Open(t.TempDir(), eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	chats, err := catalog.Open(store, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	agents, err := agent.NewRegistry(&inside{do})
	if err != nil {
		t.Fatal(err)
	}
	m, err := chats.Create(wire.Person{ID: "u_1", Name: "Ann"}, catalog.New{})
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{hub: New(store, chats, agents, Options{}), store: store, chats: chats, chat: m.ID}
	hubCtx, stopHub := context.WithCancel(context.Background())
	logCtx, stopLogs := context.WithCancel(context.Background())
	var hub, logs sync.WaitGroup
	hub.Go(func() { _ = d.hub.Run(hubCtx) })
	logs.Go(func() { _ = store.Run(logCtx) })
	d.stop = sync.OnceFunc(func() {
		stopHub()
		hub.Wait()
		stopLogs()
		logs.Wait()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(d.stop)
	return d
}

func (d *daemon) prompt(t *testing.T) (wire.PromptResult, error) {
	t.Helper()
	return d.hub.Prompt(t.Context(), d.chat, wire.Person{ID: "u_1", Name: "Ann"}, Prompt{Text: "hello", WhenBusy: whenBusyReject})
}

// until follows the chat until it is in the phase.
func (d *daemon) until(t *testing.T, phase wire.Phase) {
	t.Helper()
	f, err := d.hub.Follow(d.chat, wire.Person{ID: "u_2", Name: "Bob"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for want := `"phase":"` + string(phase) + `"`; ; {
		b, err := f.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, frame := range b.Frames {
			if strings.Contains(string(frame), want) {
				return
			}
		}
	}
}

// events returns those of the log that are of the type.
func events[E wire.Event](t *testing.T, d *daemon) []E {
	t.Helper()
	l, err := d.store.Log(d.chat)
	if err != nil {
		t.Fatal(err)
	}
	var all []E
	for line, err := range l.Events(0) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ev, err := wire.Decode(line); err != nil {
			t.Fatal(err)
		} else if e, ok := ev.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

func (d *daemon) completes(t *testing.T) []wire.Complete {
	t.Helper()
	return events[wire.Complete](t, d)
}

// asked waits until the agent has asked leave.
func (d *daemon) asked(t *testing.T) wire.Approval {
	t.Helper()
	f, err := d.hub.Follow(d.chat, wire.Person{ID: "u_2", Name: "Bob"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for {
		if all := events[wire.Approval](t, d); len(all) > 0 {
			return all[0]
		}
		if _, err := f.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// Processes that cannot be ended hold the chat until they are gone.
func TestRun_processesLeft(t *testing.T) {
	t.Parallel()
	sleep := exec.CommandContext(t.Context(), "sleep", "600")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	first := true
	d := startInside(t, func(r *run) (agent.Result, error) {
		if first {
			first = false
			r.children.all = append(r.children.all, &stubborn{left: processes(t, sleep.Process.Pid)})
		}
		return agent.Result{Status: wire.StatusOK, Usage: &wire.Usage{Input: 1}}, nil
	})
	res, err := d.prompt(t)
	if err != nil {
		t.Fatal(err)
	}
	d.until(t, wire.PhaseHeld)
	c := d.completes(t)
	if len(c) != 1 || c[0].Status != wire.StatusFailed || c[0].Code != "processes_left" || !strings.Contains(c[0].Notice, "sleep") || c[0].Usage == nil {
		t.Errorf("complete = %+v", c)
	}
	if s, err := d.chats.Summary(d.chat, "u_1"); err != nil || s.Running || s.Phase != wire.PhaseHeld {
		t.Errorf("listed as %+v, %v", s, err)
	}
	_, err = d.prompt(t)
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != fault.Busy || f.Run != string(res.Run) || !strings.Contains(f.Message, "sleep") {
		t.Errorf("Prompt to a held chat = %v", err)
	}
	if _, err := os.Stat(filepath.Join(d.store.Dir(d.chat), "running.json")); err != nil {
		t.Errorf("the record of a held run: %v", err)
	}

	if err := sleep.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = sleep.Wait() // it was killed
	if err := d.hub.Cancel(t.Context(), d.chat, wire.Person{ID: "u_1", Name: "Ann"}, ""); err != nil {
		t.Errorf("Cancel of a held run = %v", err)
	}
	d.until(t, wire.PhaseIdle)
	if _, err := d.prompt(t); err != nil {
		t.Errorf("Prompt once the processes are gone = %v", err)
	}
	d.until(t, wire.PhaseIdle)
	if got := d.completes(t); len(got) != 2 {
		t.Errorf("%d complete events of two runs", len(got))
	}
}

// A daemon that ends while a chat is held does not wait for the processes.
func TestHub_shutdownWhileHeld(t *testing.T) {
	t.Parallel()
	d := startInside(t, func(r *run) (agent.Result, error) {
		r.children.all = append(r.children.all, &stubborn{left: processes(t, os.Getpid())})
		return agent.Result{Status: wire.StatusOK}, nil
	})
	if _, err := d.prompt(t); err != nil {
		t.Fatal(err)
	}
	d.until(t, wire.PhaseHeld)
	d.stop()
}

// flaky is a log that refuses on demand.
type flaky struct {
	journal

	mu       sync.Mutex
	refuse   error
	unsynced error
	told     chan struct{} // gets one value for each refused write, if there is room
}

func (f *flaky) Append(ds ...wire.Draft) (uint64, error) {
	f.mu.Lock()
	err := f.refuse
	f.mu.Unlock()
	if err != nil {
		select {
		case f.told <- struct{}{}:
		default:
		}
		return 0, err
	}
	return f.journal.Append(ds...)
}

func (f *flaky) Sync(ctx context.Context) error {
	f.mu.Lock()
	err := f.unsynced
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return f.journal.Sync(ctx)
}

func (f *flaky) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuse = err
}

// A log that takes no more stops the run; its end is written as soon as the log
// takes it.
func TestRun_logRefuses(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left on device")
	log := &flaky{told: make(chan struct{}, 1)}
	d := startInside(t, func(r *run) (agent.Result, error) {
		h := &host{run: r}
		if err := h.Emit(wire.AssistantText{Item: "i", Delta: "before"}); err != nil {
			return agent.Result{}, err
		}
		log.set(full)
		err := h.Emit(wire.Todo{})
		return agent.Result{}, err
	})
	room, err := d.hub.room(d.chat)
	if err != nil {
		t.Fatal(err)
	}
	log.journal, room.log = room.log, log

	log.set(full)
	if _, err := d.prompt(t); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("Prompt to a full disk = %v, want unavailable", err)
	}
	d.until(t, wire.PhaseIdle)
	log.set(nil)
	<-log.told

	if _, err := d.prompt(t); err != nil {
		t.Fatal(err)
	}
	<-log.told
	d.until(t, wire.PhaseStopping)
	if got := d.completes(t); len(got) != 0 {
		t.Errorf("complete = %+v while the disk is full", got)
	}
	log.set(nil)
	d.until(t, wire.PhaseIdle)
	got := d.completes(t)
	if len(got) != 1 || got[0].Status != wire.StatusFailed || got[0].Code != "log_refused" {
		t.Errorf("complete = %+v", got)
	}
}

// An answer that cannot be written down does not count: it is not written when the
// disk has space again, its rule does not stay, and the agent never heard of it.
func TestAnswer_logRefuses(t *testing.T) {
	t.Parallel()
	log := &flaky{told: make(chan struct{}, 1)}
	d := startInside(t, func(r *run) (agent.Result, error) {
		answer, err := (&host{run: r}).Ask(t.Context(), agent.Ask{
			Kind: wire.ApprovalCommand, Tool: "Bash", Title: "make", Input: []byte(`{"command":"make"}`), Cwd: r.cwd,
		})
		if err == nil {
			t.Errorf("the agent was told %+v", answer)
		}
		return agent.Result{}, err
	})
	room, err := d.hub.room(d.chat)
	if err != nil {
		t.Fatal(err)
	}
	log.journal, room.log = room.log, log
	res, err := d.prompt(t)
	if err != nil {
		t.Fatal(err)
	}
	asked := d.asked(t)
	log.set(errors.New("no space left on device"))
	by := wire.Person{ID: "u_1", Name: "Ann"}
	err = d.hub.Answer(t.Context(), d.chat, by, Answer{ApprovalID: asked.ApprovalID, Option: wire.OptionChat})
	if fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("Answer = %v, want unavailable", err)
	}
	log.set(nil)
	d.until(t, wire.PhaseIdle)
	if got := d.completes(t); len(got) != 1 || got[0].Code != "log_refused" {
		t.Errorf("complete of %s = %+v", res.Run, got)
	}
	if got := events[wire.ApprovalAnswered](t, d); len(got) > 0 {
		t.Errorf("the log holds %+v", got)
	}
	m, err := d.chats.Get(d.chat)
	if err != nil || len(m.Rules) != 0 {
		t.Errorf("rules = %+v, %v", m.Rules, err)
	}
}

// A prompt that cannot be made durable is not acknowledged, and its run ends.
func TestRun_promptNotSynced(t *testing.T) {
	t.Parallel()
	log := &flaky{told: make(chan struct{}, 1), unsynced: errors.New("input/output error")}
	d := startInside(t, func(*run) (agent.Result, error) {
		t.Error("the agent was asked")
		return agent.Result{Status: wire.StatusOK}, nil
	})
	room, err := d.hub.room(d.chat)
	if err != nil {
		t.Fatal(err)
	}
	log.journal, room.log = room.log, log
	if _, err := d.prompt(t); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("Prompt = %v, want unavailable", err)
	}
	d.until(t, wire.PhaseIdle)
	if got := d.completes(t); len(got) != 1 || got[0].Status != wire.StatusFailed {
		t.Errorf("complete = %+v", got)
	}
}

// A daemon that ends while the disk is full leaves the end to the next one.
func TestRun_logRefusesUntilTheDaemonEnds(t *testing.T) {
	t.Parallel()
	log := &flaky{told: make(chan struct{}, 1)}
	d := startInside(t, func(r *run) (agent.Result, error) {
		log.set(errors.New("no space left on device"))
		return agent.Result{Status: wire.StatusOK}, nil
	})
	room, err := d.hub.room(d.chat)
	if err != nil {
		t.Fatal(err)
	}
	log.journal, room.log = room.log, log
	if _, err := d.prompt(t); err != nil {
		t.Fatal(err)
	}
	<-log.told
	d.stop()
}

func processes(t *testing.T, pid int) []proc.Process {
	t.Helper()
	p, ok := proc.Find(pid)
	if !ok {
		t.Fatalf("there is no process %d", pid)
	}
	p.Command = "sleep"
	return []proc.Process{p}
}
