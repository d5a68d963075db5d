package socket

import (
	"sync"
	"time"

	"signalbox/backend/wire"
)

// heartbeat pings the client and notices when it has gone silent. It is a timer,
// not a goroutine: thousands of connections are idle most of the time.
type heartbeat struct {
	c *Conn

	mu      sync.Mutex // held while a beat is under way
	stopped bool
	timer   *time.Timer
}

func (c *Conn) startHeartbeat() *heartbeat {
	h := &heartbeat{c: c}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = time.AfterFunc(min(c.opts.Ping, c.opts.Silence), h.beat)
	return h
}

func (h *heartbeat) beat() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return
	}
	silent := time.Since(time.Unix(0, h.c.heard.Load()))
	if silent >= h.c.opts.Silence {
		h.c.cancel(&Close{TooSlow, "nothing was heard for too long"})
		return
	}
	h.c.pings++
	// Reply ends the connection itself when it fails.
	if h.c.Reply(wire.Ping{N: h.c.pings}) != nil {
		return
	}
	h.timer.Reset(min(h.c.opts.Ping, h.c.opts.Silence-silent))
}

// stop returns when no beat is under way and none will come.
func (h *heartbeat) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	h.timer.Stop()
}
