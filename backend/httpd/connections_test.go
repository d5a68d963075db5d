package httpd

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"signalbox/backend/fault"
	"signalbox/backend/httpd/socket"
)

// sessions hands out one channel for each session.
type sessions map[string]chan struct{}

func (s sessions) Revoked(id string) <-chan struct{} { return s[id] }

func causeCode(ctx context.Context) socket.Code {
	var end *socket.Close
	errors.As(context.Cause(ctx), &end)
	if end == nil {
		return 0
	}
	return end.Code
}

func TestConnections_endWithTheirSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sessions{"a": make(chan struct{}), "b": make(chan struct{})}
		c := newConnections(s)
		a1, leaveA1, _ := c.join(t.Context(), "a")
		a2, leaveA2, _ := c.join(t.Context(), "a")
		b, leaveB, _ := c.join(t.Context(), "b")
		close(s["a"])
		synctest.Wait()
		if causeCode(a1) != socket.SignedOut || causeCode(a2) != socket.SignedOut {
			t.Errorf("connections of the session: %v, %v", context.Cause(a1), context.Cause(a2))
		}
		if b.Err() != nil {
			t.Errorf("another session's connection ended: %v", context.Cause(b))
		}
		// One that is opened with the same session ends at once.
		a3, leaveA3, _ := c.join(t.Context(), "a")
		synctest.Wait()
		if causeCode(a3) != socket.SignedOut {
			t.Errorf("a late connection lives on")
		}
		for _, leave := range []func(){leaveA1, leaveA2, leaveA3, leaveB} {
			leave()
		}
		c.close(&socket.Close{Code: socket.GoingAway})
		c.wait()
	})
}

func TestConnections_endWithTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConnections(sessions{"a": make(chan struct{})})
		ctx, leave, err := c.join(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		c.close(&socket.Close{Code: socket.GoingAway})
		if causeCode(ctx) != socket.GoingAway {
			t.Errorf("ended with %v", context.Cause(ctx))
		}
		if _, _, err := c.join(t.Context(), "a"); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("a connection to a stopping server: %v", err)
		}
		leave()
		c.wait()
	})
}

func TestLane_keepsOrderAndIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lane
		gate := make(chan struct{})
		var done []int
		for i := range laneLength {
			if !l.add(func() { <-gate; done = append(done, i) }) {
				t.Fatalf("command %d was refused", i)
			}
		}
		if l.add(func() {}) {
			t.Error("a command too many was taken")
		}
		close(gate)
		synctest.Wait()
		if !l.add(func() { done = append(done, laneLength) }) {
			t.Error("a command was refused though the lane is empty")
		}
		l.wait()
		for i, n := range done {
			if i != n {
				t.Fatalf("order is %v", done)
			}
		}
		if len(done) != laneLength+1 {
			t.Errorf("%d were done", len(done))
		}
		if l.add(func() {}) {
			t.Error("a command was taken after the end")
		}
	})
}
