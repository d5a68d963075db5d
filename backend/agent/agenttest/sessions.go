package agenttest

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/backend/agent"
	"signalbox/backend/wire"
)

func testResume(t *testing.T, f Factory) {
	part := f(t, Continue)
	first := Start(t, part, Options{})
	first.Wait(runLimit)
	first.Check(wire.StatusOK)
	sessions := Of[wire.Session](first.Events())
	if len(sessions) != 1 || sessions[0].SessionID == "" || sessions[0].Resumed {
		t.Fatalf("the first run has the sessions %+v, want a new one", sessions)
	}
	second := Start(t, part, Options{Session: sessions[0].SessionID, Cwd: first.cwd})
	second.Wait(runLimit)
	second.Check(wire.StatusOK)
	again := Of[wire.Session](second.Events())
	// An agent that goes on under a new id says that it forked.
	if len(again) != 1 || !again[0].Resumed || again[0].Forked != (again[0].SessionID != sessions[0].SessionID) {
		t.Fatalf("the second run has the sessions %+v, want %s resumed", again, sessions[0].SessionID)
	}
	if again[0].Agent != part.Provider.Info().ID {
		t.Errorf("the session is of agent %q", again[0].Agent)
	}
}

func testLost(t *testing.T, f Factory) {
	const fresh = "Said before: nothing. Now: go on"
	part := f(t, Lost)
	r := Start(t, part, Options{Session: part.Unknown, Fresh: fresh, Skills: []string{"pdf"}})
	r.Wait(runLimit)
	r.Check(wire.StatusOK)
	lost := 0
	for _, s := range Of[wire.System](r.Events()) {
		if s.Code == agent.CodeSessionLost {
			lost++
		}
	}
	if lost != 1 {
		t.Errorf("the loss was told %d times: %+v", lost, r.Events())
	}
	sessions := Of[wire.Session](r.Events())
	if len(sessions) != 1 || sessions[0].Resumed || sessions[0].Forked || sessions[0].SessionID == part.Unknown {
		t.Errorf("it has the sessions %+v, want a new one", sessions)
	}
	if part.Told == nil {
		return
	}
	if told := part.Told(); !strings.Contains(told, fresh) || strings.Contains(told, "pdf") != (part.Skill != "") || !strings.Contains(told, part.Skill) {
		t.Errorf("it was not given what a fresh session needs, and the skill as %q, but %q", part.Skill, told)
	}
}

// The copy has a session of its own; nothing is said in the one that it is of.
func testFork(t *testing.T, f Factory) {
	part := f(t, Fork)
	info := part.Provider.Info()
	if !info.Forks {
		if info.Rewinds {
			t.Error("it goes back in a copy but makes none")
		}
		return
	}
	first := Start(t, part, Options{})
	first.Wait(runLimit)
	first.Check(wire.StatusOK)
	if info.Rewinds && first.Result.Turn == "" {
		t.Error("the turn has no id to go back to")
	}
	session := Of[wire.Session](first.Events())[0].SessionID
	second := Start(t, part, Options{Session: session, Fork: true, Turn: first.Result.Turn, Cwd: first.cwd})
	second.Wait(runLimit)
	second.Check(wire.StatusOK)
	again := Of[wire.Session](second.Events())
	if len(again) != 1 || !again[0].Forked || again[0].SessionID == session {
		t.Errorf("the copy has the sessions %+v, want one beside %s", again, session)
	}
}

func testImages(t *testing.T, f Factory) {
	part := f(t, Answer)
	if !part.Provider.Info().Images {
		return
	}
	path := filepath.Join(t.TempDir(), "picture")
	if err := os.WriteFile(path, Picture(t), 0o600); err != nil {
		t.Fatal(err)
	}
	file := agent.Image{Path: path, Media: "image/png"}
	shown := Start(t, part, Options{Images: []agent.Image{file}})
	shown.Wait(runLimit)
	shown.Check(wire.StatusOK)

	file.Path += "-gone"
	gone := Start(t, part, Options{Images: []agent.Image{file}})
	gone.Wait(runLimit)
	gone.Check(wire.StatusFailed)
}

// Picture returns a small picture, a PNG.
func Picture(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
