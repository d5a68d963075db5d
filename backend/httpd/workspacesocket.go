package httpd

import (
	"context"
	"encoding/json"

	"github.com/labstack/echo/v4"

	"signalbox/backend/catalog"
	"signalbox/backend/draft"
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
	src := &watchSource{chats: s.deps.Chats.Watch(viewer), drafts: s.deps.Drafts.Watch(viewer)}
	src.list = s.deps.Chats.List(viewer)
	return s.runSocket(c, src, src.close, func(conn *socket.Conn) commander {
		return listener{conn}
	})
}

// watchSource sends the list, then what changes of it and of the person's drafts.
type watchSource struct {
	list   []wire.ChatSummary // until it was sent
	chats  *catalog.Watcher
	drafts *draft.Watcher
}

func (s *watchSource) close() {
	s.chats.Close()
	s.drafts.Close()
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
		return s.changes(ctx)
	}
	frames := make([]wire.Frame, len(s.list))
	for i, chat := range s.list {
		frames[i] = wire.ChatChanged{Chat: chat}
	}
	s.list = nil
	return frames, nil
}

func (s *watchSource) changes(ctx context.Context) ([]wire.Frame, error) {
	for {
		if frames := append(s.chats.Take(), s.drafts.Take()...); len(frames) > 0 {
			return frames, nil
		}
		select {
		case <-s.chats.Woken():
		case <-s.drafts.Woken():
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
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
