package eventlog

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// scanner walks over the strings of JSON that is known to be valid, in linear
// time and without decoding.
type scanner struct {
	json  []byte
	pos   int
	stack []level
}

// level is an object or an array that the scanner is in.
type level struct {
	array bool
	value bool   // of an object: a value follows, not a key
	index int    // of an array: of the element
	key   []byte // of an object: the last key, quoted
}

// next returns where the next string begins and ends, with its quotes, and
// whether it is a key. At the end it returns false.
func (s *scanner) next() (start, end int, key, ok bool) {
	for s.pos < len(s.json) {
		top := len(s.stack) - 1
		switch s.json[s.pos] {
		case '{':
			s.stack = append(s.stack, level{})
		case '[':
			s.stack = append(s.stack, level{array: true})
		case '}', ']':
			s.stack = s.stack[:top]
		case ',':
			s.stack[top].index++
			s.stack[top].value = false
		case ':':
			s.stack[top].value = true
		case '"':
			start, s.pos = s.pos, stringEnd(s.json, s.pos)
			if l := top; l >= 0 && !s.stack[l].array && !s.stack[l].value {
				s.stack[l].key = s.json[start:s.pos]
				return start, s.pos, true, true
			}
			return start, s.pos, false, true
		}
		s.pos++
	}
	return 0, 0, false, false
}

// stringEnd returns the offset behind the string that begins at start.
func stringEnd(b []byte, start int) int {
	for i := start + 1; ; i++ {
		i += bytes.IndexByte(b[i:], '"')
		slashes := 0
		for b[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// pointer returns the JSON pointer (RFC 6901) of the value that was returned last.
func (s *scanner) pointer() string {
	var b strings.Builder
	for _, l := range s.stack {
		b.WriteByte('/')
		if l.array {
			b.WriteString(strconv.Itoa(l.index))
		} else {
			_, _ = pointerEscape.WriteString(&b, unquote(l.key)) // a builder does not fail
		}
	}
	return b.String()
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// unquote decodes a JSON string.
func unquote(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "" // raw was valid
	}
	return s
}

// fields counts the fields of the envelope in an object.
type fields struct{ seq, t, typ, run, refs int }

// envelopeFields counts the fields of the envelope in an object that is valid
// JSON. Case does not count, as it does not for Go's decoder.
func envelopeFields(object []byte) fields {
	var n fields
	depth, key := 0, false
	for i := 0; i < len(object); i++ {
		switch object[i] {
		case '{', '[':
			depth++
			key = true
		case '}', ']':
			depth--
		case ',':
			key = true
		case ':':
			key = false
		case '"':
			end := stringEnd(object, i)
			if key && depth == 1 {
				n.count(object[i:end])
			}
			i = end - 1
		}
	}
	return n
}

// count adds the field with the quoted name.
func (n *fields) count(quoted []byte) {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(unquote(quoted))
	}
	var lower [len("refs")]byte
	if len(name) > len(lower) {
		return
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	switch string(lower[:len(name)]) {
	case "seq":
		n.seq++
	case "t":
		n.t++
	case "type":
		n.typ++
	case "run":
		n.run++
	case "refs":
		n.refs++
	}
}

// hasReserved reports whether a body has a field of the envelope: the line would
// then have it twice, and readers would not agree.
func hasReserved(body []byte) bool { return envelopeFields(body) != fields{} }
