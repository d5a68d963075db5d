package httpd

import (
	"bytes"
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"signalbox/backend/fault"
	"signalbox/backend/runhub"
	"signalbox/backend/wire"
)

const (
	// streamComment is how often a stream says something, so that proxies keep
	// it open.
	streamComment = 15 * time.Second
	// streamLimit is how long a batch may take to leave.
	streamLimit = 20 * time.Second
)

func wantsStream(r *http.Request) bool {
	for accept := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		if kind, _, err := mime.ParseMediaType(accept); err == nil && kind == "text/event-stream" {
			return true
		}
	}
	return false
}

// streamChat is the chat as server-sent events: what the socket sends, to
// programs that only read.
func (s *Server) streamChat(c echo.Context) error {
	chat, err := parseChat(c.Param("id"))
	if err != nil {
		return err
	}
	name, raw := "Last-Event-ID", c.Request().Header.Get("Last-Event-ID")
	if raw == "" {
		name, raw = "since", c.QueryParam("since")
	}
	since, err := parsePosition(name, raw)
	if err != nil {
		return err
	}
	return s.stream(c, chat, since, &ender{})
}

// stream sends a chat's frames and events after since until end says that one of
// them is the last, the client leaves, or the connection is ended from here.
func (s *Server) stream(c echo.Context, chat wire.ChatID, since *wire.Position, end *ender) error {
	who := callerFrom(c.Request().Context())
	feed, err := s.deps.Hub.Follow(chat, who.Person, since)
	if err != nil {
		return err
	}
	defer feed.Close()
	ctx, leave, err := s.conns.join(c.Request().Context(), who.Session)
	if err != nil {
		return err
	}
	defer leave()

	out := newEventStream(c.Response())
	out.begin()
	defer out.end()
	batches := make(chan runhub.Batch) // from pump, one at a time
	ctx, stop := context.WithCancel(ctx)
	var pumping sync.WaitGroup
	defer pumping.Wait()
	defer stop()
	pumping.Go(func() {
		defer stop()
		if err := pump(ctx, feed, batches); ctx.Err() == nil {
			s.log.Log(ctx, levelOf(err), "stream ended", "chat", chat, "err", err)
		}
	})

	comment := time.NewTicker(streamComment)
	defer comment.Stop()
	for {
		var done bool
		select {
		case <-ctx.Done():
			return nil // the stream has begun: its end is the only answer left
		case <-comment.C:
			out.comment()
		case b := <-batches:
			done = out.batch(b, end)
		}
		if err := out.flush(); done || err != nil {
			return nil // a client that is gone comes back with its position
		}
	}
}

// pump hands over what the feed yields until it ends.
func pump(ctx context.Context, feed *runhub.Feed, batches chan<- runhub.Batch) error {
	for {
		b, err := feed.Next(ctx)
		if err != nil {
			return err
		}
		b.Lines = bytes.Clone(b.Lines) // the next are asked for before these have left
		select {
		case batches <- b:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// eventStream writes server-sent events. The first error stays.
type eventStream struct {
	w   http.ResponseWriter
	ctl *http.ResponseController
	buf bytes.Buffer
}

func newEventStream(w http.ResponseWriter) *eventStream {
	return &eventStream{w: w, ctl: http.NewResponseController(w)}
}

func (e *eventStream) begin() {
	// The deadline for the body would end the stream with it.
	_ = e.ctl.SetReadDeadline(time.Time{}) // fails when closed, as flush then does
	e.w.Header().Set("Content-Type", "text/event-stream")
	e.w.Header().Set("X-Accel-Buffering", "no")
	e.w.WriteHeader(http.StatusOK)
	e.buf.WriteString("retry: 3000\n\n")
}

// end leaves the connection as the next request wants it.
func (e *eventStream) end() { _ = e.ctl.SetWriteDeadline(time.Time{}) } // fails when closed

func (e *eventStream) comment() { e.buf.WriteString(": still here\n\n") }

// batch adds a batch, up to what is the last, and reports whether it held that.
func (e *eventStream) batch(b runhub.Batch, end *ender) bool {
	for _, f := range b.Frames {
		e.data(f)
		if end.frame(f) {
			return true
		}
	}
	for line := range bytes.Lines(b.Lines) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		// The lines that are in the file are all of its current epoch.
		if seq, ok := seqOf(line); ok {
			e.buf.WriteString("id: ")
			e.buf.WriteString(wire.Position{Epoch: b.Upto.Epoch, Seq: seq}.String())
			e.buf.WriteByte('\n')
		}
		e.data(line)
		if end.line(line) {
			return true
		}
	}
	return end.upto(b.Upto.Seq)
}

func (e *eventStream) data(line []byte) {
	e.buf.WriteString("data: ")
	e.buf.Write(line)
	e.buf.WriteString("\n\n")
}

func (e *eventStream) flush() error {
	if e.buf.Len() == 0 {
		return nil
	}
	if err := e.ctl.SetWriteDeadline(time.Now().Add(streamLimit)); err != nil {
		return err
	}
	if _, err := e.buf.WriteTo(e.w); err != nil {
		return err
	}
	if e.buf.Cap() > 256<<10 {
		e.buf = bytes.Buffer{} // one long line must not stay
	}
	return e.ctl.Flush()
}

// seqOf reads the seq of a line, which stands first in it.
func seqOf(line []byte) (uint64, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"seq":`))
	digits, _, found := bytes.Cut(rest, []byte(","))
	if !ok || !found {
		return 0, false
	}
	seq, err := strconv.ParseUint(string(digits), 10, 64)
	return seq, err == nil
}

// blobType is the one type that a blob is served as: its bytes come from agents
// and must never be run or shown as a page.
const blobType = "application/octet-stream"

// getBlob serves a large body of the chat.
func (s *Server) getBlob(c echo.Context) error {
	chat, err := parseChat(c.Param("id"))
	if err != nil {
		return err
	}
	log, err := s.chatLog(chat)
	if err != nil {
		return err
	}
	hash := c.Param("sha256")
	body, err := log.OpenBlob(hash)
	if err != nil {
		if fault.CodeOf(err) == fault.Invalid {
			err = fault.New(fault.NotFound, "There is no such body.").Because(err)
		}
		return err
	}
	defer body.Close()
	h := c.Response().Header()
	h.Set("Content-Type", blobType)
	h.Set("Content-Disposition", `attachment; filename="`+hash+`.txt"`)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	h.Set("ETag", `"`+hash+`"`)
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, body)
	return nil
}
