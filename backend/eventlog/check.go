package eventlog

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"signalbox/backend/fault"
	"signalbox/backend/internal/jsonvalid"
	"signalbox/backend/wire"
)

func checkEnvelope(d *wire.Draft) error {
	if d.Type == wire.TypeEpoch {
		return fault.New(fault.Invalid, "An epoch begins by a change of the log, not by an append.")
	}
	if _, known := knownTypes[string(d.Type)]; !known && !isName(string(d.Type)) {
		return fault.New(fault.Invalid, "%.40q is not the name of a type of event.", d.Type)
	}
	if d.Run != "" && !isName(string(d.Run)) {
		return fault.New(fault.Invalid, "%.40q is not the id of a run.", d.Run)
	}
	return nil
}

// isName reports whether s can stand in a line as it is.
func isName(s string) bool {
	for _, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return s != "" && len(s) <= 128
}

var (
	errNotObject = errors.New("its body is not a JSON object")
	errBreak     = errors.New("its body holds a line break")
	errReserved  = errors.New("its body has a field of the envelope")
)

// checkBody returns the body of an event as it may stand in a line. Bytes that
// are not UTF-8 are replaced, as every decoder would.
func checkBody(body []byte) ([]byte, error) {
	if len(body) == 0 {
		return body, nil
	}
	if bytes.IndexByte(body, '\n') >= 0 || bytes.IndexByte(body, '\r') >= 0 {
		return nil, errBreak
	}
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	if body[0] != '{' || body[len(body)-1] != '}' || !jsonvalid.Bytes(body) {
		return nil, errNotObject
	}
	if hasReserved(body) {
		return nil, errReserved
	}
	return body, nil
}
