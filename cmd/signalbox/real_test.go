//go:build real

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"signalbox/backend/agent/kimi"
	"signalbox/backend/agent/selftest"
	"signalbox/backend/model/modeltest"
	"signalbox/backend/model/scripted"
	"signalbox/backend/wire"
)

// realHouse starts a daemon that runs a real agent against a scripted model, and a chat
// of it.
func realHouse(ctx context.Context, t *testing.T, id wire.AgentID) *house {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../.cache/agents/bin", string(id)))
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, home: t.TempDir()}
	_, url := modeltest.Start(t, scripted.Options{})
	env, err := selftest.Settle(id, h.home, url)
	if err != nil {
		t.Fatal(err)
	}
	var settings strings.Builder
	fmt.Fprintf(&settings, "[providers.%s]\npath = %q\n[providers.%s.env]\n", id, path, id)
	for name, value := range env {
		fmt.Fprintf(&settings, "%s = %q\n", name, value)
	}
	file := filepath.Join(h.home, ".config", "signalbox", "signalbox.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(settings.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	h.start("127.0.0.1:0")
	if err := h.d.setUp(ctx); err != nil {
		t.Fatal(err)
	}
	var chat struct{ ID string }
	_, err = h.d.call(ctx, http.MethodPost, "/api/chats",
		map[string]any{"selected": map[string]string{"agent": string(id), "mode": "full_auto"}}, &chat)
	if err != nil {
		t.Fatal(err)
	}
	h.chat = chat.ID
	return h
}

// The daemon is killed while a real agent answers: nothing of the run is left, the run
// gets its verdict, and going on resumes the agent's own session, which knows what was
// said. T8, with each agent.
func TestKill_realAgents(t *testing.T) {
	t.Parallel()
	for _, id := range selftest.Agents() {
		t.Run(string(id), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			h := realHouse(ctx, t, id)
			w := h.watch(ctx)
			h.prompt(ctx, "SCENARIO text about signals")
			if got := w.verdict(ctx); got != "ok" {
				t.Fatalf("the first run ended with %q:\n%s", got, w.tail())
			}
			w.idle(ctx)

			h.prompt(ctx, "SCENARIO slow")
			w.text(ctx, 1)
			family := descendants(t, h.d.cmd.Process.Pid)
			send(t, syscall.SIGKILL, h.d.cmd.Process.Pid)
			if err := h.d.wait(); err == nil || !strings.Contains(err.Error(), "killed") {
				t.Errorf("the daemon ended with %v", err)
			}
			w.until(ctx, func(event) bool { return false })
			waitGone(ctx, t, family)
			h.restart()
			w.connect(ctx, h.d, h.chat)
			if got := w.verdict(ctx); got != "interrupted" {
				t.Fatalf("the verdict is %q", got)
			}
			w.idle(ctx)

			if _, err := h.d.call(ctx, http.MethodPost, "/api/chats/"+h.chat+"/continue", map[string]any{}, nil); err != nil {
				t.Fatal(err)
			}
			w.text(ctx, 1)
			if _, err := h.d.call(ctx, http.MethodPost, "/api/chats/"+h.chat+"/cancel", map[string]any{}, nil); err != nil {
				t.Fatal(err)
			}
			if got := w.verdict(ctx); got != "cancelled" {
				t.Fatalf("going on ended with %q:\n%s", got, w.tail())
			}
			w.idle(ctx)
			h.prompt(ctx, "SCENARIO recall")
			if got := w.verdict(ctx); got != "ok" {
				t.Fatalf("the last run ended with %q:\n%s", got, w.tail())
			}
			want := "Earlier prompts: text about signals; slow"
			if id == kimi.ID {
				want = "Earlier prompts: text about signals" // it may not have written the last prompt down yet
			}
			if said := w.said(); !strings.Contains(said, want) {
				t.Errorf("the agent's session does not know what was said: %.2000s", said)
			}
			if n := w.count(`"type":"session"`, `"resumed":true`); n < 2 {
				t.Errorf("the agent's session was resumed %d times, want twice", n)
			}
		})
	}
}

// said joins what the agents of a chat said.
func (w *watcher) said() string {
	w.t.Helper()
	var all strings.Builder
	for _, line := range w.lines {
		_, ev, err := wire.Decode(line)
		if err != nil {
			w.t.Fatal(err)
		}
		if text, ok := ev.(wire.AssistantText); ok {
			all.WriteString(text.Delta + text.Final)
		}
	}
	return all.String()
}
