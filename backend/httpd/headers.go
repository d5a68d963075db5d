package httpd

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/labstack/echo/v4"

	"signalbox/backend/fault"
)

// contentPolicy is what our pages may load. Styles may be inline since the
// parts of the UI set their sizes so; scripts may not.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; frame-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'self'"

// framePolicy is what the page may load in which drawings of agents are made:
// its own scripts, and no more. It has no origin, also when it is opened alone.
const framePolicy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; " +
	"frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox allow-scripts"

// setHeaders sets what every answer has.
func setHeaders(next echo.HandlerFunc) echo.HandlerFunc {
	fixed := map[string]string{
		"Content-Security-Policy": contentPolicy,
		"X-Content-Type-Options":  "nosniff",
		// Not "no-referrer": some requests of our own page would then have the
		// Origin "null".
		"Referrer-Policy":              "same-origin",
		"Permissions-Policy":           "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cache-Control":                "no-store",
	}
	return func(c echo.Context) error {
		h := c.Response().Header()
		for k, v := range fixed {
			h.Set(k, v)
		}
		return next(c)
	}
}

// logRequests writes a line for each request. It names the path and never the
// query, a header or a body: those may hold secrets.
func (s *Server) logRequests(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		err := next(c)
		if err != nil {
			s.answerError(err, c)
		} else if kept, ok := c.Get(errorKey).(error); ok {
			err = kept
		}
		level := slog.LevelDebug
		if c.Response().Status >= http.StatusInternalServerError {
			level = levelOf(err)
		}
		ctx := c.Request().Context()
		if !s.log.Enabled(ctx, level) {
			return nil
		}
		attrs := []slog.Attr{
			slog.String("method", c.Request().Method),
			slog.String("path", c.Request().URL.Path),
			slog.Int("status", c.Response().Status),
			slog.Int64("bytes", c.Response().Size),
			slog.Duration("dur", time.Since(start)),
		}
		if err != nil {
			attrs = append(attrs, slog.Any("err", err))
		}
		s.log.LogAttrs(ctx, level, "request", attrs...)
		return nil
	}
}

// levelOf says how much it matters that something failed with err.
func levelOf(err error) slog.Level {
	switch fault.CodeOf(err) {
	case fault.Internal:
		return slog.LevelError
	case fault.Unavailable:
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// recoverPanics turns a panic into an internal error. One that only says that
// the client is gone is none of ours.
func (s *Server) recoverPanics(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = s.panicked(p)
			}
		}()
		return next(c)
	}
}

// panicked logs a panic and returns it as an error.
func (s *Server) panicked(p any) error {
	err, ok := p.(error)
	if ok && (errors.Is(err, http.ErrAbortHandler) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)) {
		return fault.New(fault.Canceled, "The client is gone.").Because(err)
	}
	s.log.Error("panic in a request", "panic", p, "stack", string(debug.Stack()))
	return fault.New(fault.Internal, "Something went wrong in the daemon.")
}

// drainBodies makes the end of a body wait for what is still to come of it: a
// client that is cut off while it sends never sees why its request was refused.
func drainBodies(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Request().Body = drained{c.Request().Body}
		return next(c)
	}
}

type drained struct{ io.ReadCloser }

// Read reads on. A body that breaks off is the client's doing and no fault of
// the daemon's; one that is merely late is huma's to answer.
func (d drained) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	if late, ok := errors.AsType[net.Error](err); err == nil || err == io.EOF || ok && late.Timeout() { //nolint:errorlint // readers return io.EOF bare
		return n, err
	}
	return n, fault.New(fault.Canceled, "The request broke off before its end.").
		WithHint("Send it again.").Because(err)
}

// Close reads on for a while, then closes.
func (d drained) Close() error {
	const most = 8 << 20
	// What cannot be read closes with the connection.
	_, _ = io.CopyN(io.Discard, d.ReadCloser, most)
	return d.ReadCloser.Close()
}
