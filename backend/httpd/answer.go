package httpd

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/labstack/echo/v4"

	"signalbox/backend/auth"
	"signalbox/backend/fault"
	"signalbox/backend/httpd/contract"
	"signalbox/backend/httpd/socket"
	"signalbox/backend/wire"
)

// answers is the one table from a fault's code to an HTTP status and to the code
// with which a socket is closed for it.
var answers = map[fault.Code]struct {
	status int
	close  socket.Code
}{
	fault.Invalid:      {http.StatusBadRequest, socket.BadFrame},
	fault.NotFound:     {http.StatusNotFound, socket.Deleted},
	fault.Conflict:     {http.StatusConflict, socket.GoingAway},
	fault.StaleEpoch:   {http.StatusConflict, socket.GoingAway},
	fault.Busy:         {http.StatusConflict, socket.GoingAway},
	fault.Unauthorized: {http.StatusUnauthorized, socket.SignedOut},
	fault.Forbidden:    {http.StatusForbidden, socket.NoAccess},
	fault.TooLarge:     {http.StatusRequestEntityTooLarge, socket.BadFrame},
	fault.RateLimited:  {http.StatusTooManyRequests, socket.GoingAway},
	fault.Unavailable:  {http.StatusServiceUnavailable, socket.GoingAway},
	fault.Canceled:     {statusClientGone, socket.GoingAway},
	fault.Internal:     {http.StatusInternalServerError, socket.GoingAway},
}

// statusClientGone is what other servers log when nobody waits for the answer.
const statusClientGone = 499

func init() {
	// The errors of huma itself become ours.
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return problemOf(humaError(status, message, errs))
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		err := humaError(status, message, errs)
		c := humaecho.Unwrap(ctx)
		c.Set(errorKey, err)
		retryAfter(c.Response().Header(), err)
		p := problemOf(err)
		if op := ctx.Operation(); p.Code == fault.TooLarge && op != nil && largeText(op.OperationID) {
			p = problemOf(promptTooLarge())
		}
		return p
	}
}

// errorKey is where a request keeps the error that it was answered with, for
// the log.
const errorKey = "error"

// humaError turns what huma found wrong into one fault. Values that were sent
// are left out: they may be passwords.
func humaError(status int, message string, errs []error) error {
	for _, err := range errs {
		if _, ok := errors.AsType[*fault.Error](err); ok {
			return err
		}
	}
	switch {
	case status == http.StatusRequestEntityTooLarge:
		return fault.New(fault.TooLarge, "The request is too large.")
	case status >= http.StatusInternalServerError:
		return errors.Join(append([]error{errors.New(message)}, errs...)...)
	}
	for _, err := range errs {
		if d, ok := errors.AsType[*huma.ErrorDetail](err); ok {
			return fault.New(fault.Invalid, "%s: %s.", d.Location, d.Message).
				WithHint("docs/openapi.json describes every request.")
		}
	}
	return fault.New(fault.Invalid, "The request cannot be read: %s.", message)
}

// problemOf is an error as clients see it.
func problemOf(err error) *contract.Problem {
	f := publicOf(err)
	p := &contract.Problem{
		Status: answers[f.Code].status, Detail: f.Message,
		Code: f.Code, Hint: f.Hint, Run: wire.RunID(f.Run),
	}
	if h, ok := errors.AsType[*echo.HTTPError](err); ok && h.Code < http.StatusInternalServerError {
		p.Status = h.Code
	}
	if p.Title = http.StatusText(p.Status); p.Title == "" {
		p.Title = "Client Closed Request"
	}
	return p
}

// publicOf returns the part of an error that may leave the daemon.
func publicOf(err error) *fault.Error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		if _, known := answers[f.Code]; known {
			return f
		}
	}
	if h, ok := errors.AsType[*echo.HTTPError](err); ok {
		switch h.Code {
		case http.StatusNotFound:
			return fault.New(fault.NotFound, "There is nothing at this address.")
		case http.StatusMethodNotAllowed:
			return fault.New(fault.Invalid, "This address does not take that method.")
		}
	}
	return fault.New(fault.Internal, "Something went wrong in the daemon. Nothing that was saved is lost.").
		WithHint("Try again; if it goes on, the daemon's log says more.")
}

// faultOf is an error as sockets tell it.
func faultOf(err error) *wire.Fault {
	f := publicOf(err)
	return &wire.Fault{Code: string(f.Code), Message: f.Message, Hint: f.Hint, Run: wire.RunID(f.Run)}
}

// closeOf is an error as the end of a socket.
func closeOf(err error) error {
	if end, ok := errors.AsType[*socket.Close](err); ok {
		return end
	}
	f := publicOf(err)
	const longest = 120 // of the 123 bytes that a close frame has room for
	reason := f.Message
	if len(reason) > longest {
		reason = string(f.Code)
	}
	return fmt.Errorf("%w: %w", &socket.Close{Code: answers[f.Code].close, Reason: reason}, err)
}

// answerError implements echo.HTTPErrorHandler.
func (s *Server) answerError(err error, c echo.Context) {
	c.Set(errorKey, err)
	if c.Response().Committed {
		return
	}
	p := problemOf(err)
	h := c.Response().Header()
	retryAfter(h, err)
	h.Set(echo.HeaderContentType, p.ContentType(""))
	c.Response().WriteHeader(p.Status)
	if c.Request().Method != http.MethodHead {
		// A client that is gone needs no answer.
		_ = json.NewEncoder(c.Response()).Encode(p)
	}
}

func retryAfter(h http.Header, err error) {
	if l, ok := errors.AsType[*auth.Limited](err); ok {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(l.After.Seconds()))))
	}
}
