package httpd_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/access"
	"signalbox/backend/wire"
)

// events is a client's end of a stream.
type events struct {
	t    *testing.T
	resp *http.Response
	scan *bufio.Scanner
	id   string // of the last event that had one
}

func (p person) stream(path string, header ...string) *events {
	p.d.t.Helper()
	r := p.request(http.MethodGet, path, "")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return p.d.events(r)
}

// events makes a request that is answered by a stream.
func (d *daemon) events(r *http.Request) *events {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	d.t.Cleanup(cancel)
	resp, err := client.Do(r.WithContext(ctx))
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		d.t.Fatalf("stream answers %d, %v", resp.StatusCode, resp.Header)
	}
	scan := bufio.NewScanner(resp.Body)
	scan.Buffer(nil, 80<<20)
	return &events{t: d.t, resp: resp, scan: scan}
}

// next returns the data of the next event; false at the end.
func (e *events) next() (string, bool) {
	for e.scan.Scan() {
		line := e.scan.Text()
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			e.id = id
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return data, true
		}
	}
	return "", false
}

func (e *events) drain() (all []string) {
	for {
		data, ok := e.next()
		if !ok {
			return all
		}
		all = append(all, data)
	}
}

// The stream has what the socket has, in the same order, and comes back by the
// id of its last event.
func TestStream_isTheSocketsTwin(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := string(d.chat(ann))
	d.say(ann, wire.ChatID(chat), 20)

	s, e := ann.socket("/ws/chat/"+chat), ann.stream("/api/chats/"+chat+"/stream")
	s.send(`{"type":"prompt","id":"k","text":"say 40"}`)
	ack := s.ack("k")
	end := func(line string) bool {
		return strings.Contains(line, `"complete"`) && strings.Contains(line, string(ack.Result.Run))
	}
	var fromSocket, fromStream, ids []string
	rest := ann.socket("/ws/chat/" + chat) // the socket that was acked has gone past the beginning
	for {
		line, err := rest.next()
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, `{"seq"`) {
			fromSocket = append(fromSocket, line)
		}
		if end(line) {
			break
		}
	}
	var frames []string
	for {
		data, ok := e.next()
		if !ok {
			t.Fatal("the stream ended")
		}
		if strings.HasPrefix(data, `{"seq"`) {
			fromStream, ids = append(fromStream, data), append(ids, e.id)
		} else {
			frames = append(frames, data)
		}
		if end(data) {
			break
		}
	}
	// Both begin with a page back from their own moment: compare what both have.
	if n := min(len(fromSocket), len(fromStream)); n < 40 {
		t.Fatalf("only %d events are common", n)
	} else if diff := cmp.Diff(fromSocket[len(fromSocket)-n:], fromStream[len(fromStream)-n:]); diff != "" {
		t.Errorf("events (-socket +stream):\n%s", diff)
	}
	for i, id := range ids {
		p, err := wire.ParsePosition(id)
		if err != nil || !strings.HasPrefix(fromStream[i], fmt.Sprintf(`{"seq":%d,`, p.Seq)) {
			t.Fatalf("id %q is on %.30s", id, fromStream[i])
		}
	}
	for i, kind := range []string{"connected", "sync"} {
		if len(frames) <= i || !strings.HasPrefix(frames[i], fmt.Sprintf(`{"type":%q`, kind)) {
			t.Errorf("frame %d is not %s: %v", i, kind, frames)
		}
	}

	// Last-Event-ID wins over since.
	again := ann.stream("/api/chats/"+chat+"/stream?since="+ids[2], "Last-Event-ID", ids[len(ids)-4])
	for want := len(ids) - 3; want < len(ids); {
		data, ok := again.next()
		if !ok {
			t.Fatal("the stream ended")
		}
		if strings.HasPrefix(data, `{"seq"`) {
			if data != fromStream[want] {
				t.Fatalf("got %s\nwant %s", data, fromStream[want])
			}
			want++
		}
	}
}

func TestStream_begins(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := string(d.chat(ann))
	e := ann.stream("/api/chats/" + chat + "/stream")
	if !e.scan.Scan() || e.scan.Text() != "retry: 3000" {
		t.Errorf("begins with %q", e.scan.Text())
	}
	for _, path := range []string{"/stream?since=abc", "/stream?since=1:-1"} {
		if r := ann.call(http.MethodGet, "/api/chats/"+chat+path, ""); r.status != http.StatusBadRequest {
			t.Errorf("%s: %d", path, r.status)
		}
	}
	r := ann.request(http.MethodGet, "/api/chats/"+chat+"/stream", "")
	r.Header.Set("Last-Event-ID", "x")
	if got := d.do(r); got.status != http.StatusBadRequest {
		t.Errorf("malformed Last-Event-ID: %d", got.status)
	}
}

// saysFree reports whether the last that a stream says of the lock is that it is
// free. States overtake events: it may be said ahead of the run's last ones.
func saysFree(stream string) bool {
	return strings.LastIndex(stream, `"running":false`) > strings.LastIndex(stream, `"running":true`)
}

func TestPostMessage_streamsTheRunToItsEnd(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := string(d.chat(ann))
	d.say(ann, wire.ChatID(chat), 3)
	post := func(body string) reply {
		r := ann.request(http.MethodPost, "/api/chats/"+chat+"/messages", body)
		r.Header.Set("Accept", "text/event-stream")
		return d.do(r)
	}
	got := post(`{"text":"say 5","clientId":"m1"}`)
	lines := []string{}
	if all := string(got.body); !saysFree(all) {
		t.Errorf("the stream ends before the lock is free: %s", all)
	}
	for line := range strings.Lines(string(got.body)) {
		if data, ok := strings.CutPrefix(strings.TrimSpace(line), `data: {"seq"`); ok {
			lines = append(lines, data)
		}
	}
	if len(lines) < 7 || !strings.Contains(lines[0], `"type":"user"`) || !strings.Contains(lines[len(lines)-1], `"type":"complete"`) {
		t.Errorf("%d events: %.2000s", len(lines), got.body)
	}
	// The same prompt again gives the same run.
	again := post(`{"text":"say 5","clientId":"m1"}`)
	if n := strings.Count(string(again.body), `data: {"seq"`); n != len(lines) {
		t.Errorf("again: %d events, want %d", n, len(lines))
	}
	// One that is refused is a problem, not a stream.
	if r := post(`{"text":""}`); r.status != http.StatusBadRequest || r.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("refused with %d %v", r.status, r.header)
	}
	// The connection can be used on: its deadlines are gone.
	if r := ann.call(http.MethodGet, "/api/me", ""); r.status != http.StatusOK {
		t.Errorf("then: %d", r.status)
	}
}
