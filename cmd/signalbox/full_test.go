package main

import (
	"context"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Without room for a byte more a daemon starts all the same: what was saved can be
// read, a prompt is refused in words, and with room all goes on. The room that a
// process may use stands in for that of the disk.
func TestStart_withoutRoom(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	h := newHouse(ctx, t)
	before := h.watch(ctx)
	h.prompt(ctx, "text")
	before.verdict(ctx)
	before.idle(ctx)
	h.stop()

	h.startAs(strings.TrimPrefix(h.d.url, "http://"), "sh", "-c", `ulimit -f 0 && exec signalbox "$@"`, "signalbox")
	w := h.watch(ctx)
	if got := w.verdict(ctx); got != "ok" {
		t.Errorf("the last run reads as %q", got)
	}
	text, err := h.d.call(ctx, http.MethodPost, "/api/chats/"+h.chat+"/messages", map[string]string{"text": "text"}, nil)
	if err == nil || !strings.Contains(err.Error(), "503") || !strings.Contains(text, "disk is full") {
		t.Errorf("a prompt = %v", err)
	}
	h.stop()

	h.restart()
	h.prompt(ctx, "text")
	if got := h.watch(ctx).verdict(ctx); got != "ok" {
		t.Errorf("with room the run ends with %q", got)
	}
}

// stop stops the daemon; without room it may say that something was not saved.
func (h *house) stop() {
	h.t.Helper()
	send(h.t, syscall.SIGTERM, h.d.cmd.Process.Pid)
	if err := h.d.wait(); err != nil && !strings.Contains(err.Error(), "could not be saved") {
		h.t.Errorf("the daemon ended with %v", err)
	}
}
