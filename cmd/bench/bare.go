//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// bareVariable makes this program a bare server: "mode clients events size rate".
const bareVariable = "SIGNALBOX_BENCH_BARE"

const (
	bareTCP     = "tcp"     // every event to every client by a write of its own
	bareBatched = "batched" // WebSockets, bareBatch events a message
	bareBatch   = 64
)

// bareServer is the least that a server can do for its clients, in a process of
// its own. Each event begins with the time of its making.
type bareServer struct {
	mode            string
	clients, events int
	size            int     // of an event in bytes
	rate            float64 // events in a second, 0 as fast as they are taken
}

// bareRun is what came of it.
type bareRun struct {
	rate float64 // deliveries in a second
	lags []time.Duration
}

// serveBare is the server's process.
func serveBare(spec string) error {
	var s bareServer
	if _, err := fmt.Sscan(spec, &s.mode, &s.clients, &s.events, &s.size, &s.rate); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	outs := make([]func([]byte) error, s.clients)
	ends := make([]func() error, s.clients)
	if s.mode == bareTCP {
		for i := range outs {
			c, err := l.Accept()
			if err != nil {
				return err
			}
			outs[i] = func(b []byte) error { _, err := c.Write(b); return err }
			ends[i] = c.Close
		}
	} else if err := acceptSockets(l, outs, ends); err != nil {
		return err
	}
	if err := s.publish(outs); err != nil {
		return err
	}
	for _, end := range ends {
		err = errors.Join(err, end())
	}
	return err
}

func acceptSockets(l net.Listener, outs []func([]byte) error, ends []func() error) error {
	conns := make(chan *websocket.Conn)
	failed := make(chan error, 1) // the server's end, which comes only by an error
	go func() {
		failed <- http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c, err := websocket.Accept(w, r, nil)
			if err != nil {
				return // the library has answered
			}
			ctx := c.CloseRead(context.Background())
			conns <- c
			<-ctx.Done()
		}))
	}()
	for i := range outs {
		select {
		case c := <-conns:
			outs[i] = func(b []byte) error { return c.Write(context.Background(), websocket.MessageText, b) }
			ends[i] = func() error { return c.Close(websocket.StatusNormalClosure, "") }
		case err := <-failed:
			return err
		}
	}
	return nil
}

func (s bareServer) publish(outs []func([]byte) error) error {
	batch := 1
	if s.mode == bareBatched {
		batch = bareBatch
	}
	start := time.Now()
	for sent := 0; sent < s.events; sent += batch {
		if s.rate > 0 {
			time.Sleep(time.Until(start.Add(time.Duration(float64(sent) / s.rate * float64(time.Second)))))
		}
		event := strconv.AppendInt(nil, time.Now().UnixNano(), 10)
		event = append(event, bytes.Repeat([]byte("x"), s.size-len(event)-1)...)
		message := bytes.Repeat(append(event, '\n'), min(batch, s.events-sent))
		for _, out := range outs {
			if err := out(message); err != nil {
				return err
			}
		}
	}
	return nil
}

// run starts the server and takes all that it sends.
func (s bareServer) run(ctx context.Context) (_ bareRun, err error) {
	exe, err := os.Executable()
	if err != nil {
		return bareRun{}, err
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d %d %g", bareVariable, s.mode, s.clients, s.events, s.size, s.rate))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return bareRun{}, err
	}
	if err := cmd.Start(); err != nil {
		return bareRun{}, err
	}
	defer func() { err = errors.Join(err, cmd.Wait()) }()
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return bareRun{}, err
	}
	clients := make([]io.ReadCloser, s.clients)
	for i := range clients {
		if clients[i], err = s.dial(ctx, strings.TrimSpace(addr)); err != nil {
			return bareRun{}, err
		}
		defer clients[i].Close()
	}
	return s.take(clients)
}

func (s bareServer) dial(ctx context.Context, addr string) (io.ReadCloser, error) {
	if s.mode == bareTCP {
		return net.Dial("tcp", addr)
	}
	c, res, err := websocket.Dial(ctx, "ws://"+addr, nil)
	if err != nil {
		return nil, err
	}
	if res != nil && res.Body != nil {
		res.Body.Close()
	}
	return websocket.NetConn(ctx, c, websocket.MessageText), nil
}

// take reads each client to its end.
func (s bareServer) take(clients []io.ReadCloser) (bareRun, error) {
	errs := make([]error, len(clients))
	lags := make([][]time.Duration, len(clients))
	var wg sync.WaitGroup
	began := time.Now()
	for i, c := range clients {
		wg.Go(func() { lags[i], errs[i] = s.takeOne(c) })
	}
	wg.Wait()
	r := bareRun{rate: rate(len(clients)*s.events, time.Since(began))}
	for _, some := range lags {
		r.lags = append(r.lags, some...)
	}
	return r, errors.Join(errs...)
}

func (s bareServer) takeOne(c io.Reader) (lags []time.Duration, err error) {
	if s.rate == 0 {
		return nil, s.count(c)
	}
	in := bufio.NewReader(c)
	for range s.events {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		stamp, _, _ := bytes.Cut(line, []byte("x"))
		at, err := strconv.ParseInt(string(stamp), 10, 64)
		if err != nil {
			return nil, err
		}
		lags = append(lags, time.Since(time.Unix(0, at)))
	}
	return lags, nil
}

// count reads all, with a buffer like that of the product's clients.
func (s bareServer) count(c io.Reader) error {
	buf := make([]byte, roomForMessage)
	for n := 0; ; {
		k, err := c.Read(buf)
		n += k
		if err == nil {
			continue
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		if n != s.events*s.size {
			return fmt.Errorf("a client got %d bytes of %d", n, s.events*s.size)
		}
		return nil
	}
}
