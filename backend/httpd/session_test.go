package httpd_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"signalbox/backend/access"
	"signalbox/backend/httpd"
	"signalbox/backend/httpd/contract"
)

func cookieOf(t *testing.T, r reply) *http.Cookie {
	t.Helper()
	c, err := http.ParseSetCookie(r.header.Get("Set-Cookie"))
	if err != nil {
		t.Fatalf("%v in %q", err, r.header.Get("Set-Cookie"))
	}
	return c
}

func TestSession_setUpSignInSignOut(t *testing.T) {
	t.Parallel()
	d := start(t)
	page := person{d: d} // nobody yet
	if s := read[contract.SetupState](t, page.call(http.MethodGet, "/api/setup", ""), 200); !s.Open {
		t.Error("set-up is not open")
	}
	token, err := d.auth.SetupToken()
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"token":%q,"name":"Ann","password":%q}`
	if r := page.call(http.MethodPost, "/api/setup", fmt.Sprintf(body, "wrong", password)); r.status != http.StatusForbidden {
		t.Errorf("wrong token: %d %s", r.status, r.body)
	}
	r := page.call(http.MethodPost, "/api/setup", fmt.Sprintf(body, token, password))
	if me := read[contract.Me](t, r, 200); me.Person.Name != "Ann" || me.Role != access.Admin || me.Version != "test" {
		t.Errorf("set up as %+v", me)
	}
	c := cookieOf(t, r)
	if c.Name != "signalbox_session" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Secure || c.Domain != "" || c.MaxAge <= 0 {
		t.Errorf("cookie is %v", c)
	}
	if strings.Contains(string(r.body), c.Value) {
		t.Error("the body holds the secret, which scripts must not see")
	}
	if s := read[contract.SetupState](t, page.call(http.MethodGet, "/api/setup", ""), 200); s.Open {
		t.Error("set-up is still open")
	}

	if r := page.call(http.MethodPost, "/api/login", `{"name":"Ann","password":"not-the-password"}`); r.status != http.StatusUnauthorized {
		t.Errorf("wrong password: %d %s", r.status, r.body)
	}
	r = page.call(http.MethodPost, "/api/login", fmt.Sprintf(`{"name":"ann","password":%q}`, password))
	ann := person{d: d, secret: cookieOf(t, r).Value, who: read[contract.Me](t, r, 200).Person}
	s := ann.socket("/ws/chat/" + string(d.chat(ann)))
	w := ann.socket("/ws/workspace")
	stream := ann.stream("/api/chats/" + string(d.chat(ann)) + "/stream")

	r = ann.call(http.MethodPost, "/api/logout", "")
	if c := cookieOf(t, r); r.status != http.StatusNoContent || c.MaxAge >= 0 || c.Value != "" {
		t.Errorf("signed out with %d, %v", r.status, c)
	}
	if code := s.closed(); code != 4500 {
		t.Errorf("the chat's socket closed with %d", code)
	}
	if code := w.closed(); code != 4500 {
		t.Errorf("the workspace's socket closed with %d", code)
	}
	stream.drain() // ends
	if r := ann.call(http.MethodGet, "/api/me", ""); r.status != http.StatusUnauthorized {
		t.Errorf("after signing out: %d", r.status)
	}
	if _, resp, err := ann.dial("/ws/workspace"); err == nil || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a socket after signing out: %v", resp)
	}
}

func TestSession_tooManyTries(t *testing.T) {
	t.Parallel()
	d := start(t)
	d.signIn("ann", access.Admin)
	page := person{d: d}
	for range 100 {
		r := page.call(http.MethodPost, "/api/login", `{"name":"ann","password":"not-the-password"}`)
		if r.status == http.StatusUnauthorized {
			continue
		}
		p := read[contract.Problem](t, r, http.StatusTooManyRequests)
		after, err := strconv.Atoi(r.header.Get("Retry-After"))
		if err != nil || after <= 0 || p.Code != "rate_limited" || p.Hint == "" {
			t.Errorf("limited with %v, %s", r.header, r.body)
		}
		return
	}
	t.Error("never limited")
}

// Behind a proxy that is trusted each who signs in has a limit of their own; what
// others claim about themselves counts for nothing.
func TestSession_limitIsOfWhomTheProxyAsksFor(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{true, false} {
		d := start(t, func(c *setup) {
			if trusted {
				c.opts.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
			}
		})
		d.signIn("ann", access.Admin)
		names := 0 // a name has a limit of its own
		try := func(from string) int {
			names++
			r := person{d: d}.request(http.MethodPost, "/api/login", fmt.Sprintf(`{"name":"nobody %d","password":"not-the-password"}`, names))
			r.Header.Set("X-Forwarded-For", "192.0.2.1, "+from)
			return d.do(r).status
		}
		tries := 0
		for try("203.0.113.7") != http.StatusTooManyRequests {
			if tries++; tries > 100 {
				t.Fatal("never limited")
			}
		}
		want := http.StatusTooManyRequests
		if trusted {
			want = http.StatusUnauthorized
		}
		if got := try("203.0.113.8"); got != want {
			t.Errorf("trusted %v: the next address gets %d, want %d", trusted, got, want)
		}
	}
}

func TestSession_setUpIsLimited(t *testing.T) {
	t.Parallel()
	d := start(t)
	page := person{d: d}
	for range 100 {
		if r := page.call(http.MethodPost, "/api/setup", fmt.Sprintf(`{"token":"x","name":"a","password":%q}`, password)); r.status == http.StatusTooManyRequests {
			return
		}
	}
	t.Error("never limited")
}

func TestSession_cookieIsSecureWhereTheAddressIs(t *testing.T) {
	t.Parallel()
	d := start(t, func(c *setup) { c.opts = httpd.Options{URL: "https://box.example"} })
	d.signIn("ann", access.Admin)
	r := person{d: d}.request(http.MethodPost, "/api/login", fmt.Sprintf(`{"name":"ann","password":%q}`, password))
	r.Host = "box.example"
	r.Header.Set("Origin", "https://box.example")
	got := d.do(r)
	if c := cookieOf(t, got); got.status != http.StatusOK || !c.Secure {
		t.Errorf("%d, cookie %v", got.status, c)
	}
}

// What people type and what proves who they are stays out of the log and out of
// every answer.
func TestSecrets_areNowhere(t *testing.T) {
	t.Parallel()
	d := start(t)
	page := person{d: d}
	token, err := d.auth.SetupToken()
	if err != nil {
		t.Fatal(err)
	}
	const prompt, query = "canary-prompt-7c1d", "canary-query-88aa"
	r := page.call(http.MethodPost, "/api/setup", fmt.Sprintf(`{"token":%q,"name":"ann","password":%q}`, token, password))
	ann := person{d: d, secret: cookieOf(t, r).Value}
	ann.who = read[contract.Me](t, r, 200).Person
	chat := string(d.chat(ann))

	var answers []reply
	for _, body := range []string{
		fmt.Sprintf(`{"name":"ann","password":%q,"more":%q}`, password, password), // an unknown field
		fmt.Sprintf(`{"name":"ann","password":[%q]}`, password),
		fmt.Sprintf(`{"name":"ann","password":%q`, password),
		fmt.Sprintf(`{"name":%q,"password":"wrong-password"}`, password),
		fmt.Sprintf(`{"name":"ann","password":"%s%s"}`, password, strings.Repeat("x", 2000)),
	} {
		answers = append(answers, page.call(http.MethodPost, "/api/login", body))
	}
	answers = append(answers,
		page.call(http.MethodPost, "/api/setup", fmt.Sprintf(`{"token":%q,"name":"","password":%q}`, token, password)),
		ann.call(http.MethodGet, "/api/me?token="+query, ""),
		ann.call(http.MethodGet, "/api/chats?token="+query, ""),
		ann.call(http.MethodGet, "/login?token="+query, ""),
		ann.call(http.MethodPost, "/api/chats/"+chat+"/messages", fmt.Sprintf(`{"text":%q,"txet":%q}`, prompt, prompt)),
		ann.call(http.MethodPost, "/api/chats/"+chat+"/messages", fmt.Sprintf(`{"text":"%s\ud800"}`, prompt)),
	)
	s := ann.socket("/ws/chat/" + chat)
	s.send(`{"type":"prompt","id":"k","text":%q,"x":1}`, prompt)
	if m := s.ack("k"); strings.Contains(m.line, prompt) {
		t.Errorf("ack is %s", m.line)
	}
	s.send(`{"type":"prompt","id":"k2","text":%q}`, prompt)
	s.ack("k2")
	s.until(idle)
	ann.call(http.MethodPost, "/api/logout", "")

	secrets := []string{password, token, ann.secret, query, prompt}
	for _, a := range answers {
		for _, secret := range secrets {
			if strings.Contains(string(a.body), secret) || strings.Contains(fmt.Sprint(a.header), secret) {
				t.Errorf("an answer holds %s: %v %s", secret, a.header, a.body)
			}
		}
	}
	d.all()
	logged := d.log.String()
	if !strings.Contains(logged, "msg=request") {
		t.Fatal("no request was logged")
	}
	for _, secret := range secrets {
		if i := strings.Index(logged, secret); i >= 0 {
			t.Errorf("the log holds %s: %s", secret, logged[max(0, i-200):i+len(secret)])
		}
	}
}
