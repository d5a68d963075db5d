package httpd_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/access"
	"signalbox/backend/skill"
	"signalbox/backend/wire"
	"signalbox/backend/workdir"
)

// write makes a file with its folders.
func write(t *testing.T, text string, path ...string) {
	t.Helper()
	at := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// withSkills starts a daemon whose agent has the skill "pdf" on the host.
func withSkills(t *testing.T) *daemon {
	t.Helper()
	home := t.TempDir()
	write(t, "---\nname: pdf\ndescription: Reads PDFs\n---\n", home, "pdf", "SKILL.md")
	return start(t, func(s *setup) {
		s.skills = map[wire.AgentID]skill.Places{"scripted": {Host: []string{home}, Workspace: []string{".skills"}}}
	})
}

// A84, A90, A91.
func TestREST_skillsOfTheHostAndOfAChatsFolder(t *testing.T) {
	t.Parallel()
	d := withSkills(t)
	ann, viewer := d.signIn("ann", access.Member), d.signIn("vera", access.Viewer)
	chat := read[wire.ChatSummary](t, ann.call(http.MethodPost, "/api/chats", ""), 200)
	write(t, "---\nname: deploy\n---\n", chat.Cwd, ".skills", "deploy", "SKILL.md")

	const query = "skills?agent=scripted"
	host := skill.Skill{Name: "pdf", Description: "Reads PDFs", Source: skill.Host}
	work := skill.Skill{Name: "deploy", Source: skill.Workspace}
	got := read[skill.List](t, ann.call(http.MethodGet, "/api/"+query, ""), 200)
	if diff := cmp.Diff([]skill.Skill{host}, got.Skills); diff != "" {
		t.Errorf("of the host (-want +got):\n%s", diff)
	}
	path := "/api/chats/" + string(chat.ID) + "/"
	got = read[skill.List](t, ann.call(http.MethodGet, path+query, ""), 200)
	if diff := cmp.Diff([]skill.Skill{work, host}, got.Skills); diff != "" {
		t.Errorf("of the chat (-want +got):\n%s", diff)
	}
	for at, status := range map[string]int{
		"/api/skills": 400, "/api/skills?agent=nobody": 404, "/api/chats/c_01ARZ3NDEKTSV4RRFFQ69G5FAV/" + query: 404,
		"/api/chats/..%2f..%2fetc/" + query: 404, path + "skills?agent=nobody": 404,
	} {
		if r := ann.call(http.MethodGet, at, ""); r.status != status {
			t.Errorf("%s: %d %s", at, r.status, r.body)
		}
	}
	for _, at := range []string{"/api/" + query, path + query, path + "files"} {
		if r := viewer.call(http.MethodGet, at, ""); r.status != http.StatusForbidden {
			t.Errorf("who may only read gets %d from %s", r.status, at)
		}
	}
}

// A85, A92.
func TestREST_skillsAreKeptWithTheChat(t *testing.T) {
	t.Parallel()
	d := withSkills(t)
	ann := d.signIn("ann", access.Member)
	made := read[wire.ChatSummary](t, ann.call(http.MethodPost, "/api/chats", `{"skills":["pdf","gone"]}`), 200)
	path := "/api/chats/" + string(made.ID)
	tests := []struct {
		body   string
		status int
		want   []string
	}{
		{`{"title":"t"}`, 200, []string{"pdf", "gone"}},
		{`{"skills":["two words"]}`, 400, []string{"pdf", "gone"}},
		{`{"skills":["gone","pdf"]}`, 200, []string{"gone", "pdf"}},
		{`{"selected":{"agent":"scripted"}}`, 200, []string{"pdf"}},
		{`{"selected":{"agent":"scripted","mode":"plan"}}`, 200, []string{"pdf"}},
		{`{"skills":[]}`, 200, nil},
	}
	for _, tt := range tests {
		if r := ann.call(http.MethodPatch, path, tt.body); r.status != tt.status {
			t.Errorf("%s: %d %s", tt.body, r.status, r.body)
		}
		got := read[wire.ChatSummary](t, ann.call(http.MethodGet, path, ""), 200)
		if diff := cmp.Diff(tt.want, got.Skills); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", tt.body, diff)
		}
	}
	if r := ann.call(http.MethodPost, "/api/chats", `{"skills":["../x"]}`); r.status != http.StatusBadRequest {
		t.Errorf("a name that is none: %d", r.status)
	}
}

func TestREST_findsFilesOfAChatsFolder(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Member)
	chat := read[wire.ChatSummary](t, ann.call(http.MethodPost, "/api/chats", ""), 200)
	write(t, "", chat.Cwd, "src", "main page.go")
	write(t, "", chat.Cwd, ".git", "main")
	path := "/api/chats/" + string(chat.ID) + "/files"
	for query, want := range map[string][]workdir.File{
		"?q=" + url.QueryEscape("main p"): {{Path: "src/main page.go"}},
		"":                                {{Path: "src", Dir: true}, {Path: "src/main page.go"}},
		"?limit=1":                        {{Path: "src", Dir: true}},
		"?q=..%2f":                        {},
	} {
		got := read[workdir.Found](t, ann.call(http.MethodGet, path+query, ""), 200)
		if diff := cmp.Diff(want, got.Files); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	if r := ann.call(http.MethodGet, path+"?limit=1000", ""); r.status != http.StatusBadRequest {
		t.Errorf("a limit of 1000: %d", r.status)
	}
	if err := os.RemoveAll(chat.Cwd); err != nil {
		t.Fatal(err)
	}
	if r := ann.call(http.MethodGet, path, ""); r.status != http.StatusNotFound {
		t.Errorf("without the folder: %d %s", r.status, r.body)
	}
}
