package main

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// house is a daemon that can be started again on its folder and address.
type house struct {
	t    *testing.T
	home string
	d    *daemon
	chat string
}

// newHouse starts a daemon with an account and a chat of the demo agent.
func newHouse(ctx context.Context, t *testing.T) *house {
	t.Helper()
	h := &house{t: t, home: t.TempDir()}
	h.start("127.0.0.1:0")
	if err := h.d.setUp(ctx); err != nil {
		t.Fatal(err)
	}
	var err error
	if h.chat, err = h.d.newChat(ctx); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *house) data() string { return filepath.Join(h.home, "data") }

func (h *house) start(addr string) { h.startAs(addr, "signalbox") }

// startAs starts the daemon by a command that becomes one.
func (h *house) startAs(addr string, command ...string) {
	h.t.Helper()
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "SIGNALBOX_") })
	env = append(env, "HOME="+h.home, "SIGNALBOX_DATA="+h.data())
	args := append(command[1:len(command):len(command)], "--addr", addr, "--log-level", "debug")
	d, err := startAs(exec.Command(command[0], args...), env, h.home)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		_ = d.cmd.Process.Kill()
		_ = d.wait()
		if h.t.Failed() {
			h.t.Logf("the daemon logged:\n%s", d.stderr)
		}
	})
	if h.d != nil {
		d.secret = h.d.secret
	}
	h.d = d
}

// restart starts the daemon again where it was.
func (h *house) restart() {
	h.t.Helper()
	h.start(strings.TrimPrefix(h.d.url, "http://"))
}

// watch opens the chat in another browser.
func (h *house) watch(ctx context.Context) *watcher {
	h.t.Helper()
	w := &watcher{t: h.t}
	w.connect(ctx, h.d, h.chat)
	return w
}

// prompt sends a prompt and returns the run.
func (h *house) prompt(ctx context.Context, text string) string {
	h.t.Helper()
	run, err := h.d.prompt(ctx, h.chat, text)
	if err != nil {
		h.t.Fatal(err)
	}
	return run
}

// descendants lists what lives below a process.
func descendants(t *testing.T, root int) []int {
	t.Helper()
	parents, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	below := map[int]bool{root: true}
	for grown := true; grown; {
		grown = false
		for pid, parent := range parents {
			if below[parent] && !below[pid] {
				below[pid], grown = true, true
			}
		}
	}
	delete(below, root)
	return slices.Sorted(maps.Keys(below))
}

// waitGone waits until none of the processes lives.
func waitGone(ctx context.Context, t *testing.T, pids []int) {
	t.Helper()
	// Nothing tells of the end of processes that are not ours, so it is looked
	// for.
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		parents, err := processes()
		if err != nil {
			t.Fatal(err)
		}
		left := slices.DeleteFunc(slices.Clone(pids), func(pid int) bool { _, lives := parents[pid]; return !lives })
		if len(left) == 0 {
			return
		}
		select {
		case <-look.C:
		case <-limit.C:
			t.Fatalf("processes %v are left", left)
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		}
	}
}
