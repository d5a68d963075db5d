package eventlog

import (
	"bytes"
	"encoding/json"
	"fmt"

	"signalbox/backend/wire"
)

// spill returns body with its large strings cut to their beginning. The whole
// strings, and those that were cut out of it before, are put beside the log and
// named in a field of the body.
func (l *Log) spill(body []byte, before []wire.Large) ([]byte, error) {
	var (
		out  []byte
		done int // how much of body is in out
		refs map[string]wire.BlobRef
	)
	put := func(pointer, text string) error {
		ref, err := l.putBlob(text)
		if refs == nil {
			refs = map[string]wire.BlobRef{}
		}
		refs[pointer] = ref
		return err
	}
	for _, large := range before {
		if err := put(large.Pointer, large.Text); err != nil {
			return nil, err
		}
	}
	s := scanner{json: body}
	for len(body) > wire.MaxString {
		start, end, key, ok := s.next()
		if !ok {
			break
		}
		if key || end-start-2 <= wire.MaxString {
			continue
		}
		text := unquote(body[start:end])
		if len(text) <= wire.MaxString {
			continue // escapes made it look longer
		}
		if err := put(s.pointer(), text); err != nil {
			return nil, err
		}
		var err error
		out = append(out, body[done:start]...)
		if out, err = appendJSON(out, wire.CutText(text, wire.HeadBytes)); err != nil {
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
