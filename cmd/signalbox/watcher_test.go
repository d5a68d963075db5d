package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// event is what a watcher looks at in an event or frame of a chat's socket.
type event struct {
	Type    string
	Seq     uint64
	Epoch   uint64
	Keep    uint64
	Status  string
	Running bool
}

// watcher is a browser on one chat, as far as its log goes: it keeps the lines
// and its position, and follows the rules for epochs and resets.
type watcher struct {
	t       *testing.T
	ws      *websocket.Conn
	epoch   uint64
	running bool // a run holds the chat
	lines   [][]byte
}

// connect opens the chat's socket from the position that w has.
func (w *watcher) connect(ctx context.Context, d *daemon, chat string) {
	w.t.Helper()
	u := strings.Replace(d.url, "http", "ws", 1) + "/ws/chat/" + chat
	if w.epoch > 0 {
		u += fmt.Sprintf("?since=%d:%d", w.epoch, w.last())
	}
	ws, _, err := websocket.Dial(ctx, u, &websocket.DialOptions{
		HTTPHeader: http.Header{"Cookie": {"signalbox_session=" + d.secret}, "Origin": {d.url}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ws.SetReadLimit(-1)
	w.ws = ws
	w.t.Cleanup(func() { _ = ws.CloseNow() })
}

func (w *watcher) last() uint64 {
	if len(w.lines) == 0 {
		return 0
	}
	return seqOf(w.t, w.lines[len(w.lines)-1])
}

func seqOf(t *testing.T, line []byte) uint64 {
	t.Helper()
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	return e.Seq
}

// until reads on until found returns true. It reports false when the socket ends
// before.
func (w *watcher) until(ctx context.Context, found func(event) bool) bool {
	w.t.Helper()
	for {
		_, message, err := w.ws.Read(ctx)
		if err != nil {
			return false
		}
		// A message is taken whole, also behind what was looked for.
		hit := false
		for line := range bytes.Lines(message) {
			hit = found(w.take(bytes.TrimSuffix(line, []byte("\n")))) || hit
		}
		if hit {
			return true
		}
	}
}

// verdict waits for the end of a run and returns its verdict.
func (w *watcher) verdict(ctx context.Context) (status string) {
	w.t.Helper()
	if !w.until(ctx, func(e event) bool {
		if e.Type != "complete" {
			return false
		}
		status = e.Status
		return true
	}) {
		w.t.Fatalf("the run never got its verdict:\n%s", w.tail())
	}
	return status
}

// text waits for n more pieces of an answer.
func (w *watcher) text(ctx context.Context, n int) {
	w.t.Helper()
	if !w.until(ctx, func(e event) bool {
		if e.Type == "assistant_text" {
			n--
		}
		return n <= 0
	}) {
		w.t.Fatalf("the run wrote nothing more:\n%s", w.tail())
	}
}

// tail is the last lines, for a person.
func (w *watcher) tail() []byte {
	return bytes.Join(w.lines[max(0, len(w.lines)-5):], []byte("\n"))
}

// count counts the lines that hold all parts.
func (w *watcher) count(parts ...string) (n int) {
	for _, line := range w.lines {
		if !slices.ContainsFunc(parts, func(p string) bool { return !bytes.Contains(line, []byte(p)) }) {
			n++
		}
	}
	return n
}

// idle waits until the chat's run lock is free.
func (w *watcher) idle(ctx context.Context) {
	w.t.Helper()
	if w.running && !w.until(ctx, func(event) bool { return !w.running }) {
		w.t.Fatal("the chat never became idle")
	}
}

func (w *watcher) take(line []byte) event {
	w.t.Helper()
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		w.t.Fatalf("%v in %s", err, line)
	}
	switch e.Type {
	case "connected":
		w.epoch, w.running = e.Epoch, e.Running
	case "sync":
		w.running = e.Running
	case "reset":
		w.epoch, w.lines = e.Epoch, nil
	case "epoch":
		for len(w.lines) > 0 && w.last() > e.Keep {
			w.lines = w.lines[:len(w.lines)-1]
		}
		w.epoch = e.Epoch
	}
	if e.Seq == 0 {
		return e // a frame
	}
	if n := w.last(); len(w.lines) > 0 && e.Type != "epoch" && e.Seq != n+1 {
		w.t.Errorf("seq %d follows %d", e.Seq, n)
	}
	w.lines = append(w.lines, bytes.Clone(line))
	return e
}
