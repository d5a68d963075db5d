//go:build real

package realtest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
	"signalbox/backend/eventlog"
	"signalbox/backend/proc"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

var ann = wire.Person{ID: "u_00000000000000000000000001", Name: "Ann"}

// history is a chat with a real agent.
type history struct {
	*rig

	logs  *eventlog.Store
	hub   *runhub.Hub
	chats *catalog.Catalog
}

func (v vendor) history(t *testing.T) (*history, wire.ChatID) {
	t.Helper()
	h := &history{rig: v.rig(t)}
	data := t.TempDir()
	var err error
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	h.logs, err = eventlog.Open(data, eventlog.Options{})
	must(err)
	h.chats, err = catalog.Open(h.logs, catalog.Options{})
	must(err)
	agents, err := agent.NewRegistry(h.agent)
	must(err)
	launcher := proc.NewLauncher(proc.Options{Instance: data})
	h.hub = runhub.New(h.logs, h.chats, agents, runhub.Options{Launcher: launcher})
	ctx, cancel := context.WithCancel(context.Background())
	low, stop := context.WithCancel(context.Background())
	var hub, parts sync.WaitGroup
	hub.Go(func() { _ = h.hub.Run(ctx) })
	parts.Go(func() { _ = h.logs.Run(low) })
	parts.Go(func() { _ = launcher.Run(low) })
	t.Cleanup(func() {
		cancel()
		hub.Wait()
		stop()
		parts.Wait()
		if err := h.logs.Close(); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	// Named, the agent is not looked at before it answers.
	m, err := h.chats.Create(ann, catalog.New{Cwd: h.dir, Selected: wire.Selection{Agent: h.agent.Info().ID}})
	must(err)
	return h, m.ID
}

// say sends the prompt, waits for its end, and returns what the model was sent for
// it and the session that answered.
func (h *history) say(chat wire.ChatID, text string) (sent string, session wire.Session) {
	h.t.Helper()
	n := len(h.model.Requests())
	feed, err := h.hub.Follow(chat, ann, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	defer feed.Close()
	res, err := h.hub.Prompt(h.t.Context(), chat, ann, runhub.Prompt{Text: text})
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(h.t.Context(), turnLimit)
	defer cancel()
	for over := false; !over; {
		b, err := feed.Next(ctx)
		if err != nil {
			h.t.Fatalf("%q does not end: %v", text, err)
		}
		for line := range strings.Lines(string(b.Lines)) {
			env, ev, err := wire.Decode([]byte(line))
			if err != nil || env.Run != res.Run {
				continue
			}
			switch ev := ev.(type) {
			case wire.Session:
				session = ev
			case wire.Complete:
				if ev.Status != wire.StatusOK {
					h.t.Fatalf("%q ended with %+v", text, ev)
				}
			}
		}
		for _, f := range b.Frames {
			over = over || strings.Contains(string(f), `"phase":"idle"`) && session.SessionID != ""
		}
	}
	for _, req := range h.model.Requests()[n:] {
		sent += string(req.Body)
	}
	return sent, session
}

// A8, A10, A98, A107 to A110: after a rewind and in a fork the real agents know
// what the chat shows, and no session that is discarded or another chat's is gone
// on with.
func TestHistory(t *testing.T) {
	t.Parallel()
	for _, v := range vendors {
		t.Run(v.command, func(t *testing.T) {
			t.Parallel()
			h, chat := v.history(t)
			info := h.agent.Info()
			know := func(what, sent string, words, not []string) {
				t.Helper()
				for _, w := range words {
					if !strings.Contains(sent, w) {
						t.Errorf("%s the model is not told %q", what, w)
					}
				}
				for _, w := range not {
					if strings.Contains(sent, w) {
						t.Errorf("%s the model is told %q", what, w)
					}
				}
			}
			_, first := h.say(chat, "SCENARIO text about signals")
			_, second := h.say(chat, "SCENARIO text about regret")
			if second.SessionID != first.SessionID {
				t.Fatalf("the second prompt went to %+v", second)
			}
			outline, err := h.hub.Outline(chat)
			if err != nil || len(outline.Prompts) != 2 {
				t.Fatalf("outline = %+v, %v", outline, err)
			}
			if _, err := h.hub.Rewind(chat, ann, outline.Prompts[1].Seq); err != nil {
				t.Fatal(err)
			}
			sent, third := h.say(chat, "SCENARIO text about tea")
			know("after a rewind", sent, []string{"about signals", "about tea"}, []string{"regret"})
			if third.SessionID == first.SessionID || third.Forked != info.Rewinds {
				t.Errorf("after a rewind of %s the prompt went to %+v", first.SessionID, third)
			}

			fork, err := h.hub.Fork(chat, ann, runhub.Fork{})
			if err != nil {
				t.Fatal(err)
			}
			sent, copied := h.say(fork, "SCENARIO text about forks")
			know("in the fork", sent, []string{"about signals", "about tea", "about forks"}, []string{"regret"})
			if copied.SessionID == third.SessionID || !copied.Forked {
				t.Errorf("in a fork of %s the prompt went to %+v", third.SessionID, copied)
			}
			sent, again := h.say(chat, "SCENARIO text about cups")
			know("in the chat that was forked", sent, []string{"about tea", "about cups"}, []string{"about forks", "regret"})
			if again.SessionID != third.SessionID {
				t.Errorf("the chat that was forked goes on with %+v", again)
			}
			if t.Failed() {
				t.Log(fmt.Sprint(first, second, third, copied, again))
			}
		})
	}
}
