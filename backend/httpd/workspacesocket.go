package httpd

import (
	"context"
	"encoding/json"

	"github.com/labstack/echo/v4"

	"signalbox/backend/catalog"
	"signalbox/backend/fault"
	"signalbox/backend/httpd/socket"
	"signalbox/backend/wire"
)

// workspaceSocket sends the list of chats, then each change of it.
func (s *Server) workspaceSocket(c echo.Context) error {
	if err := checkUpgrade(c.Request()); err != nil {
		return err
	}
	viewer := callerFrom(c.Request().Context()).Person.ID
	// What changes between the two is told twice, not lost.
	w := s.deps.Chats.Watch(viewer)
	list := s.deps.Chats.List(viewer)
	return s.runSocket(c, &watchSource{list: list, w: w}, w.Close, func(conn *socket.Conn) commander {
		return listener{conn}
	})
}

// watchSource sends the list, then what a watcher of the catalog yields.
type watchSource struct {
	list []wire.ChatSummary // until it was sent
	w    *catalog.Watcher
}

// Next implements socket.Source.
func (s *watchSource) Next(ctx context.Context) ([][]byte, error) {
	frames, err := s.next(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, closeOf(err)
	}
	lines := make([][]byte, len(frames))
	for i, f := range frames {
		if lines[i], err = wire.EncodeFrame(f); err != nil {
			return nil, closeOf(err)
		}
	}
	return join(lines), nil
}

func (s *watchSource) next(ctx context.Context) ([]wire.Frame, error) {
	if len(s.list) == 0 {
		return s.w.Next(ctx)
	}
	frames := make([]wire.Frame, len(s.list))
	for i, chat := range s.list {
		frames[i] = wire.ChatChanged{Chat: chat}
	}
	s.list = nil
	return frames, nil
}

// listener takes what a client says that has no commands: the heartbeat.
type listener struct{ conn *socket.Conn }

// Receive implements socket.Sink.
func (l listener) Receive(_ context.Context, frame []byte) error {
	var head struct {
		Type wire.Type       `json:"type"`
		ID   json.RawMessage `json:"id"`
		N    int64           `json:"n"`
	}
	bad := &socket.Close{Code: socket.BadFrame, Reason: "a frame is no command"}
	if err := json.Unmarshal(frame, &head); err != nil {
		return bad
	}
	switch {
	case head.Type == wire.TypePing:
		return l.conn.Reply(wire.Pong{N: head.N})
	case head.Type == wire.TypePong:
		return nil
	case len(head.ID) > 0:
		return l.conn.Reply(wire.Ack{
			ID:    ackID(head.ID),
			Error: faultOf(fault.New(fault.Invalid, "This socket takes no commands.").WithHint("Send it on the chat's.")),
		})
	}
	return bad
}

// Oversize implements socket.Sink.
func (listener) Oversize([]byte) {}

func (listener) wait() {}
