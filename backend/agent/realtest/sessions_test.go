//go:build real

package realtest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/wire"
)

func testResumes(t *testing.T, v vendor) {
	r := v.rig(t)
	first := r.run("SCENARIO text about signals", wire.StatusOK)
	before := r.session(first)
	n := len(r.model.Requests())
	second := ended(r.start(wire.ModeCode, "SCENARIO recall", before.SessionID), wire.StatusOK)
	if got := second.Text(""); got != "Earlier prompts: text about signals." {
		t.Errorf("the model was told of %q", got)
	}
	if s := r.session(second); s.SessionID != before.SessionID || !s.Resumed {
		t.Errorf("sessions: %+v, then %+v", before, s)
	}
	if diff := cmp.Diff(r.charged(n), counts(second.Result.Usage)); diff != "" {
		t.Errorf("usage of the second run alone (-the model's +the agent's):\n%s", diff)
	}
}

func testForks(t *testing.T, v vendor) {
	r := v.rig(t)
	session := r.session(r.run("SCENARIO text about signals", wire.StatusOK)).SessionID
	before := r.sessionFiles(session)
	if len(before) == 0 {
		t.Fatalf("session %s has no files", session)
	}
	n := len(r.model.Requests())
	copied := ended(r.fork("SCENARIO recall in the copy", session, ""), wire.StatusOK)
	if got := copied.Text(""); got != "Earlier prompts: text about signals." {
		t.Errorf("the copy knows %q", got)
	}
	if s := r.session(copied); s.SessionID == session || !s.Forked {
		t.Errorf("the copy of %s has the session %+v", session, s)
	}
	if diff := cmp.Diff(r.charged(n), counts(copied.Result.Usage)); diff != "" {
		t.Errorf("usage in the copy alone (-the model's +the agent's):\n%s", diff)
	}
	if diff := cmp.Diff(before, r.sessionFiles(session)); diff != "" {
		t.Errorf("the session's files changed (-before +after):\n%s", clip(diff))
	}
	again := ended(r.start(wire.ModeCode, "SCENARIO recall", session), wire.StatusOK)
	if got := again.Text(""); got != "Earlier prompts: text about signals." {
		t.Errorf("the session itself knows %q", got)
	}
}

func testRewinds(t *testing.T, v vendor) {
	r := v.rig(t)
	first := r.run("SCENARIO text about signals", wire.StatusOK)
	session := r.session(first).SessionID
	ended(r.start(wire.ModeCode, "SCENARIO shell to forget", session), wire.StatusOK)
	before := r.sessionFiles(session)
	back := ended(r.fork("SCENARIO recall", session, first.Result.Turn), wire.StatusOK)
	if got := back.Text(""); got != "Earlier prompts: text about signals." {
		t.Errorf("after going back it knows %q", got)
	}
	if diff := cmp.Diff(before, r.sessionFiles(session)); diff != "" {
		t.Errorf("the session's files changed (-before +after):\n%s", clip(diff))
	}
	// A turn that is not there is told, and what was said comes along.
	lost := agenttest.Start(t, agenttest.Part{Provider: r.agent, Prompt: "unused", Mode: wire.ModeCode}, agenttest.Options{
		Cwd: r.dir, Session: session, Fork: true, Turn: noSession, Fresh: "SCENARIO text anew",
	})
	ended(lost, wire.StatusOK)
	if notices := of[wire.System](lost); len(notices) == 0 || notices[0].Code != agent.CodeSessionLost {
		t.Errorf("notices %+v", notices)
	}
}

func testSessionGone(t *testing.T, v vendor) {
	r := v.rig(t)
	tn := ended(r.start(wire.ModeCode, "Hello!", v.unknown), wire.StatusOK)
	notices := of[wire.System](tn)
	if len(notices) == 0 || notices[0].Code != "session_lost" {
		t.Errorf("notices %+v", notices)
	}
	if s := r.session(tn); s.Resumed || s.SessionID == v.unknown {
		t.Errorf("session %+v", s)
	}
}
