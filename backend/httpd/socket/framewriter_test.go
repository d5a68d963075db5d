package socket_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"signalbox/backend/httpd/socket"
)

// around are sizes of messages at which a header, a buffer or a call ends.
var around = []int{0, 1, 6, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 125, 126, 127, 4092, 4096, 65_535, 65_536, 70_000, 1 << 20}

// recorder is a connection that keeps what is written, with an error once it is
// broken.
type recorder struct {
	net.Conn

	got    bytes.Buffer
	broken error
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.broken != nil {
		return 0, r.broken
	}
	return r.got.Write(p)
}

// frame is a server's frame, header and payload apart.
func frame(size int) (header, payload []byte) {
	switch {
	case size < 126:
		header = []byte{0x81, byte(size)}
	case size <= 0xffff:
		header = binary.BigEndian.AppendUint16([]byte{0x81, 126}, uint16(size))
	default:
		header = binary.BigEndian.AppendUint64([]byte{0x81, 127}, uint64(size))
	}
	return header, bytes.Repeat([]byte("x"), size)
}

// Frames come out as they went in, and none of a long one leaves before its rest is
// there to go along.
func TestFrameWriter(t *testing.T) {
	t.Parallel()
	conn := &recorder{}
	w := socket.FrameWriter(conn)
	var want []byte
	for range 2 { // whatever came before
		for _, size := range around {
			header, payload := frame(size)
			whole := append(bytes.Clone(header), payload...)
			if len(whole) > 16 {
				if _, err := w.Write(whole[:16]); err != nil {
					t.Fatal(err)
				}
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
				if conn.got.Len() != len(want) {
					t.Fatalf("the beginning of a frame of %d bytes left alone", size)
				}
				whole = whole[16:]
			}
			if _, err := w.Write(whole); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			want = append(append(want, header...), payload...)
			if !bytes.Equal(conn.got.Bytes(), want) {
				t.Fatalf("after a frame of %d bytes the connection has %d bytes, want %d", size, conn.got.Len(), len(want))
			}
		}
	}
}

// A connection that breaks says so with the frame that did not leave.
func TestFrameWriter_broken(t *testing.T) {
	t.Parallel()
	for _, size := range around {
		conn := &recorder{broken: errors.New("broken")}
		w := socket.FrameWriter(conn)
		header, payload := frame(size)
		_, err := w.Write(append(header, payload...))
		if err = errors.Join(err, w.Flush()); !errors.Is(err, conn.broken) {
			t.Errorf("a frame of %d bytes: %v", size, err)
		}
	}
}

// Over TCP, where a frame leaves by one call, messages of all sizes arrive as they
// were sent, and in order.
func TestConn_messagesOverTCP(t *testing.T) {
	t.Parallel()
	s := newScript()
	ended := make(chan error, 1) // one value, from the one connection
	var running sync.WaitGroup
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := socket.Accept(w, r, socket.Options{})
		if err != nil {
			ended <- err
			return
		}
		running.Go(func() { ended <- conn.Run(context.WithoutCancel(r.Context()), s, s) })
	}))
	defer srv.Close()
	defer running.Wait()
	c, _, err := websocket.Dial(t.Context(), "ws"+srv.URL[len("http"):], nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.CloseNow() }() // closed already, unless the test failed
	c.SetReadLimit(-1)
	var want [][]byte
	for i, size := range around {
		want = append(want, bytes.Repeat([]byte{byte('a' + i)}, size))
	}
	s.out <- want
	for i, message := range want {
		_, got, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, message) {
			t.Errorf("message %d has %d bytes, want %d", i, len(got), len(message))
		}
	}
	if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, socket.ErrGone) {
		t.Errorf("the connection ended with %v", err)
	}
}
