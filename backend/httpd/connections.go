package httpd

import (
	"context"
	"sync"

	"signalbox/backend/fault"
	"signalbox/backend/httpd/socket"
)

// revoker tells when a session ends. *auth.Auth is one.
type revoker interface {
	Revoked(session string) <-chan struct{}
}

// connections knows every socket and stream, so that all of a session's end with
// it and all of them with the server. A mutex guards it; each session that has
// connections has one goroutine, which waits for its end.
type connections struct {
	sessions revoker
	wg       sync.WaitGroup // connections and the goroutines of sessions

	mu     sync.Mutex
	closed *socket.Close // why no more are taken
	byID   map[string]*members
	next   uint64
}

// members is the connections of one session.
type members struct {
	cancels map[uint64]context.CancelCauseFunc
	empty   chan struct{} // closed when the last has left
}

func newConnections(sessions revoker) *connections {
	return &connections{sessions: sessions, byID: map[string]*members{}}
}

// join adds a connection of a session. Its context ends with parent, the session
// or the server; the cause is a *socket.Close for the last two. The caller calls
// leave once the connection is gone.
func (c *connections) join(parent context.Context, session string) (ctx context.Context, leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed != nil {
		return nil, nil, fault.New(fault.Unavailable, "The daemon is stopping.").WithHint("Try again when it is back.")
	}
	ctx, cancel := context.WithCancelCause(parent)
	m, ok := c.byID[session]
	if !ok {
		m = &members{cancels: map[uint64]context.CancelCauseFunc{}, empty: make(chan struct{})}
		c.byID[session] = m
		c.wg.Go(func() { c.watch(session, m) })
	}
	c.next++
	n := c.next
	m.cancels[n] = cancel
	c.wg.Add(1)
	return ctx, func() {
		defer c.wg.Done()
		cancel(context.Canceled)
		c.leave(session, m, n)
	}, nil
}

func (c *connections) leave(session string, m *members, n uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(m.cancels, n)
	if len(m.cancels) > 0 || c.byID[session] != m {
		return
	}
	delete(c.byID, session)
	close(m.empty)
}

// watch ends a session's connections when the session has ended.
func (c *connections) watch(session string, m *members) {
	select {
	case <-m.empty:
	case <-c.sessions.Revoked(session):
		c.mu.Lock()
		defer c.mu.Unlock()
		// Those that come now are another watch's.
		if c.byID[session] == m {
			delete(c.byID, session)
		}
		m.end(&socket.Close{Code: socket.SignedOut, Reason: "signed out"})
	}
}

func (m *members) end(why error) {
	for _, cancel := range m.cancels {
		cancel(why)
	}
}

// close ends every connection and takes no more.
func (c *connections) close(why *socket.Close) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = why
	for _, m := range c.byID {
		m.end(why)
	}
}

// wait returns when every connection is gone; after close.
func (c *connections) wait() { c.wg.Wait() }

// count returns how many connections there are.
func (c *connections) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, m := range c.byID {
		n += len(m.cancels)
	}
	return n
}
