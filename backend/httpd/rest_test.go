package httpd_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/access"
	"signalbox/backend/agent"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/wire"
)

func TestREST_chats(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob := d.signIn("ann", access.Admin), d.signIn("bob", access.Member)
	made := read[wire.ChatSummary](t, ann.call(http.MethodPost, "/api/chats", `{"title":" First ","selected":{"agent":"scripted","mode":"plan"}}`), 200)
	if made.Title != "First" || made.Selected.Mode != wire.ModePlan || made.Owner != ann.who {
		t.Errorf("made %+v", made)
	}
	path := "/api/chats/" + string(made.ID)
	changed := read[wire.ChatSummary](t, bob.call(http.MethodPatch, path, `{"title":"Second"}`), 200)
	if changed.Title != "Second" || changed.Selected != made.Selected {
		t.Errorf("changed to %+v", changed)
	}
	changed = read[wire.ChatSummary](t, ann.call(http.MethodPatch, path, `{"selected":{"agent":"scripted","mode":"code"}}`), 200)
	if changed.Title != "Second" || changed.Selected.Mode != wire.ModeCode {
		t.Errorf("changed to %+v", changed)
	}
	d.say(ann, made.ID, 2)
	if s := read[wire.ChatSummary](t, bob.call(http.MethodGet, path, ""), 200); !s.Unread || s.Verdict != wire.StatusOK {
		t.Errorf("bob sees %+v", s)
	}
	if r := bob.call(http.MethodPost, path+"/read", ""); r.status != http.StatusNoContent {
		t.Errorf("read: %d %s", r.status, r.body)
	}
	list := read[contract.ChatList](t, bob.call(http.MethodGet, "/api/chats", ""), 200)
	if len(list.Chats) != 1 || list.Chats[0].Unread {
		t.Errorf("bob's list is %+v", list)
	}
	if bare := read[wire.ChatSummary](t, ann.call(http.MethodPost, "/api/chats", ""), 200); bare.ID == "" {
		t.Errorf("without a body: %+v", bare)
	}
	agents := read[contract.AgentList](t, ann.call(http.MethodGet, "/api/agents", ""), 200)
	if len(agents.Agents) != 1 || agents.Agents[0].Info.ID != "scripted" {
		t.Errorf("agents are %+v", agents)
	}
	if s := agents.Agents[0].Status; s.State != agent.StateUnknown {
		t.Errorf("before anybody looked the agent is %+v", s)
	}
	agents = read[contract.AgentList](t, ann.call(http.MethodPost, "/api/agents/check", ""), 200)
	if s := agents.Agents[0].Status; s.State != agent.StateReady || s.Checked == nil {
		t.Errorf("after a look the agent is %+v", s)
	}
}

// page is an eventlog.Page as a client reads it.
type page struct {
	Epoch   uint64
	Events  []struct{ Seq uint64 }
	HasMore bool
	Open    []json.RawMessage
}

// What calls of some tools did is told without the rest of the log.
func TestREST_callsOfSomeTools(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, vic := d.signIn("ann", access.Admin), d.signIn("vic", access.Viewer)
	chat := d.chat(ann)
	d.say(ann, chat, 3)
	log, err := d.logs.Log(chat)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range []wire.Event{
		wire.ToolUseStart{ToolID: "1", Name: "Edit", Input: json.RawMessage(`{}`)},
		wire.ToolUseEnd{ToolID: "1", Name: "Edit", OK: true},
		wire.ToolUseStart{ToolID: "2", Name: "Read", Input: json.RawMessage(`{}`)},
	} {
		draft, err := wire.NewDraft("r_made", ev)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Append(draft); err != nil {
			t.Fatal(err)
		}
	}
	type call struct {
		Type wire.Type
		Name string
	}
	got := read[struct {
		Epoch  uint64
		Events []call
		Next   uint64
	}](t, vic.call(http.MethodGet, "/api/chats/"+string(chat)+"/calls?tools=write,edit", ""), 200)
	want := []call{
		{Type: wire.TypeRunStarted},
		{Type: wire.TypeComplete},
		{wire.TypeToolUseStart, "Edit"},
		{wire.TypeToolUseEnd, "Edit"},
	}
	if diff := cmp.Diff(want, got.Events); diff != "" || got.Epoch != 1 || got.Next != 0 {
		t.Errorf("epoch %d, next %d, events (-want +got)\n%s", got.Epoch, got.Next, diff)
	}
}

func TestREST_eventsPageBack(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := d.chat(ann)
	for range 4 {
		d.say(ann, chat, 10)
	}
	log, err := d.logs.Log(chat)
	if err != nil {
		t.Fatal(err)
	}
	end := log.End()
	path := "/api/chats/" + string(chat) + "/events"
	var got []uint64
	before := ""
	for {
		p := read[page](t, ann.call(http.MethodGet, path+"?limit=5"+before, ""), 200)
		if len(p.Events) == 0 {
			t.Fatal("an empty page that has more")
		}
		seqs := []uint64{}
		for _, ev := range p.Events {
			seqs = append(seqs, ev.Seq)
		}
		got = append(seqs, got...)
		if !p.HasMore {
			break
		}
		before = fmt.Sprintf("&before=%d:%d", p.Epoch, seqs[0])
	}
	if len(got) != int(end.Seq) {
		t.Fatalf("%d events of %d", len(got), end.Seq)
	}
	for i, seq := range got {
		if seq != uint64(i+1) {
			t.Fatalf("event %d is %d", i, seq)
		}
	}
	for query, want := range map[string]struct {
		status int
		code   string
	}{
		"?before=abc":                            {400, "invalid"},
		"?before=-1:2":                           {400, "invalid"},
		"?before=1:2:3":                          {400, "invalid"},
		"?limit=0":                               {400, "invalid"},
		"?limit=1001":                            {400, "invalid"},
		"?limit=x":                               {400, "invalid"},
		"?after=1":                               {400, "invalid"},
		fmt.Sprintf("?before=%d:3", end.Epoch+1): {409, "stale_epoch"},
	} {
		p := read[contract.Problem](t, ann.call(http.MethodGet, path+query, ""), want.status)
		if string(p.Code) != want.code {
			t.Errorf("%s: %+v", query, p)
		}
	}
}

func TestREST_errorsAreProblems(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := "/api/chats/" + string(d.chat(ann))
	const absent = "/api/chats/c_00000000000000000000000000"
	tests := []struct {
		name, method, path, body string
		status                   int
		code                     string
	}{
		{"no such path", "GET", "/api/nothing", "", 404, "not_found"},
		{"no such path below a route", "GET", chat + "/nothing", "", 404, "not_found"},
		{"wrong method", "DELETE", "/api/chats", "", 405, "invalid"},
		{"read where only writing is", "GET", chat + "/cancel", "", 405, "invalid"},
		{"no route, whatever the method", "GET", "/api/chats//cancel", "", 404, "not_found"},
		{"id of another kind", "GET", "/api/chats/r_00000000000000000000000000", "", 404, "not_found"},
		{"id that climbs", "GET", "/api/chats/..%2f..%2fetc", "", 404, "not_found"},
		{"id with NUL", "GET", "/api/chats/c_%00", "", 404, "not_found"},
		{"absent chat", "GET", absent, "", 404, "not_found"},
		{"events of an absent chat", "GET", absent + "/events", "", 404, "not_found"},
		{"calls in an absent chat", "GET", absent + "/calls?tools=edit", "", 404, "not_found"},
		{"calls of no tool", "GET", chat + "/calls", "", 400, "invalid"},
		{"calls before what is no position", "GET", chat + "/calls?tools=edit&before=x", "", 400, "invalid"},
		{"calls of another epoch", "GET", chat + "/calls?tools=edit&before=9:3", "", 409, "stale_epoch"},
		{"stream of an absent chat", "GET", absent + "/stream", "", 404, "not_found"},
		{"socket of an absent chat", "GET", strings.Replace(absent, "/api/chats", "/ws/chat", 1), "", 426, "invalid"},
		{"socket without an upgrade", "GET", strings.Replace(chat, "/api/chats", "/ws/chat", 1), "", 426, "invalid"},
		{"prompt to an absent chat", "POST", absent + "/messages", `{"text":"x"}`, 404, "not_found"},
		{"cancel in an absent chat", "POST", absent + "/cancel", "", 404, "not_found"},
		{"change of an absent chat", "PATCH", absent, `{"title":"x"}`, 404, "not_found"},
		{"no body", "POST", chat + "/messages", "", 400, "invalid"},
		{"not JSON", "POST", chat + "/messages", "{", 400, "invalid"},
		{"not an object", "POST", chat + "/messages", "[]", 400, "invalid"},
		{"two objects", "POST", chat + "/messages", `{"text":"x"}{"text":"y"}`, 400, "invalid"},
		{"unknown field", "POST", chat + "/messages", `{"text":"x","txet":1}`, 400, "invalid"},
		{"field in capitals", "POST", chat + "/messages", `{"TEXT":"x"}`, 400, "invalid"},
		{"null text", "POST", chat + "/messages", `{"text":null}`, 400, "invalid"},
		{"blank text", "POST", chat + "/messages", `{"text":" \t\n"}`, 400, "invalid"},
		{"NUL", "POST", chat + "/messages", `{"text":"a\u0000"}`, 400, "invalid"},
		{"lone surrogate", "POST", chat + "/messages", `{"text":"\udc00"}`, 400, "invalid"},
		{"not UTF-8", "POST", chat + "/messages", "{\"text\":\"\xc3\x28\"}", 400, "invalid"},
		{"over 1 MB", "POST", chat + "/messages", `{"text":"` + strings.Repeat("a", 1<<20+1) + `"}`, 413, "too_large"},
		{"far over 1 MB", "POST", chat + "/messages", `{"text":"` + strings.Repeat("a", 8<<20) + `"}`, 413, "too_large"},
		{"unknown agent", "PATCH", chat, `{"selected":{"agent":"nobody"}}`, 400, "invalid"},
		{"new chat for an unknown agent", "POST", "/api/chats", `{"selected":{"agent":"nobody"}}`, 400, "invalid"},
		{"unknown mode", "PATCH", chat, `{"selected":{"mode":"yolo"}}`, 400, "invalid"},
		{"empty title", "PATCH", chat, `{"title":""}`, 400, "invalid"},
		{"blank title", "PATCH", chat, `{"title":"  "}`, 400, "invalid"},
		{"title of two lines", "PATCH", chat, `{"title":"a\nb"}`, 400, "invalid"},
		{"long title", "PATCH", chat, `{"title":"` + strings.Repeat("a", 201) + `"}`, 400, "invalid"},
		{"large body where none is meant", "PATCH", chat, `{"title":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "too_large"},
		{"nothing runs", "POST", chat + "/cancel", "", 409, "conflict"},
		{"run that is none", "POST", chat + "/cancel", `{"run":"x"}`, 400, "invalid"},
		{"hash that is none", "GET", chat + "/blobs/x", "", 404, "not_found"},
		{"hash that climbs", "GET", chat + "/blobs/..%2f..%2fmeta.json", "", 404, "not_found"},
		{"absent blob", "GET", chat + "/blobs/" + strings.Repeat("0", 64), "", 404, "not_found"},
	}
	for _, tt := range tests {
		r := ann.call(tt.method, tt.path, tt.body)
		if k := r.header.Get("Content-Type"); k != "application/problem+json" {
			t.Errorf("%s: %d is of type %q: %s", tt.name, r.status, k, r.body)
			continue
		}
		p := read[contract.Problem](t, r, tt.status)
		if string(p.Code) != tt.code || p.Status != tt.status || p.Title == "" || p.Detail == "" {
			t.Errorf("%s: %s", tt.name, r.body)
		}
	}
	r := ann.request(http.MethodPost, chat+"/messages", `{"text":"x"}`)
	r.Header.Set("Content-Type", "text/plain")
	if got := d.do(r); got.status != http.StatusUnsupportedMediaType && got.status != http.StatusBadRequest {
		t.Errorf("plain text: %d %s", got.status, got.body)
	}
	// The longest prompt is taken, however it is escaped.
	escaped := strings.Repeat(`\u2014`, (1<<20)/3)
	if got := ann.call(http.MethodPost, chat+"/messages", `{"text":"`+escaped+`"}`); got.status != http.StatusAccepted {
		t.Errorf("1 MB in escapes: %d %.300s", got.status, got.body)
	}
}

func TestREST_headers(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	for _, path := range []string{"/", "/api/health", "/api/me", "/api/nothing", "/chats/x"} {
		h := ann.call(http.MethodGet, path, "").header
		csp := h.Get("Content-Security-Policy")
		for _, want := range []string{
			"script-src 'self';", "style-src 'self' 'unsafe-inline';", "img-src 'self' data: blob:;", "connect-src 'self';",
			"frame-ancestors 'none'", "base-uri 'none'", "object-src 'none'", "form-action 'self'", "default-src 'none'",
		} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s: policy lacks %q: %s", path, want, csp)
			}
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		if h.Get("Permissions-Policy") == "" || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", path, h)
		}
		if strings.HasPrefix(path, "/api") && h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be cached: %q", path, h.Get("Cache-Control"))
		}
	}
}

func TestREST_blob(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := d.chat(ann)
	log, err := d.logs.Log(chat)
	if err != nil {
		t.Fatal(err)
	}
	w, err := log.NewBlob()
	if err != nil {
		t.Fatal(err)
	}
	const body = "<script>alert(1)</script> and more"
	if _, err := w.Write([]byte(body)); err != nil {
		t.Fatal(err)
	}
	ref, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	path := "/api/chats/" + string(chat) + "/blobs/" + ref.SHA256
	r := ann.call(http.MethodGet, path, "")
	if r.status != http.StatusOK || string(r.body) != body {
		t.Fatalf("%d %q", r.status, r.body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; sandbox",
		"Content-Disposition":     `attachment; filename="` + ref.SHA256 + `.txt"`,
		"ETag":                    `"` + ref.SHA256 + `"`,
	} {
		if got := r.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	part := ann.request(http.MethodGet, path, "")
	part.Header.Set("Range", "bytes=8-12")
	if got := d.do(part); got.status != http.StatusPartialContent || string(got.body) != body[8:13] {
		t.Errorf("range: %d %q", got.status, got.body)
	}
	// It belongs to its chat.
	other := "/api/chats/" + string(d.chat(ann)) + "/blobs/" + ref.SHA256
	if got := ann.call(http.MethodGet, other, ""); got.status != http.StatusNotFound {
		t.Errorf("by another chat: %d", got.status)
	}
}

// A client that leaves in the middle of its request is no fault of the daemon's.
func TestREST_bodyBreaksOff(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	for _, path := range []string{"/api/chats", "/api/chats/" + string(d.chat(ann)) + "/messages"} {
		c, err := net.Dial("tcp", d.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nCookie: signalbox_session=%s\r\n"+
			"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{", path, d.addr, d.addr, ann.secret)
		if err = errors.Join(err, c.(*net.TCPConn).CloseWrite()); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != 499 {
			t.Errorf("%s: status %d, want 499", path, res.StatusCode)
		}
	}
	if strings.Contains(d.log.String(), "ERROR") {
		t.Errorf("it is logged as an error: %s", d.log)
	}
}
