package httpd_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/backend/access"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/wire"
)

// A viewer takes a chat out; a member takes it in, as a chat of their own.
func TestREST_exportAndImport(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob, eve := d.signIn("ann", access.Admin), d.signIn("bob", access.Member), d.signIn("eve", access.Viewer)
	chat := d.chat(ann)
	d.prompt(ann, chat, "Grüße <b>an</b> ../alle")
	path := "/api/chats/" + string(chat) + "/export?format="
	for format, kind := range map[string]string{"md": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8", "json": "application/x-ndjson"} {
		r := eve.call(http.MethodGet, path+format, "")
		if r.status != 200 || r.header.Get("Content-Type") != kind || !strings.Contains(string(r.body), "Grüße") {
			t.Errorf("%s: %d %s\n%s", format, r.status, r.header, r.body)
		}
		if cd := r.header.Get("Content-Disposition"); !strings.HasPrefix(cd, "attachment;") || strings.Contains(cd, "..") || strings.Contains(cd, "/") {
			t.Errorf("%s is named by %s", format, cd)
		}
		if csp := r.header.Get("Content-Security-Policy"); !strings.Contains(csp, "sandbox") || !strings.Contains(csp, "default-src 'none'") {
			t.Errorf("%s: policy %q", format, csp)
		}
	}
	for _, query := range []string{"pdf", "", "md&zone=Mars"} {
		if r := eve.call(http.MethodGet, path+query, ""); r.status != 400 {
			t.Errorf("%q: %d %s", query, r.status, r.body)
		}
	}
	text := string(eve.call(http.MethodGet, path+"json", "").body)
	made := read[wire.ChatSummary](t, bob.call(http.MethodPost, "/api/import", text), 200)
	if made.ID == chat || made.Owner != bob.who || made.Verdict != wire.StatusOK || !strings.HasPrefix(made.Title, "Grüße") {
		t.Errorf("made %+v", made)
	}
	// It goes on like any other.
	d.prompt(bob, made.ID, "more")
	if r := eve.call(http.MethodPost, "/api/import", text); r.status != http.StatusForbidden {
		t.Errorf("a viewer imports: %d", r.status)
	}
	for _, bad := range []string{"", "hello", text[:len(text)/2], strings.Replace(text, `"seq":2`, `"seq":7`, 1)} {
		if r := bob.call(http.MethodPost, "/api/import", bad); r.status != 400 || !strings.Contains(string(r.body), `"hint"`) {
			t.Errorf("import of %.40q: %d %s", bad, r.status, r.body)
		}
	}
	if list := read[contract.ChatList](t, bob.call(http.MethodGet, "/api/chats", ""), 200); len(list.Chats) != 2 {
		t.Errorf("there are %d chats", len(list.Chats))
	}
}

// Sessions belong to the daemon's user, so only admins see them.
func TestREST_sessions(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(home, "projects", "-w", "5d0ab7d6.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	lines := `{"type":"user","uuid":"1","timestamp":"2026-01-02T03:04:05Z","cwd":"/gone","message":{"content":"hello there"}}
{"type":"assistant","uuid":"2","parentUuid":"1","timestamp":"2026-01-02T03:04:06Z","message":{"content":[{"type":"text","text":"hi"}]}}
`
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	d := start(t, func(s *setup) { s.homes = map[wire.AgentID]string{"claude": home} })
	ann, bob := d.signIn("ann", access.Admin), d.signIn("bob", access.Member)
	list := read[contract.SessionList](t, ann.call(http.MethodGet, "/api/sessions", ""), 200)
	if len(list.Sessions) != 1 || list.Sessions[0].ID != "5d0ab7d6" || list.Sessions[0].Title != "hello there" || list.Sessions[0].Chat != "" {
		t.Fatalf("sessions %+v", list)
	}
	const body = `{"agent":"claude","id":"5d0ab7d6"}`
	made := read[wire.ChatSummary](t, ann.call(http.MethodPost, "/api/sessions/import", body), 200)
	if made.Title != "hello there" || made.Selected.Agent != "claude" || made.ForkOf != nil || strings.HasPrefix(made.Cwd, "/gone") {
		t.Errorf("made %+v", made)
	}
	if list = read[contract.SessionList](t, ann.call(http.MethodGet, "/api/sessions", ""), 200); list.Sessions[0].Chat != made.ID {
		t.Errorf("after the import: %+v", list)
	}
	for _, r := range []reply{bob.call(http.MethodGet, "/api/sessions", ""), bob.call(http.MethodPost, "/api/sessions/import", body)} {
		if r.status != http.StatusForbidden {
			t.Errorf("a member: %d %s", r.status, r.body)
		}
	}
	for bad, status := range map[string]int{
		`{"agent":"claude","id":"../../x"}`: 404, `{"agent":"claude","id":""}`: 400, `{"agent":"pi","id":"x"}`: 404, `{}`: 400,
	} {
		if r := ann.call(http.MethodPost, "/api/sessions/import", bad); r.status != status {
			t.Errorf("%s: %d %s", bad, r.status, r.body)
		}
	}
}
