package httpd_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/access"
	"signalbox/backend/httpd"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/httpd/socket"
	"signalbox/backend/wire"
)

// narrow makes the buffers of connections small while it is on, so that a client
// that does not read is felt soon.
type narrow struct {
	net.Listener

	on *atomic.Bool
}

func (l narrow) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil || !l.on.Load() {
		return c, err
	}
	return c, c.(*net.TCPConn).SetWriteBuffer(8 << 10)
}

// deaf opens a socket and never reads from it.
func (p person) deaf(path string) net.Conn {
	p.d.t.Helper()
	c, err := net.Dial("tcp", p.d.addr)
	if err != nil {
		p.d.t.Fatal(err)
	}
	p.d.t.Cleanup(func() { c.Close() })
	if err := c.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		p.d.t.Fatal(err)
	}
	_, err = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nCookie: signalbox_session=%s\r\n"+
		"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
		path, p.d.addr, p.d.addr, p.secret)
	if err != nil {
		p.d.t.Fatal(err)
	}
	return c
}

// 200 sockets on one chat, one of which never reads: the others get everything
// while it is stuck, and it costs no memory to speak of.
func TestManySockets_oneNeverReads(t *testing.T) {
	const sockets, notices = 200, 150
	var narrowed atomic.Bool
	d := start(t, func(c *setup) {
		c.listen = func(l net.Listener) net.Listener { return narrow{l, &narrowed} }
		c.opts = httpd.Options{Socket: socket.Options{Slow: time.Hour}}
	})
	ann := d.signIn("ann", access.Admin)
	chat := d.chat(ann)
	path := "/ws/chat/" + string(chat)
	narrowed.Store(true)
	ann.deaf(path)
	d.eventually("the deaf one is connected", func() bool { return d.srv.Connections() == 1 })
	narrowed.Store(false)
	watching := make([]*tap, sockets-1)
	for i := range watching {
		watching[i] = ann.socket(path)
	}
	d.eventually("all are connected", func() bool { return d.srv.Connections() == sockets })
	before := heap()

	watching[0].send(`{"type":"prompt","text":"say %d"}`, notices)
	var all sync.WaitGroup
	for i, s := range watching {
		all.Go(func() {
			for want := 1; ; {
				line, err := s.next()
				if err != nil {
					t.Errorf("socket %d: %v", i, err)
					return
				}
				if !strings.HasPrefix(line, `{"seq":`) {
					continue
				}
				if !strings.HasPrefix(line, fmt.Sprintf(`{"seq":%d,`, want)) {
					t.Errorf("socket %d got %.30s, want %d", i, line, want)
					return
				}
				want++
				if strings.Contains(line, `"type":"complete"`) {
					return
				}
			}
		})
	}
	all.Wait()
	if n := d.srv.Connections(); n != sockets {
		t.Errorf("%d connections are left while one is stuck, want %d", n, sockets)
	}
	const most = 16 << 20 // both ends of 200 sockets are in this process
	if grown := heap() - before; grown > most {
		t.Errorf("memory grew by %d bytes", grown)
	}
}

// The one that never reads is sent away by rule.
func TestChatSocket_neverReads_isSentAway(t *testing.T) {
	t.Parallel()
	var narrowed atomic.Bool
	narrowed.Store(true)
	d := start(t, func(c *setup) {
		c.listen = func(l net.Listener) net.Listener { return narrow{l, &narrowed} }
		c.opts = httpd.Options{Socket: socket.Options{Slow: 100 * time.Millisecond}}
	})
	ann := d.signIn("ann", access.Admin)
	chat := d.chat(ann)
	ann.deaf("/ws/chat/" + string(chat))
	d.eventually("it is connected", func() bool { return d.srv.Connections() == 1 })
	r := ann.call(http.MethodPost, "/api/chats/"+string(chat)+"/messages", `{"text":"say 150"}`)
	if r.status != http.StatusAccepted {
		t.Fatalf("%d %s", r.status, r.body)
	}
	d.eventually("it is gone", func() bool { return d.srv.Connections() == 0 })
	d.eventually("the log says why", func() bool {
		return strings.Contains(d.log.String(), "close 4001: a message did not leave in time")
	})
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A batch goes out in messages of at most 64 KiB; a longer line goes alone.
func TestChatSocket_messagesAreBounded(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann := d.signIn("ann", access.Admin)
	chat := d.chat(ann)
	d.say(ann, chat, 300)
	s := ann.socket("/ws/chat/" + string(chat) + "?since=1:1")
	messages := 0
	for done := false; !done; {
		_, b, err := s.ws.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		messages++
		if len(b) > 64<<10 {
			t.Errorf("a message has %d bytes", len(b))
		}
		if strings.HasPrefix(string(b), "\n") || strings.HasSuffix(string(b), "\n") || strings.Contains(string(b), "\n\n") {
			t.Errorf("a message has an empty line: %.100q", b)
		}
		done = strings.Contains(string(b), `"type":"complete"`)
	}
	if messages > 20 {
		t.Errorf("300 events came in %d messages", messages)
	}
}

// The end of the server: sockets get 4000, streams end, a request that is under
// way gets its answer, and Run returns when all of it is gone.
func TestServer_stopsGracefully(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	entered := make(chan struct{}, 1)
	d := start(t, func(c *setup) {
		c.hub = func(h httpd.Hub) httpd.Hub { return slowHub{Hub: h, gate: gate, entered: entered} }
	})
	ann := d.signIn("ann", access.Admin)
	chat := string(d.chat(ann))
	s, w := ann.socket("/ws/chat/"+chat), ann.socket("/ws/workspace")
	e := ann.stream("/api/chats/" + chat + "/stream")
	posted := make(chan reply, 1)
	go func() { posted <- ann.call(http.MethodPost, "/api/chats/"+chat+"/messages", `{"text":"hello"}`) }()
	d.eventually("three are connected", func() bool { return d.srv.Connections() == 3 })
	<-entered

	d.stop()
	if code := s.closed(); code != 4000 {
		t.Errorf("the chat's socket closed with %d", code)
	}
	if code := w.closed(); code != 4000 {
		t.Errorf("the workspace's socket closed with %d", code)
	}
	e.drain()
	close(gate)
	if r := <-posted; r.status != http.StatusAccepted {
		t.Errorf("the request under way: %d %s", r.status, r.body)
	}
	err := <-d.served
	d.served <- err
	if err != nil {
		t.Errorf("Run returned %v", err)
	}
	if n := d.srv.Connections(); n != 0 {
		t.Errorf("%d connections are left", n)
	}
	if _, err := net.Dial("tcp", d.addr); err == nil {
		t.Error("the address still answers")
	}
}

// A request that does not end in time is cut off, and said to be.
func TestServer_requestThatDoesNotEnd_isCutOff(t *testing.T) {
	t.Parallel()
	hub := slowHub{gate: make(chan struct{}), entered: make(chan struct{}, 1)}
	d := start(t, func(c *setup) {
		c.hub = func(h httpd.Hub) httpd.Hub { hub.Hub = h; return hub }
		c.opts = httpd.Options{Grace: 50 * time.Millisecond}
	})
	ann := d.signIn("ann", access.Admin)
	r := ann.request(http.MethodPost, "/api/chats/"+string(d.chat(ann))+"/messages", `{"text":"hello"}`)
	answered := make(chan error, 1)
	go func() {
		resp, err := client.Do(r)
		if err == nil {
			resp.Body.Close()
		}
		answered <- err
	}()
	<-hub.entered
	d.stop()
	err := <-d.served
	d.served <- nil
	if err == nil || !strings.Contains(err.Error(), "requests cut off") {
		t.Errorf("Run returned %v", err)
	}
	if err := <-answered; err == nil {
		t.Error("the request was answered")
	}
	close(hub.gate)
}

// The workspace's socket: the whole list, then what changes.
func TestWorkspaceSocket(t *testing.T) {
	t.Parallel()
	d := start(t)
	ann, bob := d.signIn("ann", access.Admin), d.signIn("bob", access.Viewer)
	first, second := d.chat(ann), d.chat(ann)
	s := bob.socket("/ws/workspace")
	seen := map[string]bool{}
	for len(seen) < 2 {
		m, err := s.message()
		if err != nil {
			t.Fatal(err)
		}
		if m.Type == wire.TypeChat {
			for _, id := range []wire.ChatID{first, second} {
				if strings.Contains(m.line, string(id)) {
					seen[string(id)] = true
				}
			}
		}
	}
	third := d.chat(ann)
	s.until(func(m message) bool { return m.Type == wire.TypeChat && strings.Contains(m.line, string(third)) })
	d.say(ann, third, 1)
	s.until(func(m message) bool {
		return strings.Contains(m.line, string(third)) && strings.Contains(m.line, `"verdict":"ok"`) &&
			strings.Contains(m.line, `"unread":true`) && strings.Contains(m.line, `"running":false`)
	})
	s.send(`{"type":"ping","n":3}`)
	s.until(ofType(wire.TypePong))
	s.send(`{"type":"prompt","id":"k","text":"x"}`)
	if m := s.ack("k"); m.OK || m.Error.Code != "invalid" {
		t.Errorf("a command: %s", m.line)
	}
	s.send(`nonsense`)
	if code := s.closed(); code != 4503 {
		t.Errorf("nonsense closed with %d", code)
	}
	// With no chats there is still an answer to a ping.
	empty := start(t)
	s = empty.signIn("eve", access.Admin).socket("/ws/workspace")
	s.send(`{"type":"ping","n":4}`)
	s.until(ofType(wire.TypePong))
}

// brokenHub panics.
type brokenHub struct{ httpd.Hub }

func (brokenHub) Cancel(context.Context, wire.ChatID, wire.Person, wire.RunID) error {
	panic("canary-panic")
}

// A panic is the end of one request or command, told without its text.
func TestServer_panic(t *testing.T) {
	t.Parallel()
	d := start(t, func(c *setup) { c.hub = func(h httpd.Hub) httpd.Hub { return brokenHub{h} } })
	ann := d.signIn("ann", access.Admin)
	chat := string(d.chat(ann))
	r := ann.call(http.MethodPost, "/api/chats/"+chat+"/cancel", "")
	if p := read[contract.Problem](t, r, http.StatusInternalServerError); p.Code != "internal" || strings.Contains(string(r.body), "canary") {
		t.Errorf("%s", r.body)
	}
	s := ann.socket("/ws/chat/" + chat)
	s.send(`{"type":"cancel","id":"k"}`)
	if m := s.ack("k"); m.OK || m.Error.Code != "internal" || strings.Contains(m.line, "canary") {
		t.Errorf("%s", m.line)
	}
	s.send(`{"type":"ping","n":1}`)
	s.until(ofType(wire.TypePong))
	if n := strings.Count(d.log.String(), "canary-panic"); n < 2 {
		t.Errorf("the log tells of it %d times", n)
	}
}

// pipes is a network in memory, whose time can be faked.
type pipes struct {
	conns  chan net.Conn // from dial to Accept; unbuffered
	closed chan struct{}
	once   sync.Once
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (l *pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	l.conns <- far
	return near, nil
}

// A stream on which nothing happens says something every 15 s.
func TestStream_comments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		d := start(t, func(c *setup) {
			c.listen = func(real net.Listener) net.Listener { real.Close(); return l }
			c.opts = httpd.Options{URL: "http://daemon.example"}
		})
		ann := d.signIn("ann", access.Admin)
		r := ann.request(http.MethodGet, "/api/chats/"+string(d.chat(ann))+"/stream", "")
		r.URL.Host, r.Host = "daemon.example", "daemon.example"
		transport := &http.Transport{DialContext: l.dial, DisableKeepAlives: true}
		resp, err := (&http.Client{Transport: transport}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		begun := time.Now()
		var comments []time.Duration
		for scan := bufio.NewScanner(resp.Body); len(comments) < 3 && scan.Scan(); {
			if strings.HasPrefix(scan.Text(), ":") {
				comments = append(comments, time.Since(begun))
			}
		}
		want := []time.Duration{15 * time.Second, 30 * time.Second, 45 * time.Second}
		if diff := cmp.Diff(want, comments); diff != "" {
			t.Errorf("with status %d, comments come at (-want +got):\n%s", resp.StatusCode, diff)
		}
	})
}
