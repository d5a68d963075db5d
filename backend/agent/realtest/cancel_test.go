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
	tn := r.start(wire.ModeCode, "SCENARIO shell-stuck", "")
	var pids []int
	select {
	case pids = <-ready:
	case <-time.After(turnLimit):
		t.Fatalf("the command does not say that it runs; events %+v", tn.Events())
	}
	stopped(tn)
	if len(pids) < 2 {
		t.Fatalf("the command named %v", pids)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is left: %v", pid, err)
		}
	}
	if tools := of[wire.ToolUseEnd](tn); len(tools) != 1 || tools[0].OK {
		t.Errorf("tools: %+v", tools)
	}

	again := ended(r.start(wire.ModeCode, "SCENARIO recall", r.session(tn).SessionID), wire.StatusOK)
	if !strings.Contains(again.Text(""), "shell-stuck") {
		t.Errorf("after the stop the model was told of %q", again.Text(""))
	}
}

func TestClaude_cancelBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tn := r.start(wire.ModeCode, "SCENARIO hang", "")
	ctx, cancel := context.WithTimeout(t.Context(), turnLimit)
	defer cancel()
	if _, err := r.model.Wait(ctx, func(req modeltest.Request) bool { return req.Scenario == "hang" }); err != nil {
		t.Fatal(err)
	}
	stopped(tn)
	req, err := r.model.Wait(ctx, func(req modeltest.Request) bool {
		return req.Scenario == "hang" && req.End != modeltest.EndOpen
	})
	if err != nil || req.End != modeltest.EndGone {
		t.Errorf("the request ended with %q, %v", req.End, err)
	}
}

func TestClaude_cancelInTheMiddle(t *testing.T) {
	t.Parallel()
	tests := []struct {
		scenario string
		middle   func(wire.Event) bool
	}{
		{"slow", func(ev wire.Event) bool { return ev.Type() == wire.TypeAssistantText }},
		{"slow-thinking", func(ev wire.Event) bool { return ev.Type() == wire.TypeThinking }},
		// The note that the agent tries again.
		{"error-500", func(ev wire.Event) bool { return ev.Type() == wire.TypeSystem }},
	}
	for _, tt := range tests {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			tn := newRig(t).start(wire.ModeCode, "SCENARIO "+tt.scenario, "")
			tn.Until("the middle", tt.middle)
			stopped(tn)
		})
	}
}
