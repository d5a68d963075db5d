package main

import (
	"context"
	"os"
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
	w := &watcher{t: t}
	w.connect(ctx, d, chat)
	if _, err := d.prompt(ctx, chat, "slow"); err != nil {
		t.Fatal(err)
	}
	if !w.until(ctx, func(e event) bool { return e.Type == "assistant_text" }) {
		t.Fatal("the run wrote nothing")
	}
	family := descendants(t, d.cmd.Process.Pid)

	began := time.Now()
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if !w.until(ctx, func(e event) bool { return e.Type == "complete" && e.Status == "interrupted" }) {
		t.Error("the browser did not see the verdict")
	}
	_, _, err = w.ws.Read(ctx)
	for err == nil {
		_, _, err = w.ws.Read(ctx)
	}
	if code := websocket.CloseStatus(err); code != 4000 {
		t.Errorf("the socket ended with %v, want 4000", err)
	}
	if err := d.wait(); err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("stopping took %s", took)
	}
	waitGone(ctx, t, family)
	if strings.Contains(d.stderr.String(), `"level":"ERROR"`) {
		t.Errorf("the log has errors:\n%s", d.stderr)
	}
}
