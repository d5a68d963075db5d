package socket_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"signalbox/backend/httpd/socket"
)

// pipeListener accepts one end of each pipe that is dialed: a network without
// buffers whose time can be faked.
type pipeListener struct {
	conns  chan net.Conn // from dial to Accept; unbuffered
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (l *pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// script is a source that yields what is put in, and a sink that keeps what comes.
type script struct {
	out      chan [][]byte // closed by nobody
	in       chan []byte
	oversize chan []byte
}

func newScript() *script {
	return &script{out: make(chan [][]byte, 100), in: make(chan []byte, 100), oversize: make(chan []byte, 1)}
}

func (s *script) Next(ctx context.Context) ([][]byte, error) {
	select {
	case m := <-s.out:
		return m, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *script) Receive(_ context.Context, frame []byte) error {
	s.in <- frame
	if string(frame) == "fail" {
		return errors.New("broken")
	}
	return nil
}

func (s *script) Oversize(head []byte) { s.oversize <- bytes.Clone(head) }

// served runs each socket with s; ended gets what Run returns.
func served(ctx context.Context, s *script, opts socket.Options) (l *pipeListener, ended chan error, stop func()) {
	l = &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	ended = make(chan error, 1)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := socket.Accept(w, r, opts)
		if err != nil {
			ended <- err
			return
		}
		ended <- conn.Run(ctx, s, s)
	})}
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(l) })
	return l, ended, func() { _ = srv.Close(); wg.Wait() }
}

func dial(t *testing.T, l *pipeListener) *websocket.Conn {
	t.Helper()
	transport := &http.Transport{DialContext: l.dial}
	c, _, err := websocket.Dial(t.Context(), "ws://daemon/", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	transport.CloseIdleConnections()
	return c
}

func codeOf(err error) socket.Code {
	var end *socket.Close
	if errors.As(err, &end) {
		return end.Code
	}
	return 0
}

// A34: a side that hears nothing for 60 s closes; a ping goes out every 25 s.
func TestConn_heartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		l, ended, stop := served(t.Context(), newScript(), socket.Options{})
		defer stop()
		c := dial(t, l)
		var pings []string
		for len(pings) < 4 {
			_, b, err := c.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			pings = append(pings, fmt.Sprintf("%v %s", time.Since(start), b))
			if err := c.Write(t.Context(), websocket.MessageText, []byte(`{"type":"pong","n":1}`)); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{`25s {"type":"ping","n":1}`, `50s {"type":"ping","n":2}`, `1m15s {"type":"ping","n":3}`, `1m40s {"type":"ping","n":4}`}
		if diff := cmp.Diff(want, pings); diff != "" {
			t.Errorf("pings (-want +got):\n%s", diff)
		}

		// From here the client hears and says nothing.
		for {
			_, _, err := c.Read(t.Context())
			if err != nil {
				if got := websocket.CloseStatus(err); got != socket.TooSlow {
					t.Errorf("client sees %d, want %d", got, socket.TooSlow)
				}
				break
			}
		}
		if got, want := time.Since(start), 160*time.Second; got != want {
			t.Errorf("closed after %v, want %v", got, want)
		}
		if err := <-ended; codeOf(err) != socket.TooSlow {
			t.Errorf("Run returned %v", err)
		}
	})
}

func TestConn_clientThatNeverReads_isCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		l, ended, stop := served(t.Context(), s, socket.Options{Slow: time.Second, Ping: time.Hour})
		defer stop()
		c := dial(t, l)
		defer func() { _ = c.CloseNow() }()
		start := time.Now()
		s.out <- [][]byte{[]byte(strings.Repeat("x", 8<<10))}
		if err := <-ended; codeOf(err) != socket.TooSlow {
			t.Errorf("Run returned %v, want TooSlow", err)
		}
		if d := time.Since(start); d > 6*time.Second {
			t.Errorf("cut off after %v", d)
		}
	})
}

func TestConn_clientThatReadsLate_isToldWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		l, ended, stop := served(t.Context(), s, socket.Options{Slow: 10 * time.Second, Ping: time.Hour, Silence: 2 * time.Hour})
		defer stop()
		c := dial(t, l)
		s.out <- [][]byte{[]byte("first"), []byte("second")}
		late := time.NewTimer(12 * time.Second)
		<-late.C
		if _, b, err := c.Read(t.Context()); err != nil || string(b) != "first" {
			t.Fatalf("read %q, %v", b, err)
		}
		_, _, err := c.Read(t.Context())
		if got := websocket.CloseStatus(err); got != socket.TooSlow {
			t.Errorf("client sees %v, want close %d", err, socket.TooSlow)
		}
		if err := <-ended; codeOf(err) != socket.TooSlow {
			t.Errorf("Run returned %v", err)
		}
	})
}

func TestConn_badFrames(t *testing.T) {
	const limit = 1000
	tests := []struct {
		name     string
		kind     websocket.MessageType
		frame    string
		oversize bool
		want     socket.Code
	}{
		{name: "binary", kind: websocket.MessageBinary, frame: "{}", want: socket.BadFrame},
		{name: "over the limit", kind: websocket.MessageText, frame: strings.Repeat("a", limit+1), oversize: true, want: socket.BadFrame},
		{name: "far over the limit", kind: websocket.MessageText, frame: strings.Repeat("a", 100*limit), oversize: true, want: socket.BadFrame},
		{name: "refused by the sink", kind: websocket.MessageText, frame: "fail", want: socket.GoingAway},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript()
				l, ended, stop := served(t.Context(), s, socket.Options{ReadLimit: limit})
				defer stop()
				c := dial(t, l)
				c.SetReadLimit(1 << 20)
				var read sync.WaitGroup
				read.Go(func() {
					_, _, err := c.Read(t.Context())
					if got := websocket.CloseStatus(err); got != tt.want {
						t.Errorf("client sees %v, want %d", err, tt.want)
					}
				})
				// The server may close before all of it was taken.
				_ = c.Write(t.Context(), tt.kind, []byte(tt.frame))
				read.Wait()
				<-ended
				if tt.oversize {
					if head := <-s.oversize; len(head) == 0 || !strings.HasPrefix(tt.frame, string(head)) {
						t.Errorf("sink was told %.20q", head)
					}
				}
			})
		})
	}
}

func TestConn_takesAFrameOfExactlyTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		s := newScript()
		l, ended, stop := served(ctx, s, socket.Options{ReadLimit: 1000})
		defer stop()
		c := dial(t, l)
		frame := strings.Repeat("a", 1000)
		if err := c.Write(t.Context(), websocket.MessageText, []byte(frame)); err != nil {
			t.Fatal(err)
		}
		if got := <-s.in; string(got) != frame {
			t.Errorf("sink got %d bytes", len(got))
		}
		cancel(&socket.Close{Code: socket.Deleted, Reason: "gone"})
		_, _, err := c.Read(t.Context())
		var end websocket.CloseError
		if !errors.As(err, &end) || end.Code != socket.Deleted || end.Reason != "gone" {
			t.Errorf("client sees %v", err)
		}
		<-ended
	})
}

// upgraded returns a connection that is upgraded by hand, for frames that no
// library sends. What the server says is read and thrown away until leave.
func upgraded(t *testing.T, l *pipeListener) (raw net.Conn, leave func()) {
	t.Helper()
	raw, err := l.dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	var drained sync.WaitGroup
	answered := make(chan struct{})
	drained.Go(func() {
		b := make([]byte, 4096)
		for n := 0; ; n++ {
			if _, err := raw.Read(b); err != nil {
				return
			}
			if n == 0 {
				close(answered)
			}
		}
	})
	upgrade := "GET / HTTP/1.1\r\nHost: daemon\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	if _, err := io.WriteString(raw, upgrade); err != nil {
		t.Fatal(err)
	}
	<-answered
	return raw, func() {
		_ = raw.Close() // only torn down
		drained.Wait()
	}
}

// A client that announces more than it sends must not hold the server.
func TestConn_stalledFrame_doesNotHoldTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		l, ended, stop := served(t.Context(), s, socket.Options{ReadLimit: 100})
		defer stop()
		raw, leave := upgraded(t, l)
		defer leave()
		frame := []byte{0x81, 0xff}
		frame = binary.BigEndian.AppendUint64(frame, 1<<40)
		frame = append(frame, 0, 0, 0, 0)
		frame = append(frame, bytes.Repeat([]byte("a"), 200)...)
		start := time.Now()
		if _, err := raw.Write(frame); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; codeOf(err) != socket.BadFrame {
			t.Errorf("Run returned %v", err)
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("the server was held for %v", d)
		}
	})
}

// What is no frame of a client is said to be that: to connect again would help
// nobody.
func TestConn_unmaskedFrame_isABadFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ended, stop := served(t.Context(), newScript(), socket.Options{})
		defer stop()
		raw, leave := upgraded(t, l)
		defer leave()
		if _, err := raw.Write([]byte{0x81, 0x02, 'h', 'i'}); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; codeOf(err) != socket.BadFrame {
			t.Errorf("Run returned %v", err)
		}
	})
}

func TestConn_sourceThatFails_closes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		l, ended, stop := served(ctx, newScript(), socket.Options{})
		defer stop()
		c := dial(t, l)
		cancel(errors.New("secret of the daemon"))
		_, _, err := c.Read(t.Context())
		var end websocket.CloseError
		if !errors.As(err, &end) || end.Code != socket.GoingAway {
			t.Fatalf("client sees %v", err)
		}
		if strings.Contains(end.Reason, "secret") {
			t.Errorf("the reason tells what is inside: %q", end.Reason)
		}
		<-ended
	})
}

func TestConn_clientThatLeaves_endsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ended, stop := served(t.Context(), newScript(), socket.Options{})
		defer stop()
		c := dial(t, l)
		var closed sync.WaitGroup
		closed.Go(func() { _ = c.Close(websocket.StatusNormalClosure, "") })
		if err := <-ended; !errors.Is(err, socket.ErrGone) {
			t.Errorf("Run returned %v", err)
		}
		closed.Wait()
	})
}

func TestClose_hasTheCodesOfTheContract(t *testing.T) {
	got, err := json.Marshal([]socket.Code{
		socket.GoingAway, socket.TooSlow, socket.SignedOut, socket.NoAccess, socket.Deleted, socket.BadFrame,
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := `[4000,4001,4500,4501,4502,4503]`; string(got) != want {
		t.Errorf("codes are %s, want %s", got, want)
	}
}
