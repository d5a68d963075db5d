package httpd_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"signalbox/backend/access"
	"signalbox/backend/wire"
)

// Drafts follow their person from browser to browser, and nobody else.
func TestDraft_followsThePerson(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob, eve := d.signIn("ann", access.Admin), d.signIn("bob", access.Member), d.signIn("eve", access.Viewer)
	id := d.chat(ann)
	path := "/api/chats/" + string(id) + "/draft"
	elsewhere, bobs := d.signIn("ann", access.Admin).socket("/ws/workspace"), bob.socket("/ws/workspace")
	elsewhere.until(ofType(wire.TypeChat))
	bobs.until(ofType(wire.TypeChat))

	if got := read[wire.SavedDraft](t, ann.call(http.MethodGet, path, ""), http.StatusOK); got.Rev != 0 || got.Text != "" {
		t.Errorf("draft = %+v", got)
	}
	saved := read[wire.SavedDraft](t, ann.call(http.MethodPut, path, `{"text":"half a","rev":0}`), http.StatusOK)
	told := elsewhere.until(ofType(wire.TypeDraft))
	if m := told[len(told)-1]; !strings.Contains(m.line, `"text":"half a"`) || !strings.Contains(m.line, string(id)) {
		t.Errorf("the other browser is told %s", m.line)
	}
	if r := ann.call(http.MethodPut, path, `{"text":"other","rev":0}`); r.status != http.StatusConflict || !strings.Contains(string(r.body), fmt.Sprint("at ", saved.Rev)) {
		t.Errorf("a change of an older draft: %d %s", r.status, r.body)
	}
	if r := bob.call(http.MethodPut, path, `{"text":"mine","rev":0}`); r.status != http.StatusOK {
		t.Errorf("another person's draft: %d %s", r.status, r.body)
	}
	for _, m := range bobs.until(ofType(wire.TypeDraft)) {
		if strings.Contains(m.line, "half a") {
			t.Errorf("bob is told %s", m.line)
		}
	}
	for _, r := range []struct {
		by     person
		path   string
		body   string
		status int
	}{
		{eve, path, `{"text":"a","rev":0}`, http.StatusForbidden},
		{ann, path, `{"text":"a"}`, http.StatusBadRequest},
		{ann, path, `{"text":"a\u0000","rev":1}`, http.StatusBadRequest},
		{ann, path, `{"text":"` + strings.Repeat("x", 1<<20+1) + `","rev":1}`, http.StatusRequestEntityTooLarge},
		{ann, "/api/chats/c_01ARZ3NDEKTSV4RRFFQ69G5FAV/draft", `{"text":"a","rev":0}`, http.StatusNotFound},
	} {
		if got := r.by.call(http.MethodPut, r.path, r.body); got.status != r.status {
			t.Errorf("%.40s: %d, want %d: %.200s", r.body, got.status, r.status, got.body)
		}
	}
	if got := read[wire.SavedDraft](t, ann.call(http.MethodGet, path, ""), http.StatusOK); got.Text != "half a" {
		t.Errorf("draft = %+v", got)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, eve := d.signIn("ann", access.Admin), d.signIn("eve", access.Viewer)
	if got := read[wire.Settings](t, ann.call(http.MethodGet, "/api/me/settings", ""), http.StatusOK); got != (wire.Settings{EnterSends: true}) {
		t.Errorf("defaults = %+v", got)
	}
	want := wire.Settings{ContinueAtReset: true, EnterSends: true, Limits: wire.Limits{Minutes: 30, CostUSD: 2.5}}
	got := read[wire.Settings](t, ann.call(http.MethodPatch, "/api/me/settings", `{"continueAtReset":true,"limits":{"minutes":30,"costUsd":2.5}}`), http.StatusOK)
	if got != want {
		t.Errorf("settings = %+v, want %+v", got, want)
	}
	for _, bad := range []string{`{"limits":{"minutes":-1}}`, `{"limits":{"tokens":1.5}}`, `{"limits":{"day":{"tokens":-1}}}`, `{"limits":{"chat":{"hours":1}}}`, `{"nosuch":true}`, `{"enterSends":"yes"}`} {
		if r := ann.call(http.MethodPatch, "/api/me/settings", bad); r.status != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, r.status)
		}
	}
	if got := read[wire.Settings](t, ann.call(http.MethodGet, "/api/me/settings", ""), http.StatusOK); got != want {
		t.Errorf("settings = %+v, want %+v", got, want)
	}
	// They are one's own; who may only read has some, too.
	if got := read[wire.Settings](t, eve.call(http.MethodPatch, "/api/me/settings", `{"enterSends":false}`), http.StatusOK); got != (wire.Settings{}) {
		t.Errorf("settings = %+v", got)
	}
}

// A chat's limits are set by who may change it, shown to all, and taken away with
// nothing in them.
func TestChat_limits(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, eve := d.signIn("ann", access.Admin), d.signIn("eve", access.Viewer)
	chat := "/api/chats/" + string(d.chat(ann))
	want := wire.Limits{Minutes: 5, Tokens: 1000, Chat: wire.Amounts{CostUSD: 10}, Day: wire.Amounts{Minutes: 60}}
	got := read[wire.ChatSummary](t, ann.call(http.MethodPatch, chat,
		`{"limits":{"minutes":5,"tokens":1000,"chat":{"costUsd":10},"day":{"minutes":60}}}`), http.StatusOK)
	if got.Limits == nil || *got.Limits != want {
		t.Errorf("limits = %+v", got.Limits)
	}
	if r := eve.call(http.MethodPatch, chat, `{"limits":{}}`); r.status != http.StatusForbidden {
		t.Errorf("of a viewer: %d", r.status)
	}
	if got := read[wire.ChatSummary](t, eve.call(http.MethodGet, chat, ""), http.StatusOK); got.Limits == nil || *got.Limits != want {
		t.Errorf("a viewer sees the limits %+v", got.Limits)
	}
	if got := read[wire.ChatSummary](t, ann.call(http.MethodPatch, chat, `{"limits":{}}`), http.StatusOK); got.Limits != nil {
		t.Errorf("limits = %+v", got.Limits)
	}
	// No more than a browser can count.
	const most = 1<<53 - 1
	got = read[wire.ChatSummary](t, ann.call(http.MethodPatch, chat, fmt.Sprintf(`{"limits":{"tokens":%d}}`, most)), http.StatusOK)
	if got.Limits == nil || got.Limits.Tokens != most {
		t.Errorf("limits = %+v", got.Limits)
	}
	for _, more := range []string{`{"limits":{"tokens":9007199254740992}}`, `{"limits":{"day":{"tokens":9223372036854775807}}}`, `{"limits":{"chat":{"tokens":1e300}}}`} {
		r := ann.call(http.MethodPatch, chat, more)
		if r.status != http.StatusBadRequest || !strings.Contains(string(r.body), "tokens") || !strings.Contains(string(r.body), "9007199254740991") {
			t.Errorf("%s: %d %s", more, r.status, r.body)
		}
	}
}

func TestTyping_isShownToOthers(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob, eve := d.signIn("ann", access.Admin), d.signIn("bob", access.Member), d.signIn("eve", access.Viewer)
	ws := "/ws/chat/" + string(d.chat(ann))
	a, b, e := ann.socket(ws), bob.socket(ws), eve.socket(ws)
	b.until(ofType(wire.TypeQueue))
	a.send(`{"type":"typing","id":"1"}`)
	if m := a.ack("1"); !m.OK {
		t.Errorf("ack = %s", m.line)
	}
	all := b.until(ofType(wire.TypeTyping))
	if m := all[len(all)-1]; !strings.Contains(m.line, string(ann.who.ID)) {
		t.Errorf("bob sees %s", m.line)
	}
	e.send(`{"type":"typing","id":"1"}`)
	if m := e.ack("1"); m.OK || m.Error.Code != "forbidden" {
		t.Errorf("a viewer's ack = %s", m.line)
	}
}
