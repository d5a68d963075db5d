package runhub_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// A server of a skill is given to the runs for which that skill was chosen (A88).
func TestRun_serversOfSkills(t *testing.T) {
	t.Parallel()
	p := newPuppet("claude")
	w := startIn(t, t.TempDir(), runhub.Options{Servers: []agent.MCPServer{
		{Name: "files", Command: []string{"files"}},
		{Name: "browser", Command: []string{"browser"}, Skill: "browser"},
	}}, p)
	id := w.chat()
	for _, tt := range []struct{ skills, want []string }{
		{nil, []string{"files"}},
		{[]string{"notes", "browser"}, []string{"files", "browser"}},
		{[]string{"notes"}, []string{"files"}},
	} {
		if _, err := w.hub.Prompt(t.Context(), id, ann, runhub.Prompt{Text: "go", Skills: tt.skills}); err != nil {
			t.Fatal(err)
		}
		c := <-p.calls
		var got []string
		for _, s := range c.req.Servers {
			got = append(got, s.Name)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("skills %v (-want +got):\n%s", tt.skills, diff)
		}
		c.ok()
		w.settled(id)
	}
}

// Every agent is given the daemon's MCP servers, and what it writes for its process
// alone is gone after the run, whether the daemon lives or not.
func TestRun_privateFolder(t *testing.T) {
	t.Parallel()
	servers := []agent.MCPServer{{Name: "files", Command: []string{"files"}, Env: map[string]string{"KEY": "secret"}}}
	write := func(dir string) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "mcp.json"), []byte("secret"), 0o600); err != nil {
			t.Error(err)
		}
	}
	var dir string
	s := scripted(func(_ context.Context, req agent.Request, _ agent.Host) (agent.Result, error) {
		if diff := cmp.Diff(servers, req.Servers); diff != "" {
			t.Errorf("servers (-want +got):\n%s", diff)
		}
		dir = req.Private
		write(dir)
		return agent.Result{Status: wire.StatusOK}, nil
	})
	w := startIn(t, t.TempDir(), runhub.Options{Servers: servers}, s)
	id := w.chat()
	w.prompt(id, "", "go")
	w.settled(id)
	gone := func(when string) {
		t.Helper()
		if _, err := os.Lstat(dir); dir == "" || !os.IsNotExist(err) {
			t.Errorf("%s: folder %q is there: %v", when, dir, err)
		}
	}
	gone("after the run")

	// As a daemon that is killed leaves it.
	w.stop()
	write(dir)
	if err := os.WriteFile(filepath.Join(filepath.Dir(filepath.Dir(dir)), "running.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	startIn(t, w.dir, runhub.Options{}, s)
	gone("after a restart")
}
