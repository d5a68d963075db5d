package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A daemon that is killed in the middle of a run leaves no process; two browsers
// end with the same events; the chat says interrupted and takes the next prompt.
// T8, and the promise of the whole.
func TestKill_inTheMiddleOfARun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	home := t.TempDir()
	env := append(os.Environ(), "HOME="+home, "SIGNALBOX_DATA="+home+"/data")

	d, err := start(env, home, "--addr", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	if err := d.setUp(ctx); err != nil {
		t.Fatal(err)
	}
	chat, err := d.newChat(ctx)
	if err != nil {
		t.Fatal(err)
	}
	one, two := &watcher{t: t}, &watcher{t: t}
	one.connect(ctx, d, chat)
	two.connect(ctx, d, chat)
	if _, err := d.answer(ctx, chat, "text"); err != nil {
		t.Fatal(err)
	}
	ended := func(e event) bool { return e.Type == "complete" }
	if !one.until(ctx, ended) {
		t.Fatal("the first run never ended")
	}
	one.idle(ctx)
	run, err := d.prompt(ctx, chat, "slow")
	if err != nil {
		t.Fatal(err)
	}
	writing := func(w *watcher) func(event) bool {
		before := w.last()
		return func(e event) bool { return e.Type == "assistant_text" && e.Seq > before+3 }
	}
	if !one.until(ctx, writing(one)) {
		t.Fatal("the first browser saw nothing of the run")
	}
	// The second drops off in the middle and comes back after the end.
	if !two.until(ctx, writing(two)) {
		t.Fatal("the second browser saw nothing of the run")
	}
	_ = two.ws.CloseNow()

	family := descendants(t, d.cmd.Process.Pid)
	if len(family) < 2 {
		t.Fatalf("the daemon has only %v below it: is the agent supervised?", family)
	}
	if err := d.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := d.wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the daemon ended with %v", err)
	}
	if one.until(ctx, func(event) bool { return false }); ctx.Err() != nil {
		t.Fatal("the killed daemon's socket stays open")
	}
	waitGone(ctx, t, family)

	again, err := start(env, home, "--addr", strings.TrimPrefix(d.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.cmd.Process.Kill(); _ = again.wait() })
	again.secret = d.secret
	one.connect(ctx, again, chat)
	two.connect(ctx, again, chat)
	interrupted := func(e event) bool { return e.Type == "complete" && e.Status == "interrupted" }
	for _, w := range []*watcher{one, two} {
		if !w.until(ctx, interrupted) {
			t.Fatal("the run never got its verdict")
		}
	}
	if text, err := again.call(ctx, "GET", "/api/chats/"+chat, nil, nil); err != nil || !strings.Contains(text, `"verdict":"interrupted"`) {
		t.Errorf("the chat says %s, %v", text, err)
	}

	if text, err := again.answer(ctx, chat, "text"); err != nil || !strings.Contains(text, `"status":"ok"`) {
		t.Errorf("the next prompt got %s, %v", text, err)
	}
	done := func(e event) bool { return e.Type == "complete" && e.Status == "ok" }
	for _, w := range []*watcher{one, two} {
		if !w.until(ctx, done) {
			t.Fatal("the next run never ended")
		}
	}
	if !slices.EqualFunc(one.lines, two.lines, bytes.Equal) {
		t.Errorf("the browsers differ:\n%s\n\n%s", bytes.Join(one.lines, []byte("\n")), bytes.Join(two.lines, []byte("\n")))
	}
	ends := 0
	for _, line := range one.lines {
		if bytes.Contains(line, []byte(`"type":"complete"`)) && bytes.Contains(line, []byte(run)) {
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("the killed run has %d ends", ends)
	}
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
	// for, within the limit for stopping a run.
	limit := time.NewTimer(15 * time.Second)
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
			t.Fatalf("processes %v outlive the daemon", left)
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		}
	}
}
