// Package fault holds the errors that reach people: a code for machines, a
// message and a hint for people, and a cause that only the log sees.
//
// An error without a [*Error] in its chain is internal: its text never leaves
// the daemon.
package fault

import (
	"errors"
	"fmt"
)

// Code is what kind of failure an error is. Each door (HTTP, socket, MCP) maps
// codes to its own numbers in one table.
type Code string

// The codes.
const (
	Invalid      Code = "invalid"      // the request cannot be right
	NotFound     Code = "not_found"    // what it names does not exist
	Conflict     Code = "conflict"     // it contradicts what is already so
	StaleEpoch   Code = "stale_epoch"  // it names a position of an earlier epoch
	Busy         Code = "busy"         // a run holds the chat
	Unauthorized Code = "unauthorized" // nobody is signed in
	Forbidden    Code = "forbidden"    // the person may not
	TooLarge     Code = "too_large"    // over a limit that the message names
	RateLimited  Code = "rate_limited" // too many tries
	Unavailable  Code = "unavailable"  // not now: stopping, full disk, no such agent installed
	Canceled     Code = "canceled"     // the caller gave up
	Internal     Code = "internal"     // a fault of the daemon
)

// Error is an error that a person may read.
type Error struct {
	Code    Code
	Message string // what happened, a sentence
	Hint    string // one next step, a sentence; may be empty
	Run     string // the run that stands in the way, for Busy
	Err     error  // the cause; for the log alone
}

// New returns an error with a message.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WithHint sets the next step and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Because sets the cause and returns e.
func (e *Error) Because(err error) *Error {
	e.Err = err
	return e
}

// Error returns the code, the message and the cause, for the log.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Message
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the first [*Error] in err's chain, Internal if
// there is none, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}
