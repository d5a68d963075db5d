//go:build real

package realtest_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"signalbox/backend/model/modeltest"
	"signalbox/backend/wire"
)

// stopLimit is how long a cancelled run may take.
const stopLimit = 15 * time.Second

var errStop = errors.New("the person pressed stop")

// pidsOf makes the file to which the stuck command writes a pipe, and returns
// the pids as soon as the command says that it is ready.
func (r *rig) pidsOf() <-chan []int {
	r.t.Helper()
	path := filepath.Join(r.dir, "pids.txt")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		r.t.Fatal(err)
	}
	// Open for both, so that the pipe never ends between two writers.
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	ready := make(chan []int, 1) // one value, or closed when the pipe is
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(ready)
		var pids []int
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if lines.Text() == "ready" {
				ready <- pids
				return
			}
			pid, err := strconv.Atoi(lines.Text())
			if err != nil {
				r.t.Errorf("pid %q: %v", lines.Text(), err)
				return
			}
			pids = append(pids, pid)
		}
	}()
	r.t.Cleanup(func() {
		if err := f.Close(); err != nil {
			r.t.Error(err)
		}
		<-done
	})
	return ready
}

// T9: a command that ignores TERM, its child, and a child in a session of its
// own.
func TestClaude_cancelInTheMiddleOfACommandLeavesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ready := r.pidsOf()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	type stopped struct {
		pids []int
		at   time.Time
	}
	stop := make(chan stopped, 1) // one value
	go func() {
		pids := <-ready
		stop <- stopped{pids, time.Now()}
		cancel(errStop)
	}()
	tn := r.runAs(ctx, &turn{mode: wire.ModeCode}, "SCENARIO shell-stuck", "")
	s := <-stop
	if d := time.Since(s.at); d > stopLimit {
		t.Errorf("it took %s", d)
	}
	if tn.result.Status != wire.StatusCancelled || len(of[wire.Error](tn)) != 0 {
		t.Errorf("result %+v, errors %+v", tn.result, of[wire.Error](tn))
	}
	if len(s.pids) < 2 {
		t.Fatalf("the command named %v", s.pids)
	}
	for _, pid := range s.pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is left: %v", pid, err)
		}
	}
	if tools := tn.tools(); len(tools) != 1 || tools[0].OK {
		t.Errorf("tools: %+v", tools)
	}

	again := r.runAs(t.Context(), &turn{mode: wire.ModeCode}, "SCENARIO recall", tn.session().SessionID)
	r.succeeded(again)
	if !strings.Contains(again.text(), "shell-stuck") {
		t.Errorf("after the stop the model was told of %q", again.text())
	}
}

func TestClaude_cancelBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	asked := make(chan error, 1) // one value
	go func() {
		_, err := r.model.Wait(ctx, func(req modeltest.Request) bool { return req.Scenario == "hang" })
		asked <- err
		cancel(errStop)
	}()
	tn := r.runAs(ctx, &turn{mode: wire.ModeCode}, "SCENARIO hang", "")
	if err := <-asked; err != nil {
		t.Fatal(err)
	}
	if tn.result.Status != wire.StatusCancelled || len(of[wire.Error](tn)) != 0 {
		t.Errorf("result %+v, errors %+v", tn.result, of[wire.Error](tn))
	}
	req, err := r.model.Wait(t.Context(), func(req modeltest.Request) bool {
		return req.Scenario == "hang" && req.End != modeltest.EndOpen
	})
	if err != nil || req.End != modeltest.EndGone {
		t.Errorf("the request ended with %q, %v", req.End, err)
	}
}

func TestClaude_cancelWhileTextStreams(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"slow", "slow-thinking"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			tn := &turn{mode: wire.ModeCode}
			tn.seen = func(ev wire.Event) {
				switch ev.(type) {
				case wire.AssistantText, wire.Thinking:
					cancel(errStop)
				}
			}
			r.runAs(ctx, tn, "SCENARIO "+scenario, "")
			if tn.result.Status != wire.StatusCancelled || len(of[wire.Error](tn)) != 0 {
				t.Errorf("result %+v, errors %+v", tn.result, of[wire.Error](tn))
			}
		})
	}
}

func TestClaude_cancelDuringARetry(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	tn := &turn{mode: wire.ModeCode}
	tn.seen = func(ev wire.Event) {
		if _, ok := ev.(wire.System); ok {
			cancel(errStop)
		}
	}
	r.runAs(ctx, tn, "SCENARIO error-500", "")
	if tn.result.Status != wire.StatusCancelled {
		t.Errorf("result %+v, errors %+v", tn.result, of[wire.Error](tn))
	}
}
