package chat

import (
	"bytes"
	"encoding/json"
)

// TypeOf returns the type of a log's line, as a part of it, and nil if the line
// is not an event. The fixed beginning that [wire.Draft.AppendLine] writes is
// read without decoding; a line that another hand wrote is decoded.
func TypeOf(line []byte) []byte {
	if t, ok := typeAtStart(line); ok {
		return t
	}
	var env struct {
		Type json.RawMessage `json:"type"`
	}
	if json.Unmarshal(line, &env) != nil || len(env.Type) < len(`""`) || env.Type[0] != '"' {
		return nil
	}
	return env.Type[1 : len(env.Type)-1]
}

// typeAtStart reads {"seq":12,"t":"2026-01-02T15:04:05.000Z","type":"user"
func typeAtStart(line []byte) ([]byte, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"seq":`))
	if !ok {
		return nil, false
	}
	digits := 0
	for digits < len(rest) && '0' <= rest[digits] && rest[digits] <= '9' {
		digits++
	}
	rest, ok = bytes.CutPrefix(rest[digits:], []byte(`,"t":"`))
	if !ok || digits == 0 {
		return nil, false
	}
	quote := bytes.IndexByte(rest, '"')
	if quote < 0 {
		return nil, false
	}
	rest, ok = bytes.CutPrefix(rest[quote:], []byte(`","type":"`))
	if !ok {
		return nil, false
	}
	end := bytes.IndexByte(rest, '"')
	if end <= 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
		return nil, false
	}
	return rest[:end:end], true
}
