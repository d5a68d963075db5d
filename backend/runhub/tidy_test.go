package runhub

import (
	"testing"
	"time"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

// A fold that nobody needs is let go of, and made again where it is needed; that
// of a chat in which a run lives stays.
func TestHub_rest(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	d := startInside(t, func(*run) (agent.Result, error) {
		<-release
		return agent.Result{Status: wire.StatusOK}, nil
	})
	ann := wire.Person{ID: "u_1", Name: "Ann"}
	p := Prompt{ClientID: "a", Text: "hello"}
	first, err := d.hub.Prompt(t.Context(), d.chat, ann, p)
	if err != nil {
		t.Fatal(err)
	}
	kept := func() bool {
		r, err := d.hub.room(d.chat)
		if err != nil {
			t.Fatal(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.state != nil
	}
	d.hub.rest(time.Now().Add(time.Minute))
	if !kept() {
		t.Error("the fold of a chat in which a run lives is gone")
	}
	close(release)
	d.until(t, wire.PhaseIdle)
	if d.hub.rest(time.Now().Add(-time.Minute)); !kept() {
		t.Error("a fold that was just needed is gone")
	}
	if d.hub.rest(time.Now().Add(time.Minute)); kept() {
		t.Error("a fold that nobody needs is kept")
	}
	again, err := d.hub.Prompt(t.Context(), d.chat, ann, p)
	if err != nil || again != first {
		t.Errorf("the prompt again = %+v, %v; want %+v", again, err, first)
	}
}
