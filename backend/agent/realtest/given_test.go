//go:build real

package realtest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/agent"
	"signalbox/backend/agent/agenttest"
	"signalbox/backend/model/scripted"
	"signalbox/backend/permission"
	"signalbox/backend/prompt"
	"signalbox/backend/wire"
)

// testServers: the tools of a server are called, whether it is started or behind
// a URL, and its key is neither told nor left.
func testServers(t *testing.T, v vendor) {
	for name, server := range map[string]agent.MCPServer{"started": agenttest.MCPCommand(t), "by URL": agenttest.MCPURL(t)} {
		r := v.rig(t)
		tn := agenttest.Start(t,
			agenttest.Part{Provider: r.agent, Prompt: "SCENARIO mcp", Mode: wire.ModeCode},
			agenttest.Options{Cwd: r.dir, Servers: []agent.MCPServer{server}})
		ended(tn, wire.StatusOK)
		var got []string
		for _, ev := range tn.Events() {
			switch e := ev.(type) {
			case wire.ToolUseStart:
				got = append(got, e.Server+"/"+e.Name)
			case wire.ToolUseEnd:
				got = append(got, fmt.Sprintf("%t %s", e.OK, firstLine(e.Output)))
			}
			d, err := wire.NewDraft("", ev)
			if err != nil || strings.Contains(string(d.Body), agenttest.MCPSecret) {
				t.Errorf("%s: the key is in an event: %s, %v", name, d.Body, err)
			}
		}
		want := []string{"tester/add", "true 42", "tester/boom", "false boom: it always fails"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: calls (-want +got):\n%s", name, diff)
		}
		for _, file := range r.holding(agenttest.MCPSecret) {
			t.Errorf("%s: the key is left in %s", name, file)
		}
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// testSkills: A86, A87. The model is given what the skill says.
func testSkills(t *testing.T, v vendor) {
	const says = "Always measure twice, code 7c1e."
	r := v.rig(t)
	put(t, filepath.Join(r.dir, v.skills, "measure", "SKILL.md"), "---\nname: measure\ndescription: How to measure\n---\n"+says+"\n")
	tn := agenttest.Start(t,
		agenttest.Part{Provider: r.agent, Prompt: "SCENARIO text with a skill", Mode: wire.ModeCode},
		agenttest.Options{Cwd: r.dir, Skills: []string{"measure"}})
	ended(tn, wire.StatusOK)
	if !slices.ContainsFunc(r.model.Requests(), func(req scripted.Request) bool { return strings.Contains(string(req.Body), says) }) {
		t.Error("the model was not given the skill")
	}
	if got := tn.Text(""); !strings.Contains(got, "Hello") {
		t.Errorf("text = %q", got)
	}
}

func testImages(t *testing.T, v vendor) {
	r := v.rig(t)
	path := filepath.Join(t.TempDir(), "picture") // a name says nothing
	if err := os.WriteFile(path, agenttest.Picture(t), 0o600); err != nil {
		t.Fatal(err)
	}
	tn := agenttest.Start(t,
		agenttest.Part{Provider: r.agent, Prompt: "SCENARIO text with a picture", Mode: wire.ModeCode},
		agenttest.Options{Cwd: r.dir, Images: []agent.Image{{Path: path, Media: "image/png"}}})
	ended(tn, wire.StatusOK)
	const magic = "iVBORw0KGgo" // of a PNG, in base64
	shown := slices.ContainsFunc(r.model.Requests(), func(req scripted.Request) bool {
		return req.Scenario == "text" && strings.Contains(string(req.Body), magic)
	})
	if notices := of[wire.System](tn); !shown || len(notices) > 0 {
		t.Errorf("the model was shown a picture: %t; notices %+v", shown, notices)
	}
}

// testReadsAttachments: they lie outside of the folder, and nobody is asked.
func testReadsAttachments(t *testing.T, v vendor) {
	for _, mode := range []wire.Mode{wire.ModeChat, wire.ModePlan} {
		r := v.rig(t)
		path := filepath.Join(filepath.Dir(r.dir), "files", "1f0e", "notes é.txt")
		put(t, path, "what was sent\n")
		tn := agenttest.Start(t,
			agenttest.Part{Provider: r.agent, Prompt: prompt.ForAgent(mode, "SCENARIO read-file "+path), Mode: mode},
			agenttest.Options{Cwd: r.dir, Ask: func(_ context.Context, ask agent.Ask) (agent.Answer, error) {
				d := permission.Decide(mode, nil, ask)
				if d.Verdict == permission.Ask && ask.Kind != wire.ApprovalPlan {
					t.Errorf("%s: a person is asked: %+v", mode, ask)
				}
				return d.Answer(), nil
			}})
		ended(tn, wire.StatusOK)
		if got := tn.Text(""); !strings.Contains(got, "what was sent") {
			t.Errorf("%s: text = %q", mode, got)
		}
	}
}
