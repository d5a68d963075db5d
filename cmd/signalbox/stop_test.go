package main

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// A daemon that is told to stop in the middle of a run gives the run its verdict,
// tells the browsers to come back, and exits cleanly with nothing left behind.
func TestStop_inTheMiddleOfARun(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			stopInTheMiddle(t, sig)
		})
	}
}

func stopInTheMiddle(t *testing.T, sig syscall.Signal) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	h := newHouse(ctx, t)
	w := h.watch(ctx)
	h.prompt(ctx, "slow")
	w.text(ctx, 1)
	family := descendants(t, h.d.cmd.Process.Pid)

	began := time.Now()
	if err := h.d.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	if got := w.verdict(ctx); got != "interrupted" {
		t.Errorf("the verdict is %q", got)
	}
	_, _, err := w.ws.Read(ctx)
	for err == nil {
		_, _, err = w.ws.Read(ctx)
	}
	if code := websocket.CloseStatus(err); code != 4000 {
		t.Errorf("the socket ended with %v, want 4000", err)
	}
	if err := h.d.wait(); err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("stopping took %s", took)
	}
	waitGone(ctx, t, family)
	if strings.Contains(h.d.stderr.String(), `"level":"ERROR"`) {
		t.Errorf("the log has errors:\n%s", h.d.stderr)
	}
}

// Stop in a chat ends the run and what the agent started, and the chat takes the
// next prompt.
func TestCancel_leavesNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	h := newHouse(ctx, t)
	w := h.watch(ctx)
	h.prompt(ctx, "slow")
	w.text(ctx, 1)
	agents := h.supervisors()
	family := agents
	for _, pid := range agents {
		family = append(family, descendants(t, pid)...)
	}
	if _, err := h.d.call(ctx, "POST", "/api/chats/"+h.chat+"/cancel", struct{}{}, nil); err != nil {
		t.Fatal(err)
	}
	if got := w.verdict(ctx); got != "cancelled" {
		t.Errorf("the verdict is %q", got)
	}
	// The chat is free only when nothing of the run is left.
	w.idle(ctx)
	parents, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range family {
		if _, lives := parents[pid]; lives {
			t.Errorf("process %d outlives its run", pid)
		}
	}
	h.prompt(ctx, "text")
	if got := w.verdict(ctx); got != "ok" {
		t.Errorf("the next run ended with %q", got)
	}
}
