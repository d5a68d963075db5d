package httpd_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"signalbox/backend/access"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/wire"
)

func TestSessions_areListedAndEndedOnesOwn(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob := d.signIn("ann", access.Member), d.signIn("bob", access.Member)
	other := d.signIn("ann", access.Member)
	third := d.signIn("ann", access.Member)
	list := read[contract.BrowserSessionList](t, ann.call(http.MethodGet, "/api/me/sessions", ""), http.StatusOK).Sessions
	if len(list) != 3 || !list[0].Current || list[1].Current {
		t.Fatalf("sessions %+v, want three, one's own used last", list)
	}
	if r := bob.call(http.MethodDelete, "/api/me/sessions/"+list[1].ID, ""); r.status != http.StatusNotFound {
		t.Errorf("somebody else's session: %d", r.status)
	}
	if r := ann.call(http.MethodDelete, "/api/me/sessions/"+list[1].ID, ""); r.status != http.StatusNoContent {
		t.Errorf("one of one's own: %d %s", r.status, r.body)
	}
	if r := ann.call(http.MethodDelete, "/api/me/sessions", ""); r.status != http.StatusNoContent {
		t.Errorf("all others: %d %s", r.status, r.body)
	}
	for name, p := range map[string]person{"other": other, "third": third} {
		if r := p.call(http.MethodGet, "/api/me", ""); r.status != http.StatusUnauthorized {
			t.Errorf("%s is still signed in: %d", name, r.status)
		}
	}
	for name, p := range map[string]person{"ann": ann, "bob": bob} {
		if r := p.call(http.MethodGet, "/api/me", ""); r.status != http.StatusOK {
			t.Errorf("%s: %d", name, r.status)
		}
	}
}

// What a token opened ends with it, and nothing else does.
func TestTokens_endWhatTheyOpened(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := string(d.chat(ann))
	var bots []person
	var ids []string
	for _, name := range []string{"gone", "stays"} {
		body := fmt.Sprintf(`{"name":%q,"scope":"read","days":30}`, name)
		made := read[contract.MadeToken](t, ann.call(http.MethodPost, "/api/me/tokens", body), http.StatusOK)
		bots, ids = append(bots, person{d: d, token: made.Secret, who: ann.who}), append(ids, made.Token.ID)
	}
	gone, stays := bots[0], bots[1].socket("/ws/workspace")
	socket, all := gone.socket("/ws/chat/"+chat), gone.socket("/ws/workspace")
	stream := gone.stream("/api/chats/" + chat + "/stream")
	if r := ann.call(http.MethodDelete, "/api/me/tokens/"+ids[0], ""); r.status != http.StatusNoContent {
		t.Fatalf("revoke: %d %s", r.status, r.body)
	}
	for name, s := range map[string]*tap{"chat": socket, "workspace": all} {
		if code := s.closed(); code != 4500 {
			t.Errorf("the socket of the %s closed with %d", name, code)
		}
	}
	stream.drain() // ends
	if _, resp, err := gone.dial("/ws/workspace"); err == nil || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a socket after that: %v", resp)
	}
	id := d.chat(ann)
	stays.until(func(m message) bool { return m.Type == wire.TypeChat && strings.Contains(m.line, string(id)) })
}

// A token does what its scope lets it, and never what concerns signing in.
func TestTokens_reachAsFarAsTheirScope(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := string(d.chat(ann))
	made := map[string]contract.MadeToken{}
	for _, scope := range []string{"read", "full"} {
		body := fmt.Sprintf(`{"name":"for %s","scope":%q,"days":30}`, scope, scope)
		made[scope] = read[contract.MadeToken](t, ann.call(http.MethodPost, "/api/me/tokens", body), http.StatusOK)
	}
	as := func(scope, method, path, body string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, d.url(path), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+made[scope].Secret)
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
		return res.StatusCode
	}
	for _, tt := range []struct {
		method, path, body string
		read, full         int
	}{
		{http.MethodGet, "/api/chats", "", 200, 200},
		{http.MethodGet, "/api/chats/" + chat + "/events", "", 200, 200},
		{http.MethodPatch, "/api/chats/" + chat, `{"title":"new"}`, 403, 200},
		{http.MethodPost, "/api/chats/" + chat + "/read", "", 403, 204},
		{http.MethodPatch, "/api/me/settings", `{"enterSends":true}`, 403, 200},
		{http.MethodGet, "/api/me/sessions", "", 403, 403},
		{http.MethodDelete, "/api/me/sessions", "", 403, 403},
		{http.MethodGet, "/api/me/tokens", "", 403, 403},
		{http.MethodPost, "/api/me/tokens", `{"name":"more","scope":"full"}`, 403, 403},
		{http.MethodPost, "/api/me/password", `{"current":"x","next":"y"}`, 403, 403},
	} {
		if got := as("read", tt.method, tt.path, tt.body); got != tt.read {
			t.Errorf("%s %s to read: %d, want %d", tt.method, tt.path, got, tt.read)
		}
		if got := as("full", tt.method, tt.path, tt.body); got != tt.full {
			t.Errorf("%s %s in full: %d, want %d", tt.method, tt.path, got, tt.full)
		}
	}
	list := read[contract.TokenList](t, ann.call(http.MethodGet, "/api/me/tokens", ""), http.StatusOK)
	if len(list.Tokens) != 2 || list.Tokens[0].LastSeen == nil {
		t.Errorf("tokens %+v", list)
	}
	if r := ann.call(http.MethodDelete, "/api/me/tokens/"+made["full"].Token.ID, ""); r.status != http.StatusNoContent {
		t.Errorf("revoke: %d %s", r.status, r.body)
	}
	if got := as("full", http.MethodGet, "/api/chats", ""); got != http.StatusUnauthorized {
		t.Errorf("a revoked token: %d", got)
	}
	for _, bad := range []string{`{"name":"","scope":"full"}`, `{"name":"x","scope":"all"}`, `{"name":"x"}`, `{"name":"x","scope":"full","days":-1}`} {
		if r := ann.call(http.MethodPost, "/api/me/tokens", bad); r.status != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, r.status)
		}
	}
}

func TestPassword_isChangedByWhoKnowsIt(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, other := d.signIn("ann", access.Member), d.signIn("ann", access.Member)
	change := func(current, next string) int {
		t.Helper()
		return ann.call(http.MethodPost, "/api/me/password", fmt.Sprintf(`{"current":%q,"next":%q}`, current, next)).status
	}
	if got := change("not the password", "another password"); got != http.StatusForbidden {
		t.Errorf("wrong password: %d", got)
	}
	if got := change(password, "short"); got != http.StatusBadRequest {
		t.Errorf("short password: %d", got)
	}
	if got := change(password, "another password"); got != http.StatusNoContent {
		t.Errorf("change: %d", got)
	}
	if r := other.call(http.MethodGet, "/api/me", ""); r.status != http.StatusUnauthorized {
		t.Errorf("the other browser is still signed in: %d", r.status)
	}
	if r := ann.call(http.MethodGet, "/api/me", ""); r.status != http.StatusOK {
		t.Errorf("the browser that asked: %d", r.status)
	}
}

// What was judged before its body had come is judged again when it is there.
func TestJudge_countsWhenTheBodyIsThere(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := string(d.chat(ann))
	for path, body := range map[string]string{
		"/api/me/tokens":                                 `{"name":"late","scope":"full"}`,
		"/api/chats/" + chat + "/messages":               `{"text":"late","clientId":"late"}`,
		"/api/chats/" + chat + "/attachments?name=a.txt": "late",
		"/api/import":                                    "late",
	} {
		late := d.signIn("ann", access.Admin)
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", d.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close() //nolint:errcheck // the test is over
		r := late.request(http.MethodPost, path, body)
		var head bytes.Buffer
		fmt.Fprintf(&head, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n", path, d.addr, len(body))
		if err := r.Header.Write(&head); err != nil {
			t.Fatal(err)
		}
		head.WriteString("\r\n")
		if _, err := conn.Write(head.Bytes()); err != nil {
			t.Fatal(err)
		}
		answers := bufio.NewReader(conn)
		if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, "100") {
			t.Fatalf("%s: %q, %v, want to be asked for the body", path, line, err)
		}
		if _, err := answers.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if got := late.call(http.MethodPost, "/api/logout", ""); got.status != http.StatusNoContent {
			t.Fatalf("sign out: %d %s", got.status, got.body)
		}
		if _, err := io.WriteString(conn, body); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(answers, r)
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s, want 401", path, res.Status)
		}
		_ = res.Body.Close() // the connection closes
	}
}
