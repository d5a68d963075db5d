package eventlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"signalbox/backend/wire"
)

const (
	maxString = 32 << 10 // a longer string lies beside the log
	headBytes = 4 << 10  // of which the event holds so much
)

// spill returns body with its large strings cut to their beginning. The whole
// strings are put beside the log, and named in a field of the body.
func (l *Log) spill(body []byte) ([]byte, error) {
	var (
		out  []byte
		done int // how much of body is in out
		refs map[string]wire.BlobRef
	)
	s := scanner{json: body}
	for {
		start, end, key, ok := s.next()
		if !ok {
			break
		}
		if key || end-start-2 <= maxString {
			continue
		}
		text := unquote(body[start:end])
		if len(text) <= maxString {
			continue // escapes made it look longer
		}
		ref, err := l.putBlob(text)
		if err != nil {
			return nil, err
		}
		if refs == nil {
			refs = map[string]wire.BlobRef{}
		}
		refs[s.pointer()] = ref
		out = append(out, body[done:start]...)
		if out, err = appendJSON(out, cutText(text, headBytes)); err != nil {
			return nil, err
		}
		done = end
	}
	if refs == nil {
		return body, nil
	}
	out = append(out, body[done:len(body)-1]...)
	out = append(out, `,"refs":`...)
	out, err := appendJSON(out, refs)
	return append(out, '}'), err
}

// cutText returns the first n bytes of s, less what would split a rune.
func cutText(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// appendJSON appends v without the escaping that HTML pages need.
func appendJSON(b []byte, v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...), nil
}
