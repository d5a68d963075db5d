package dialog

import (
	"encoding/json"
	"errors"
	"time"

	"signalbox/backend/agent/jsonrpc"
)

// RPC is our side of a conversation in JSON-RPC, in which P is the shape of what
// the other side's requests and notifications carry. It sorts the lines by what
// they are; the functions say what follows. What is no line of the protocol is
// odd, and a request that cannot be read is refused, so that nobody waits for an
// answer. A notification with members of another shape than P's is odd, too, and is
// taken without them: it may be the end of a turn.
type RPC[P any] struct {
	*jsonrpc.Peer

	Result  func(m jsonrpc.Message, now time.Time) Step // to a request of ours
	Failure func(m jsonrpc.Message, now time.Time) Step // likewise
	Request func(m jsonrpc.Message, p P, now time.Time) Step
	Notice  func(m jsonrpc.Message, p P, now time.Time) Step
}

// Line reads a line.
func (r *RPC[P]) Line(b []byte, now time.Time) Step {
	m, err := r.Take(b)
	if err != nil {
		return Step{Odd: true}
	}
	switch m.Kind {
	case jsonrpc.Result:
		return r.Result(m, now)
	case jsonrpc.Failure:
		return r.Failure(m, now)
	}
	var p P
	if len(m.Params) > 0 {
		err = json.Unmarshal(m.Params, &p)
	}
	if m.Kind == jsonrpc.Request {
		if err != nil {
			return r.Refuse(m, jsonrpc.InvalidParams)
		}
		return r.Request(m, p, now)
	}
	if _, shape := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !shape {
		return Step{Odd: true}
	}
	s := r.Notice(m, p, now)
	s.Odd = s.Odd || err != nil
	return s
}

// Call adds a request of ours to a step.
func (r *RPC[P]) Call(s *Step, method string, params any) {
	line, _, err := r.Peer.Call(method, params)
	s.Send = append(s.Send, encoded(line, err))
}

// Notify adds a notification of ours to a step.
func (r *RPC[P]) Notify(s *Step, method string, params any) {
	line, err := r.Peer.Notify(method, params)
	s.Send = append(s.Send, encoded(line, err))
}

// Answer adds the answer to the other side's request id to a step.
func (r *RPC[P]) Answer(s *Step, id jsonrpc.ID, result any) {
	line, err := r.Peer.Answer(id, result)
	s.Send = append(s.Send, encoded(line, err))
}

// Refuse answers a request that is not known here.
func (r *RPC[P]) Refuse(m jsonrpc.Message, code int64) Step {
	line, err := r.Peer.Refuse(m.ID, code, "Signalbox does not answer "+Clip(m.Method))
	return Step{Send: [][]byte{encoded(line, err)}, Odd: true}
}

// encoded is a line of values of ours and raw JSON that was just read: neither
// fails to be encoded.
func encoded(line []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return line
}
