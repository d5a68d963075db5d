package httpd_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"signalbox/backend/access"
	"signalbox/backend/wire"
)

// queued reads on to the queue with so many prompts.
func (c *tap) queued(n int) message {
	c.t.Helper()
	all := c.until(func(m message) bool {
		return m.Type == wire.TypeQueue && strings.Count(m.line, `"clientId"`) == n
	})
	return all[len(all)-1]
}

// A97: each browser sees and changes what waits, by commands and by REST alike; who
// may only read sees it alone.
func TestQueue_ofEveryBrowser(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob, eve := d.signIn("ann", access.Admin), d.signIn("bob", access.Member), d.signIn("eve", access.Viewer)
	chat := "/api/chats/" + string(d.chat(ann))
	ws := "/ws/chat/" + strings.TrimPrefix(chat, "/api/chats/")
	a, e := ann.socket(ws), eve.socket(ws)
	if got := a.until(ofType(wire.TypeQueue)); len(got) != 3 || got[1].Type != wire.TypeSync {
		t.Errorf("order is %v", types(got))
	}

	a.send(`{"type":"prompt","id":"1","clientId":"one","text":"wait"}`)
	a.ack("1")
	for i, id := range []string{"two", "three", "four"} {
		a.send(`{"type":"prompt","id":%q,"clientId":%q,"text":"say 1"}`, id, id)
		if got := a.ack(id); !got.OK || got.Result.Queued != i+1 || got.Result.Run != "" {
			t.Errorf("ack of %s is %s", id, got.line)
		}
	}
	e.queued(3)

	q := read[wire.Queue](t, bob.call(http.MethodGet, chat+"/queue", ""), http.StatusOK)
	if len(q.Items) != 3 || q.Items[0].ClientID != "two" || q.Items[0].By != ann.who {
		t.Fatalf("queue = %+v", q)
	}
	b := bob.socket(ws)
	b.send(`{"type":"queue_edit","id":"e","clientId":"two","text":"say 2","rev":%d}`, q.Rev)
	if got := b.ack("e"); !got.OK {
		t.Errorf("edit: %s", got.line)
	}
	// What is based on what was before is refused.
	a.send(`{"type":"queue_edit","id":"late","clientId":"two","text":"say 3","rev":%d}`, q.Rev)
	if got := a.ack("late"); got.OK || got.Error.Code != "conflict" || !strings.Contains(got.Error.Message, "Bob") && !strings.Contains(got.Error.Message, "bob") {
		t.Errorf("late edit: %s", got.line)
	}
	if r := ann.call(http.MethodPatch, chat+"/queue/two", fmt.Sprintf(`{"text":"say 3","rev":%d}`, q.Rev)); r.status != http.StatusConflict {
		t.Errorf("late edit by REST: %d %s", r.status, r.body)
	}
	q = read[wire.Queue](t, ann.call(http.MethodPatch, chat+"/queue/four", `{"to":1,"text":"say 4"}`), http.StatusOK)
	if q.Items[0].ClientID != "four" || q.Items[0].Text != "say 4" || q.Items[1].By != bob.who {
		t.Errorf("queue = %+v", q)
	}
	q = read[wire.Queue](t, bob.call(http.MethodDelete, fmt.Sprintf("%s/queue/three?rev=%d", chat, q.Rev), ""), http.StatusOK)
	if len(q.Items) != 2 {
		t.Errorf("queue = %+v", q)
	}

	for _, bad := range []struct{ method, path, body string }{
		{http.MethodPatch, "/queue/two", `{}`},
		{http.MethodPatch, "/queue/two", `{"text":" "}`},
		{http.MethodPatch, "/queue/two", `{"to":0}`},
		{http.MethodPatch, "/queue/two", `{"to":1,"nosuch":1}`},
	} {
		if r := ann.call(bad.method, chat+bad.path, bad.body); r.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", bad.body, r.status, r.body)
		}
	}
	if r := ann.call(http.MethodDelete, chat+"/queue/nosuch", ""); r.status != http.StatusNotFound {
		t.Errorf("removal of what never was: %d %s", r.status, r.body)
	}

	for _, cmd := range []string{
		`{"type":"queue_edit","id":"x","clientId":"two","text":"mine"}`,
		`{"type":"queue_move","id":"x","clientId":"two","to":1}`,
		`{"type":"queue_remove","id":"x","clientId":"two"}`,
		`{"type":"queue_resume","id":"x"}`,
	} {
		e.send("%s", cmd)
		if got := e.ack("x"); got.OK || got.Error.Code != "forbidden" {
			t.Errorf("a viewer's %s: %s", cmd, got.line)
		}
	}
	if r := eve.call(http.MethodGet, chat+"/queue", ""); r.status != http.StatusOK {
		t.Errorf("a viewer reads the queue: %d", r.status)
	}

	// A stop pauses it; whoever resumes it lets it move on.
	a.send(`{"type":"cancel","id":"c"}`)
	a.ack("c")
	a.until(idle)
	s := read[wire.ChatSummary](t, bob.call(http.MethodGet, chat, ""), http.StatusOK)
	if s.Queued != 2 || !s.Paused {
		t.Errorf("listed with %d queued, paused %v", s.Queued, s.Paused)
	}
	b.send(`{"type":"queue_resume","id":"r"}`)
	if got := b.ack("r"); !got.OK {
		t.Errorf("resume: %s", got.line)
	}
	a.queued(0)
	a.until(idle)
}

// The answer to a prompt as a stream ends when the lock is free; for one that waits
// it has what comes before, too, and it ends with the prompt if that is removed.
func TestPostMessage_streamsWhatWaits(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := "/api/chats/" + string(d.chat(ann))
	post := func(clientID string) *events {
		r := ann.request(http.MethodPost, chat+"/messages", fmt.Sprintf(`{"text":"say 3","clientId":%q}`, clientID))
		r.Header.Set("Accept", "text/event-stream")
		return d.events(r)
	}
	s := ann.socket("/ws/chat/" + strings.TrimPrefix(chat, "/api/chats/"))
	s.send(`{"type":"prompt","id":"1","text":"wait"}`)
	s.ack("1")
	sent, removed := post("sent"), post("removed")
	s.queued(2)
	if r := ann.call(http.MethodDelete, chat+"/queue/removed", ""); r.status != http.StatusOK {
		t.Fatalf("removal: %d %s", r.status, r.body)
	}
	if got := removed.drain(); strings.Contains(strings.Join(got, ""), `"clientId":"removed","by"`) && strings.Contains(strings.Join(got, ""), `"type":"complete"`) {
		t.Errorf("the stream of a removed prompt has %v", got)
	}
	close(d.agent.release)
	all := sent.drain()
	if !saysFree(strings.Join(all, "")) {
		t.Errorf("the stream ends before the lock is free: %v", all)
	}
	if n := strings.Count(strings.Join(all, ""), `"type":"complete"`); n != 2 {
		t.Errorf("%d ends of runs in %v", n, all)
	}
	// Once it is over, the same prompt again has the same.
	again := post("sent").drain()
	if !strings.Contains(again[len(again)-1], `"type":"complete"`) {
		t.Errorf("again, the stream ends with %s", again[len(again)-1])
	}
}

func TestContinue(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, eve := d.signIn("ann", access.Admin), d.signIn("eve", access.Viewer)
	id := d.chat(ann)
	chat := "/api/chats/" + string(id)
	if r := ann.call(http.MethodPost, chat+"/continue", ""); r.status != http.StatusConflict {
		t.Errorf("of an empty chat: %d %s", r.status, r.body)
	}
	s := ann.socket("/ws/chat/" + string(id))
	s.send(`{"type":"prompt","id":"1","text":"wait"}`)
	run := s.ack("1").Result.Run
	if r := ann.call(http.MethodPost, chat+"/continue", ""); r.status != http.StatusConflict || !strings.Contains(string(r.body), string(run)) {
		t.Errorf("while a run lives: %d %s", r.status, r.body)
	}
	s.send(`{"type":"cancel","id":"2"}`)
	s.until(idle)
	if r := eve.call(http.MethodPost, chat+"/continue", ""); r.status != http.StatusForbidden {
		t.Errorf("of a viewer: %d", r.status)
	}
	if r := ann.call(http.MethodPost, chat+"/continue", `{"when":"later"}`); r.status != http.StatusBadRequest {
		t.Errorf("at no time that there is: %d", r.status)
	}
	if r := ann.call(http.MethodPost, chat+"/continue", `{"when":"reset"}`); r.status != http.StatusConflict {
		t.Errorf("at a reset that is not known: %d %s", r.status, r.body)
	}
	close(d.agent.release) // the agent told of no session, so it is asked the same again
	got := read[wire.PromptResult](t, ann.call(http.MethodPost, chat+"/continue", ""), http.StatusOK)
	prompt := s.until(func(m message) bool { return m.Type == wire.TypeUser })
	if m := prompt[len(prompt)-1]; m.Run != got.Run || !strings.Contains(m.line, fmt.Sprintf(`"continues":%q`, run)) {
		t.Errorf("the prompt is %s", m.line)
	}
	s.until(idle)
	if r := ann.call(http.MethodPost, chat+"/continue", ""); r.status != http.StatusConflict {
		t.Errorf("after a run that ended well: %d %s", r.status, r.body)
	}
}
