package runhub

import (
	"os/exec"
	"strings"
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// A chat that processes of its last run hold is neither rewound nor deleted, and
// stays as it is.
func TestHub_historyOfAHeldChat(t *testing.T) {
	t.Parallel()
	sleep := exec.CommandContext(t.Context(), "sleep", "600")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	d := startInside(t, func(r *run) (agent.Result, error) {
		r.children.all = append(r.children.all, &stubborn{left: processes(t, sleep.Process.Pid)})
		return agent.Result{Status: wire.StatusOK}, nil
	})
	res, err := d.prompt(t)
	if err != nil {
		t.Fatal(err)
	}
	d.until(t, wire.PhaseHeld)
	ann := wire.Person{ID: "u_1", Name: "Ann"}
	_, rewind := d.hub.Rewind(d.chat, ann, res.Seq)
	for what, err := range map[string]error{
		"rewind":  rewind,
		"restore": d.hub.Restore(d.chat, ann, 0),
		"delete":  d.hub.Trash(t.Context(), d.chat, ann),
	} {
		if fault.CodeOf(err) != fault.Busy || !strings.Contains(err.Error(), "sleep") {
			t.Errorf("%s of a held chat = %v", what, err)
		}
	}
	if _, err := d.chats.Get(d.chat); err != nil {
		t.Errorf("the chat: %v", err)
	}
	if err := sleep.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = sleep.Wait() // it was killed
	d.until(t, wire.PhaseIdle)
	if _, err := d.hub.Rewind(d.chat, ann, res.Seq); err != nil {
		t.Errorf("rewind once they are gone: %v", err)
	}
	if err := d.hub.Trash(t.Context(), d.chat, ann); err != nil {
		t.Errorf("delete once they are gone: %v", err)
	}
}
