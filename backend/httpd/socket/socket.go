// Package socket is one WebSocket of a client: frames in, messages out, the
// heartbeat, the limits and the close codes.
//
// A [Conn] is run by one goroutine, which reads, and owns a second one, which
// writes what its source yields; [Conn.Send] may be called from any. All of them
// are gone when [Conn.Run] returns.
//
// There is no queue of messages: the source is asked for the next when the last
// has left, so a slow client costs nothing but its own place. A message that
// does not leave in time ends the connection, and the client comes back with its
// position.
package socket

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"signalbox/backend/wire"
)

// Code is why a connection was closed, for the client. After 4000 to 4499 it
// reconnects with backoff; after 4500 to 4999 it does not.
type Code = websocket.StatusCode

// The close codes.
const (
	GoingAway Code = 4000 // the daemon stops, or something of it failed
	TooSlow   Code = 4001 // a message did not leave in time, or nothing came for too long
	SignedOut Code = 4500 // the session ended
	NoAccess  Code = 4501 // the person may no longer see this
	Deleted   Code = 4502 // what was followed is gone
	BadFrame  Code = 4503 // the client sent what no client of ours sends
)

// MaxMessage is the most bytes that go out as one message, unless one line alone
// is longer.
const MaxMessage = 64 << 10

// Options are the limits of a connection; the zero value works.
type Options struct {
	Ping      time.Duration // between our pings; default 25 s
	Silence   time.Duration // after which a client that says nothing is gone; default 60 s
	Slow      time.Duration // a message that takes longer closes with TooSlow; default 10 s
	ReadLimit int           // the longest frame that is read; default 1.5 MiB
}

func (o Options) withDefaults() Options {
	if o.Ping == 0 {
		o.Ping = 25 * time.Second
	}
	if o.Silence == 0 {
		o.Silence = 60 * time.Second
	}
	if o.Slow == 0 {
		o.Slow = 10 * time.Second
	}
	if o.ReadLimit == 0 {
		o.ReadLimit = 3 << 19
	}
	return o
}

// Close is the error that ends a connection with a code.
type Close struct {
	Code   Code
	Reason string // for the client; at most 123 bytes
}

// Error returns the code and the reason.
func (c *Close) Error() string { return fmt.Sprintf("close %d: %s", c.Code, c.Reason) }

// Source yields what goes out.
type Source interface {
	// Next waits for what is to be sent and returns it as messages. An error
	// ends the connection.
	Next(ctx context.Context) ([][]byte, error)
}

// Sink takes what comes in.
type Sink interface {
	// Receive takes one text frame and soon returns: the next is not read
	// before. The frame is the sink's to keep. An error ends the connection.
	Receive(ctx context.Context, frame []byte) error
	// Oversize takes the first bytes of a frame over the limit, after which
	// the connection ends.
	Oversize(head []byte)
}

// Conn is a connection of a client.
type Conn struct {
	ws   *websocket.Conn
	net  net.Conn // below ws, to cut it off
	opts Options

	writeMu sync.Mutex // held while a message leaves; its waiters are bounded by the limit

	heard atomic.Int64 // when the client last said something, Unix nanoseconds
	pings int64        // of the heartbeat alone

	cancel context.CancelCauseFunc
}

// Accept answers the request with an upgrade. The caller has judged its Host,
// Origin and identity. When it returns an error it has answered.
func Accept(w http.ResponseWriter, r *http.Request, opts Options) (*Conn, error) {
	// The library's own check lets a missing Origin pass and knows no tokens;
	// the guard has judged both before.
	hijack := &hijacker{ResponseWriter: w}
	ws, err := websocket.Accept(hijack, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return nil, fmt.Errorf("upgrade: %w", err)
	}
	// Our own limit counts, so that the sender can be told before the end.
	ws.SetReadLimit(-1)
	return &Conn{ws: ws, net: hijack.conn, opts: opts.withDefaults()}, nil
}

// hijacker keeps hold of the connection that is handed over.
type hijacker struct {
	http.ResponseWriter

	conn net.Conn
}

// Hijack implements http.Hijacker.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.conn = conn
	if rw.Reader.Buffered() == 0 {
		// Commands are short; the server's 4 KiB for each of thousands are not.
		rw.Reader = bufio.NewReaderSize(conn, 512)
	}
	if _, ok := conn.(*net.TCPConn); ok {
		// Over TLS each part would be a record of its own.
		rw.Writer = bufio.NewWriterSize(&frameWriter{conn: conn}, headBytes)
	}
	return conn, rw, nil
}

// Run reads and writes until the client leaves, ctx ends, or the source or the
// sink returns an error; it then closes the connection and returns the reason.
// The cause of ctx tells the close code, if it is a [*Close]; GoingAway if not.
func (c *Conn) Run(ctx context.Context, src Source, sink Sink) error {
	ctx, cancel := context.WithCancelCause(ctx)
	c.cancel = cancel
	c.heard.Store(time.Now().UnixNano())

	closed := make(chan struct{})
	// Closing with a handshake is what unblocks the reader.
	context.AfterFunc(ctx, func() {
		defer close(closed)
		c.close(closeFor(context.Cause(ctx)))
	})
	beat := c.startHeartbeat()

	var writer sync.WaitGroup
	writer.Go(func() { cancel(c.write(ctx, src)) })
	cancel(c.read(ctx, sink))

	writer.Wait()
	beat.stop()
	<-closed
	return context.Cause(ctx)
}

// ErrGone is the reason of a connection that the client closed or lost.
var ErrGone = errors.New("client is gone")

func closeFor(cause error) *Close {
	var end *Close
	if errors.As(cause, &end) {
		return end
	}
	return &Close{Code: GoingAway, Reason: "the daemon could not go on"}
}

// closeLimit is how long a client may take to answer a close frame.
const closeLimit = 3 * time.Second

func (c *Conn) close(end *Close) {
	// The library waits for the rest of a frame without a limit.
	cut := time.AfterFunc(closeLimit, func() { _ = c.net.Close() })
	defer cut.Stop()
	// A client that is already gone cannot be told.
	_ = c.ws.Close(end.Code, end.Reason)
}

func (c *Conn) read(ctx context.Context, sink Sink) error {
	for {
		// A context that ends would cut the connection without a close frame:
		// the end of ctx closes it another way.
		kind, r, err := c.ws.Reader(context.Background())
		if err != nil {
			return readEnd(err)
		}
		frame, err := io.ReadAll(io.LimitReader(r, int64(c.opts.ReadLimit)+1))
		if err != nil {
			return readEnd(err)
		}
		c.heard.Store(time.Now().UnixNano())
		switch {
		case len(frame) > c.opts.ReadLimit:
			sink.Oversize(frame[:min(len(frame), 4<<10)])
			return &Close{BadFrame, fmt.Sprintf("a frame is over %d bytes", c.opts.ReadLimit)}
		case kind != websocket.MessageText:
			return &Close{BadFrame, "a frame is binary"}
		}
		if err := sink.Receive(ctx, frame); err != nil {
			return err
		}
	}
}

// readEnd returns why nothing more can be read: the client left, or what it sent
// is no WebSocket frame, which no client of ours does again and again.
func readEnd(err error) error {
	var network net.Error
	if websocket.CloseStatus(err) != -1 || errors.As(err, &network) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, net.ErrClosed) {
		return ErrGone
	}
	return &Close{BadFrame, "a frame breaks the protocol"}
}

func (c *Conn) write(ctx context.Context, src Source) error {
	for {
		messages, err := src.Next(ctx)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := c.Send(m); err != nil {
				return err
			}
		}
	}
}

// Send sends one message and returns when it has left. It fails when the
// connection is closed, or ends because the message did not leave in time.
func (c *Conn) Send(message []byte) error {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	start := time.Now()
	// Twice the limit: a client that takes the message late can still be told
	// why it is sent away, one that never does is cut off.
	_ = c.net.SetWriteDeadline(start.Add(2 * c.opts.Slow)) // fails when closed, as Write then does
	err := c.ws.Write(context.Background(), websocket.MessageText, message)
	switch {
	case time.Since(start) >= c.opts.Slow:
		err = &Close{TooSlow, "a message did not leave in time"}
	case err != nil:
		err = ErrGone
	}
	if err != nil {
		c.cancel(err)
	}
	return err
}

// Reply sends a frame that only this client gets.
func (c *Conn) Reply(f wire.Frame) error {
	b, err := wire.EncodeFrame(f)
	if err != nil {
		return err
	}
	return c.Send(b)
}
