package httpd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"signalbox/backend/access"
	"signalbox/backend/fault"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/httpd/socket"
	"signalbox/backend/internal/id"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

// chatSocket follows a chat on a socket and takes commands.
func (s *Server) chatSocket(c echo.Context) error {
	chat, err := parseChat(c.Param("id"))
	if err != nil {
		return err
	}
	since, err := parsePosition("since", c.QueryParam("since"))
	if err != nil {
		return err
	}
	if err := checkUpgrade(c.Request()); err != nil {
		return err
	}
	who := callerFrom(c.Request().Context())
	feed, err := s.deps.Hub.Follow(chat, who.Person, since)
	if err != nil {
		return err
	}
	return s.runSocket(c, feedSource{feed}, feed.Close, func(conn *socket.Conn) commander {
		return &commands{s: s, conn: conn, chat: chat, who: who}
	})
}

// checkUpgrade refuses a plain request to a socket's address.
func checkUpgrade(r *http.Request) error {
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		return nil
	}
	return echo.NewHTTPError(http.StatusUpgradeRequired).SetInternal(
		fault.New(fault.Invalid, "This address is a WebSocket.").WithHint("Connect to it with ws:// or wss://."))
}

// commander takes what a client sends and ends with its connection.
type commander interface {
	socket.Sink
	wait()
}

// runSocket upgrades the request and runs the socket on a goroutine of its own,
// so that what the request holds is freed. done is called once the source is no
// longer used.
func (s *Server) runSocket(c echo.Context, src socket.Source, done func(), sink func(*socket.Conn) commander) error {
	who := callerFrom(c.Request().Context())
	ctx, leave, err := s.conns.join(context.Background(), who.Session)
	if err != nil {
		done()
		return err
	}
	conn, err := socket.Accept(c.Response(), c.Request(), s.opts.Socket)
	if err != nil {
		leave()
		done()
		return nil // the library has answered
	}
	path := c.Request().URL.Path
	go func() {
		defer leave()
		defer done()
		defer func() {
			if p := recover(); p != nil {
				s.panicked(p)
			}
		}()
		cmds := sink(conn)
		why := conn.Run(ctx, src, cmds)
		cmds.wait()
		s.log.Log(ctx, levelOfEnd(why), "socket closed", "path", path, "user", who.Person.ID, "err", why)
	}()
	return nil
}

// levelOfEnd says how much it matters that a connection ended: that of what it
// followed failing, or not at all.
func levelOfEnd(why error) slog.Level {
	if end, ok := errors.AsType[*socket.Close](why); errors.Is(why, socket.ErrGone) || (ok && why == error(end)) {
		return slog.LevelDebug
	}
	return levelOf(why)
}

// feedSource sends what a feed yields: frames first, then lines, each joined by
// line feeds.
type feedSource struct{ feed *runhub.Feed }

// Next implements socket.Source.
func (f feedSource) Next(ctx context.Context) ([][]byte, error) {
	b, err := f.feed.Next(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, closeOf(err)
	}
	messages := join(b.Frames)
	// The lines are shared by all who follow: they go out as they are.
	if lines := bytes.TrimSuffix(b.Lines, []byte("\n")); len(lines) > 0 {
		messages = append(messages, lines)
	}
	return messages, nil
}

// join puts frames together, one a line, into messages of at most
// socket.MaxMessage bytes.
func join(frames [][]byte) [][]byte {
	var messages [][]byte
	for _, f := range frames {
		last := len(messages) - 1
		if last < 0 || len(messages[last])+1+len(f) > socket.MaxMessage {
			messages = append(messages, bytes.Clone(f))
			continue
		}
		messages[last] = append(append(messages[last], '\n'), f...)
	}
	return messages
}

// commands carries out what one client sends on a chat's socket. Commands of one
// kind keep their order, but none waits for one of another kind, and the reader
// waits for none.
type commands struct {
	s    *Server
	conn *socket.Conn
	chat wire.ChatID
	who  caller

	prompts, cancels, answers lane
}

// Receive implements socket.Sink.
func (c *commands) Receive(_ context.Context, frame []byte) error {
	var head struct {
		Type wire.Type       `json:"type"`
		ID   json.RawMessage `json:"id"`
		N    int64           `json:"n"`
	}
	if err := json.Unmarshal(frame, &head); err != nil {
		return &socket.Close{Code: socket.BadFrame, Reason: "a frame is no command"}
	}
	ackID := ackID(head.ID)
	switch head.Type {
	case wire.TypePing:
		return c.conn.Reply(wire.Pong{N: head.N})
	case wire.TypePong:
		return nil
	case "prompt":
		c.submit(&c.prompts, ackID, func(ctx context.Context) (any, error) {
			cmd, err := decode[contract.PromptCommand](c.s.api, "PromptCommand", frame)
			if err != nil {
				return nil, err
			}
			by, err := c.allowed(access.Send)
			if err != nil {
				return nil, err
			}
			return c.s.prompt(ctx, c.chat, by, cmd.Prompt)
		})
	case "cancel":
		c.submit(&c.cancels, ackID, func(ctx context.Context) (any, error) {
			cmd, err := decode[contract.CancelCommand](c.s.api, "CancelCommand", frame)
			if err != nil {
				return nil, err
			}
			by, err := c.allowed(access.Cancel)
			if err != nil {
				return nil, err
			}
			return nil, c.s.cancel(ctx, c.chat, by, cmd.Run)
		})
	case "answer":
		c.submit(&c.answers, ackID, func(ctx context.Context) (any, error) {
			cmd, err := decode[contract.AnswerCommand](c.s.api, "AnswerCommand", frame)
			if err != nil {
				return nil, err
			}
			by, err := c.allowed(access.Answer)
			if err != nil {
				return nil, err
			}
			return nil, c.s.answer(ctx, c.chat, by, cmd.Answer)
		})
	default:
		if c.queueCommand(head.Type, ackID, frame) {
			return nil
		}
		if len(head.ID) == 0 {
			return &socket.Close{Code: socket.BadFrame, Reason: "a frame is no command"}
		}
		return c.ack(ackID, nil, fault.New(fault.Invalid, "There is no command %.40q.", head.Type))
	}
	return nil
}

// Oversize implements socket.Sink.
func (c *commands) Oversize(head []byte) {
	if raw := scanID(head); raw != nil {
		// The connection ends anyway.
		_ = c.ack(ackID(raw), nil, promptTooLarge())
	}
}

// allowed judges the sender anew: the session may have ended or the role changed
// since the socket was opened.
func (c *commands) allowed(action access.Action) (wire.Person, error) {
	now, err := c.s.deps.Auth.Identify(c.who.secret)
	if err != nil {
		return wire.Person{}, err
	}
	return now.Person, access.Check(now.Role, action, access.Loose)
}

// submit carries a command out in its lane and acks it.
func (c *commands) submit(l *lane, id string, do func(context.Context) (any, error)) {
	taken := l.add(func() {
		result, err := c.try(do)
		_ = c.ack(id, result, err) // a client that is gone asks again with its client id
	})
	if !taken {
		_ = c.ack(id, nil, fault.New(fault.RateLimited, "Too many commands are under way.").
			WithHint("Wait for their answers."))
	}
}

func (c *commands) try(do func(context.Context) (any, error)) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = c.s.panicked(p)
		}
	}()
	return do(context.Background())
}

// ack answers a command.
func (c *commands) ack(id string, result any, err error) error {
	if err == nil {
		return c.conn.Reply(wire.Ack{ID: id, OK: true, Result: result})
	}
	c.s.log.Log(context.Background(), levelOf(err), "command refused", "chat", c.chat, "err", err)
	return c.conn.Reply(wire.Ack{ID: id, Error: faultOf(err)})
}

func (c *commands) wait() {
	c.prompts.wait()
	c.cancels.wait()
	c.answers.wait()
}

// ackID returns the id under which a command is acked: its own or, where it has
// none that can be one, a new one.
func ackID(raw json.RawMessage) string {
	const longest = 100
	var s string
	if json.Unmarshal(raw, &s) != nil || s == "" || len(s) > longest {
		return id.New("k_")
	}
	return s
}

// scanID finds the top-level "id" in the first bytes of a JSON object.
func scanID(head []byte) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(head))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
		if key == "id" {
			return value
		}
	}
}
