// Package jsonrpc reads and writes the lines of JSON-RPC as the vendors' CLIs
// speak it: one object a line, in both directions, requests from either side.
//
// A [Peer] is one side of one connection. It does no I/O and starts nothing: it
// turns calls into lines and lines into messages, and remembers which of its
// own requests are open, so that an answer is known by the method that it
// answers. Lines may have any length; the reader of the process bounds them.
//
// A Peer belongs to one goroutine, except that [Peer.Answer] and [Peer.Refuse]
// may be called from any.
package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// Dialect is how a vendor departs from the standard.
type Dialect int

// The dialects.
const (
	Standard Dialect = iota // "jsonrpc":"2.0" in every line
	Unmarked                // without that member, as Codex has it
)

// Peer is our side of a connection. Make it with [New].
type Peer struct {
	dialect Dialect
	last    int64
	open    map[int64]string // the methods of our unanswered requests
}

// New returns our side of a connection that has sent nothing yet.
func New(d Dialect) *Peer {
	return &Peer{dialect: d, open: map[int64]string{}}
}

// ID is an id of the other side's requests, kept as it came: the two sides
// number their requests apart, and a number may be a string there.
type ID string

// Kind is what a line is.
type Kind int

// The kinds of lines.
const (
	Notification Kind = iota // Method and Params; wants no answer
	Request                  // Method, Params and ID; wants one
	Result                   // Method (of our request) and Params: the result
	Failure                  // Method (of our request) and Error
)

// Message is a line that came in.
type Message struct {
	Kind   Kind
	Method string
	ID     ID              // of a Request
	Call   int64           // our request's number, of a Result or a Failure
	Params json.RawMessage // parameters or result; nil if there are none
	Error  *Error
}

// Error is the other side's refusal.
type Error struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error returns the message with its code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Codes of the standard that we send.
const (
	MethodNotFound = -32601
	InvalidParams  = -32602
)

type frame struct {
	Version string          `json:"jsonrpc,omitempty"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Call returns the line of a request, with its line feed, and its number.
func (p *Peer) Call(method string, params any) (line []byte, call int64, err error) {
	raw, err := marshal(params)
	if err != nil {
		return nil, 0, fmt.Errorf("encode %s: %w", method, err)
	}
	p.last++
	p.open[p.last] = method
	line, err = p.line(frame{ID: strconv.AppendInt(nil, p.last, 10), Method: method, Params: raw})
	return line, p.last, err
}

// Notify returns the line of a notification.
func (p *Peer) Notify(method string, params any) ([]byte, error) {
	raw, err := marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", method, err)
	}
	return p.line(frame{Method: method, Params: raw})
}

// Answer returns the line that answers the other side's request id.
func (p *Peer) Answer(id ID, result any) ([]byte, error) {
	raw, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return p.line(frame{ID: json.RawMessage(id), Result: raw})
}

// Refuse returns the line that fails the other side's request id.
func (p *Peer) Refuse(id ID, code int64, message string) ([]byte, error) {
	return p.line(frame{ID: json.RawMessage(id), Error: &Error{Code: code, Message: message}})
}

// Take reads one line. What follows from it is the caller's; an answer to no
// open request of ours is an error, as is what is no JSON-RPC.
func (p *Peer) Take(line []byte) (Message, error) {
	var f frame
	if err := json.Unmarshal(line, &f); err != nil {
		return Message{}, fmt.Errorf("read JSON-RPC line: %w", err)
	}
	id := bytes.TrimSpace(f.ID)
	hasID := len(id) > 0 && !bytes.Equal(id, []byte("null"))
	switch {
	case f.Method != "" && hasID:
		return Message{Kind: Request, Method: f.Method, ID: ID(id), Params: f.Params}, nil
	case f.Method != "":
		return Message{Kind: Notification, Method: f.Method, Params: f.Params}, nil
	case !hasID && f.Error != nil:
		return Message{}, fmt.Errorf("read JSON-RPC line: an error for no request: %w", f.Error)
	case !hasID:
		return Message{}, fmt.Errorf("read JSON-RPC line: neither method nor id: %.200q", line)
	}
	call, err := strconv.ParseInt(string(id), 10, 64)
	method, open := p.open[call]
	if err != nil || !open {
		return Message{}, fmt.Errorf("read JSON-RPC line: an answer to request %.40s, which is not open", id)
	}
	delete(p.open, call)
	if f.Error != nil {
		return Message{Kind: Failure, Method: method, Call: call, Error: f.Error}, nil
	}
	return Message{Kind: Result, Method: method, Call: call, Params: f.Result}, nil
}

func (p *Peer) line(f frame) ([]byte, error) {
	if p.dialect == Standard {
		f.Version = "2.0"
	}
	b, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("encode JSON-RPC line: %w", err)
	}
	return append(b, '\n'), nil
}

// marshal encodes params; nil means that the member is left out.
func marshal(params any) (json.RawMessage, error) {
	if params == nil {
		return nil, nil
	}
	return json.Marshal(params)
}
