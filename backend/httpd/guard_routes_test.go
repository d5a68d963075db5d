package httpd_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"signalbox/backend/access"
	"signalbox/backend/httpd"
)

// attempt is a request to a route as somebody makes it.
type attempt struct {
	name         string
	host, origin string // empty: our own, none
	cookie       bool
	bearer       string // "own" is the session's; else as it is
}

const (
	evilHost   = "evil.example"
	evilOrigin = "http://evil.example"
)

// T11: every route, with every Host, Origin and token.
func TestRoutes_guard(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := string(d.chat(ann))
	own := "http://" + d.addr
	attempts := []struct {
		attempt
		// pass tells by the route whether the guard lets it through.
		pass func(r httpd.Route, guarded bool) bool
	}{
		{attempt{name: "own page", origin: own, cookie: true}, always},
		{attempt{name: "own page by another name", origin: "http://localhost" + d.addr[strings.LastIndex(d.addr, ":"):], cookie: true}, always},
		{attempt{name: "program with a token", bearer: "own"}, always},
		{attempt{name: "program with a token and a foreign origin", origin: evilOrigin, bearer: "own"}, always},
		{attempt{name: "own page, nobody signed in", origin: own}, isOpen},
		{attempt{name: "nobody, nothing"}, openAndSafe},
		{attempt{name: "foreign page with the cookie", origin: evilOrigin, cookie: true}, isSafe},
		{attempt{name: "foreign page", origin: evilOrigin}, openAndSafe},
		{attempt{name: "null origin with the cookie", origin: "null", cookie: true}, isSafe},
		{attempt{name: "no origin with the cookie", cookie: true}, isSafe},
		{attempt{name: "another port's page with the cookie", origin: "http://127.0.0.1:1", cookie: true}, isSafe},
		{attempt{name: "https page with the cookie", origin: "https://" + d.addr, cookie: true}, isSafe},
		{attempt{name: "wrong token", bearer: "wrong"}, never},
		{attempt{name: "wrong token with the cookie", origin: own, cookie: true, bearer: "wrong"}, never},
		{attempt{name: "foreign page with an empty token and the cookie", origin: evilOrigin, cookie: true, bearer: " "}, isSafe},
		{attempt{name: "attacker's name", host: evilHost, origin: "http://" + evilHost, cookie: true}, never},
		{attempt{name: "attacker's name, our origin", host: evilHost, origin: own, cookie: true}, never},
		{attempt{name: "attacker's name with a token", host: evilHost, bearer: "own"}, never},
		{attempt{name: "attacker's name with our port", host: evilHost + d.addr[strings.LastIndex(d.addr, ":"):], cookie: true}, never},
	}
	routes := d.srv.Routes()
	if len(routes) < 20 {
		t.Fatalf("only %d routes", len(routes))
	}
	for _, route := range routes {
		for _, a := range attempts {
			p := ann
			if route.Path == "/api/logout" {
				p = d.signIn("ann", access.Admin) // it ends
			}
			want := a.pass(route, route.Socket || (route.Method != http.MethodGet && route.Method != http.MethodHead))
			status := d.try(p, route, a.attempt, chat)
			refused := status == http.StatusForbidden || status == http.StatusUnauthorized
			if route.Path == "/api/setup" && route.Method == http.MethodPost && status == http.StatusTooManyRequests {
				refused = false // let through, and then too often
			}
			if refused == want {
				t.Errorf("%s %s, %s: status %d, want it let through: %t", route.Method, route.Path, a.name, status, want)
			}
			if route.Socket && want && status != http.StatusSwitchingProtocols {
				t.Errorf("%s, %s: status %d", route.Path, a.name, status)
			}
		}
	}
}

func always(httpd.Route, bool) bool                { return true }
func never(httpd.Route, bool) bool                 { return false }
func isOpen(r httpd.Route, _ bool) bool            { return r.Open }
func isSafe(_ httpd.Route, guarded bool) bool      { return !guarded }
func openAndSafe(r httpd.Route, guarded bool) bool { return r.Open && !guarded }

// try makes the request and returns its status.
func (d *daemon) try(p person, route httpd.Route, a attempt, chat string) int {
	d.t.Helper()
	if route.Method == http.MethodDelete {
		chat = "c_00000000000000000000000000" // let through, it would be gone
	}
	path := strings.NewReplacer(":id", chat, ":sha256", strings.Repeat("0", 64), "/*", "/").Replace(route.Path)
	body := ""
	if route.Method == http.MethodPost || route.Method == http.MethodPatch {
		body = "{" // passes the guard and does nothing
	}
	r, err := http.NewRequestWithContext(d.t.Context(), route.Method, d.url(path), strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if a.host != "" {
		r.Host = a.host
	}
	if a.origin != "" {
		r.Header.Set("Origin", a.origin)
	}
	if a.cookie {
		r.AddCookie(&http.Cookie{Name: "signalbox_session", Value: p.secret})
	}
	switch a.bearer {
	case "":
	case "own":
		r.Header.Set("Authorization", "Bearer "+p.secret)
	default:
		r.Header.Set("Authorization", "Bearer "+a.bearer)
	}
	if route.Socket {
		for k, v := range map[string]string{
			"Connection": "Upgrade", "Upgrade": "websocket",
			"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
		} {
			r.Header.Set(k, v)
		}
	}
	resp, err := client.Do(r)
	if err != nil {
		d.t.Fatalf("%s %s, %s: %v", route.Method, route.Path, a.name, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			d.t.Fatal(err)
		}
		if strings.Contains(string(b), p.secret) {
			d.t.Errorf("%s %s, %s: the answer holds the secret", route.Method, route.Path, a.name)
		}
	}
	return resp.StatusCode
}

// Every route that the router knows has a rule or is the end of the road, and
// every rule but the page's is described.
func TestRoutes_allHaveARuleAndADescription(t *testing.T) {
	t.Parallel()
	d := start(t)
	rules := map[string]bool{}
	for _, r := range d.srv.Routes() {
		rules[r.Method+" "+r.Path] = true
	}
	for _, key := range d.srv.Registered() {
		if !rules[key] {
			t.Errorf("%s has no rule", key)
		}
	}
	open := []string{}
	for _, r := range d.srv.Routes() {
		if r.Open {
			open = append(open, r.Method+" "+r.Path)
		}
	}
	slices.Sort(open)
	want := []string{"GET /*", "GET /api/health", "GET /api/setup", "HEAD /*", "HEAD /api/health", "POST /api/login", "POST /api/setup"}
	if !slices.Equal(open, want) {
		t.Errorf("open to everybody are %v, want %v", open, want)
	}

	b, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	param := regexp.MustCompile(`:(\w+)`)
	for _, r := range d.srv.Routes() {
		if r.Path == "/*" {
			continue
		}
		path := param.ReplaceAllString(r.Path, "{$1}")
		if doc.Paths[path][strings.ToLower(r.Method)] == nil {
			t.Errorf("%s %s is not in docs/openapi.json", r.Method, path)
		}
	}
}

// A viewer reads and follows, and changes nothing.
func TestRoutes_viewer(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, vic := d.signIn("ann", access.Admin), d.signIn("vic", access.Viewer)
	chat := string(d.chat(ann))
	for _, tt := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodGet, "/api/me", "", 200},
		{http.MethodGet, "/api/agents", "", 200},
		{http.MethodPost, "/api/agents/check", "", 200},
		{http.MethodGet, "/api/chats", "", 200},
		{http.MethodGet, "/api/chats/" + chat, "", 200},
		{http.MethodGet, "/api/chats/" + chat + "/events", "", 200},
		{http.MethodPost, "/api/chats/" + chat + "/read", "", 204},
		{http.MethodPost, "/api/chats", `{}`, 403},
		{http.MethodPatch, "/api/chats/" + chat, `{"title":"x"}`, 403},
		{http.MethodPost, "/api/chats/" + chat + "/messages", `{"text":"x"}`, 403},
		{http.MethodPost, "/api/chats/" + chat + "/cancel", "", 403},
	} {
		if r := vic.call(tt.method, tt.path, tt.body); r.status != tt.status {
			t.Errorf("%s %s: %d, want %d: %s", tt.method, tt.path, r.status, tt.status, r.body)
		}
	}
	s := vic.socket("/ws/chat/" + chat)
	for _, cmd := range []string{`{"type":"prompt","id":"k","text":"x"}`, `{"type":"cancel","id":"k"}`} {
		s.send("%s", cmd)
		if m := s.ack("k"); m.OK || m.Error.Code != "forbidden" {
			t.Errorf("%s: %s", cmd, m.line)
		}
	}
}
