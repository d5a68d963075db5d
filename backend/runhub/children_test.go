package runhub_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/agent/demo"
	"signalbox/backend/proc"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

func launcher(t *testing.T) *proc.Launcher {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return proc.NewLauncher(proc.Options{Exe: exe, Instance: t.Name(), Grace: proc.Grace{Interrupt: 50 * time.Millisecond, Terminate: 50 * time.Millisecond}})
}

// An agent that returns without ending what it started: the run ends it, before
// its complete.
func TestRun_endsWhatTheAgentLeaves(t *testing.T) {
	t.Parallel()
	var pid int
	var record []byte
	var w *world
	s := scripted(func(ctx context.Context, req agent.Request, h agent.Host) (agent.Result, error) {
		c, err := req.Start(ctx, proc.Spec{
			Argv: []string{"/bin/sh", "-c", `trap '' INT TERM; sleep 600 & echo $!; wait`}, Dir: "/",
			Env: []string{"PATH=" + os.Getenv("PATH")},
		})
		if err != nil {
			return agent.Result{}, err
		}
		line, err := c.Line()
		if err != nil {
			return agent.Result{}, err
		}
		if pid, err = strconv.Atoi(string(line)); err != nil {
			return agent.Result{}, err
		}
		record, err = os.ReadFile(filepath.Join(w.store.Dir(req.Chat), "running.json"))
		if err != nil || !strings.Contains(string(record), strconv.Itoa(c.Supervisor().PID)) {
			t.Errorf("running.json = %s, %v; want the supervisor %d", record, err, c.Supervisor().PID)
		}
		return agent.Result{Status: wire.StatusOK}, nil
	})
	w = startIn(t, t.TempDir(), runhub.Options{Launcher: launcher(t)}, s)
	id := w.chat()
	w.prompt(id, "a", "hello")
	v := w.follow(id, ann, nil)
	defer v.feed.Close()
	v.upto(3)
	if got := w.last(id); got.(wire.Complete).Status != wire.StatusOK {
		t.Fatalf("last event = %+v", got)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the grandchild %d lives when complete is logged: %v", pid, err)
	}
	w.settled(id)
}

// A line that is too long is kept beside the log, and its event says so.
func TestRun_cutLine(t *testing.T) {
	t.Parallel()
	w := startIn(t, t.TempDir(), runhub.Options{Launcher: launcher(t)}, scripted(
		func(ctx context.Context, req agent.Request, h agent.Host) (agent.Result, error) {
			c, err := req.Start(ctx, proc.Spec{
				Argv: []string{"/bin/sh", "-c", `head -c 70000000 /dev/zero | tr '\0' x; echo; echo next`}, Dir: "/",
				Env: []string{"PATH=" + os.Getenv("PATH")},
			})
			if err != nil {
				return agent.Result{}, err
			}
			var lines []string
			for {
				line, err := c.Line()
				if err != nil {
					break
				}
				lines = append(lines, string(line))
			}
			c.Wait()
			if !slices.Equal(lines, []string{"next"}) {
				t.Errorf("%d lines were read", len(lines))
			}
			return agent.Result{Status: wire.StatusOK}, nil
		}))
	id := w.chat()
	w.prompt(id, "a", "hello")
	w.settled(id)
	if got := w.types(id); got != "user run_started system complete" {
		t.Fatalf("log = %s", got)
	}
	cut := w.events(id)[2].ev.(wire.System)
	if cut.Code != "line_cut" || cut.Ref == nil || cut.Ref.Bytes < 70_000_000 {
		t.Errorf("notice = %+v", cut)
	}
	l, err := w.store.Log(id)
	if err != nil {
		t.Fatal(err)
	}
	body, err := l.OpenBlob(cut.Ref.SHA256)
	if err != nil {
		t.Fatalf("the line cannot be opened: %v", err)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
}

// A whole agent: it answers, is stopped in the middle, and is resumed, also by
// the next daemon.
func TestRun_demoAgent(t *testing.T) {
	t.Parallel()
	provider := func() agent.Provider {
		p, err := demo.New(demo.Options{Pace: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	w := startIn(t, t.TempDir(), runhub.Options{Launcher: launcher(t)}, provider())
	id := w.chat()
	resumed := func(w *world) []bool {
		var all []bool
		for _, e := range w.events(id) {
			if s, ok := e.ev.(wire.Session); ok {
				all = append(all, s.Resumed)
			}
		}
		return all
	}
	verdict := func(w *world, want wire.Status) {
		t.Helper()
		w.settled(id)
		if got, ok := w.last(id).(wire.Complete); !ok || got.Status != want {
			t.Errorf("last event = %+v, want complete %s", w.last(id), want)
		}
	}
	w.prompt(id, "a", "text")
	verdict(w, wire.StatusOK)

	v := w.follow(id, bob, nil)
	w.prompt(id, "b", "slow")
	v.until(func() bool { return v.sync.Phase == wire.PhaseRunning })
	if err := w.hub.Cancel(t.Context(), id, ann, ""); err != nil {
		t.Fatal(err)
	}
	verdict(w, wire.StatusCancelled)
	v.feed.Close()

	after := w.crash(runhub.Options{Launcher: launcher(t)}, provider())
	after.prompt(id, "c", "text")
	verdict(after, wire.StatusOK)
	if got := resumed(after); !slices.Equal(got, []bool{false, true, true}) {
		t.Errorf("sessions resumed: %v", got)
	}
}
