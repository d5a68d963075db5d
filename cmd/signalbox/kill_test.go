package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// supervisors returns the processes that running.json names.
func (h *house) supervisors() []int {
	h.t.Helper()
	b, err := os.ReadFile(filepath.Join(h.data(), "chats", h.chat, "running.json"))
	if err != nil {
		h.t.Fatal(err)
	}
	var record struct{ Processes []struct{ PID int } }
	if err := json.Unmarshal(b, &record); err != nil {
		h.t.Fatal(err)
	}
	pids := make([]int, len(record.Processes))
	for i, p := range record.Processes {
		pids[i] = p.PID
	}
	return pids
}

// In the middle of a run the daemon, the run's supervisor or both are killed:
// no process is left, two browsers end with the same events although one of them
// dropped off meanwhile, the run gets its one verdict, and the next prompt goes
// on with the agent's session. T8, and the promise of the whole.
func TestKill_inTheMiddleOfARun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name               string
		daemon, supervisor bool
		verdict            string // empty: any but ok
	}{
		{name: "daemon", daemon: true, verdict: "interrupted"},
		{name: "supervisor", supervisor: true},
		{name: "both", daemon: true, supervisor: true, verdict: "interrupted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			h := newHouse(ctx, t)
			one, two := h.watch(ctx), h.watch(ctx)
			h.prompt(ctx, "text")
			for _, w := range []*watcher{one, two} {
				w.verdict(ctx)
				w.idle(ctx)
			}
			run := h.prompt(ctx, "slow")
			one.text(ctx, 3)
			two.text(ctx, 3)
			// The second drops off in the middle and comes back after the end.
			_ = two.ws.CloseNow()

			family := descendants(t, h.d.cmd.Process.Pid)
			agents := h.supervisors()
			if len(agents) == 0 || !slices.Contains(family, agents[0]) {
				t.Fatalf("of the processes %v none is the supervisor %v", family, agents)
			}
			for _, pid := range agents {
				family = append(family, descendants(t, pid)...)
			}
			if tt.daemon {
				// It must not see its supervisor's end before its own.
				send(t, syscall.SIGSTOP, h.d.cmd.Process.Pid)
			}
			if tt.supervisor {
				send(t, syscall.SIGKILL, agents...)
			}
			if tt.daemon {
				send(t, syscall.SIGKILL, h.d.cmd.Process.Pid)
				if err := h.d.wait(); err == nil || !strings.Contains(err.Error(), "killed") {
					t.Errorf("the daemon ended with %v", err)
				}
				if one.until(ctx, func(event) bool { return false }); ctx.Err() != nil {
					t.Fatal("the killed daemon's socket stays open")
				}
				waitGone(ctx, t, family)
				h.restart()
				one.connect(ctx, h.d, h.chat)
			}
			two.connect(ctx, h.d, h.chat)
			for _, w := range []*watcher{one, two} {
				if got := w.verdict(ctx); got == "ok" || tt.verdict != "" && got != tt.verdict {
					t.Errorf("the verdict is %q, want %q", got, tt.verdict)
				}
				w.idle(ctx)
			}
			if !tt.daemon {
				waitGone(ctx, t, agents)
				for _, pid := range agents {
					waitGone(ctx, t, descendants(t, pid))
				}
			}

			h.prompt(ctx, "text")
			for _, w := range []*watcher{one, two} {
				if got := w.verdict(ctx); got != "ok" {
					t.Fatalf("the next run ended with %q:\n%s", got, w.tail())
				}
			}
			if !slices.EqualFunc(one.lines, two.lines, bytes.Equal) {
				t.Errorf("the browsers differ:\n%s\n\n%s", bytes.Join(one.lines, []byte("\n")), bytes.Join(two.lines, []byte("\n")))
			}
			if n := one.count(`"type":"complete"`, run); n != 1 {
				t.Errorf("the killed run has %d ends", n)
			}
			if n := one.count(`"type":"session"`, `"resumed":true`); n == 0 {
				t.Error("the next prompt did not resume the agent's session")
			}
		})
	}
}

func send(t *testing.T, sig syscall.Signal, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
}
