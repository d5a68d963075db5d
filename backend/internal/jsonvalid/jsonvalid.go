// Package jsonvalid tells whether bytes are JSON, at several times the speed of the
// standard library: most of what agents print is long strings, of which it looks
// at eight bytes at a time. It holds no state.
package jsonvalid

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// maxDepth is how deep JSON may be nested, as for the standard library.
const maxDepth = 10_000

// Bytes is json.Valid.
func Bytes(b []byte) bool {
	var few [32]byte
	open := few[:0] // the brackets that are not closed yet
	i := space(b, 0)
	for {
		// A value begins at i.
		if i >= len(b) {
			return false
		}
		switch c := b[i]; c {
		case '{', '[':
			if open = append(open, c); len(open) > maxDepth {
				return false
			}
			if i = space(b, i+1); i < len(b) && b[i] == c+2 { // the closing one
				break // nothing is in it: it ends below
			}
			if c == '{' {
				i = key(b, i)
			}
			continue
		case '"':
			i = stringEnd(b, i+1)
		case 't':
			i = literal(b, i, "true")
		case 'f':
			i = literal(b, i, "false")
		case 'n':
			i = literal(b, i, "null")
		default:
			i = number(b, i)
		}
		// A value ended before i, or all that is open does.
		for {
			i = space(b, i)
			if len(open) == 0 {
				return i == len(b)
			}
			if i >= len(b) {
				return false
			}
			top := open[len(open)-1]
			if b[i] == top+2 {
				open, i = open[:len(open)-1], i+1
				continue
			}
			if b[i] != ',' {
				return false
			}
			if i = space(b, i+1); top == '{' {
				i = key(b, i)
			}
			break
		}
	}
}

// The functions below return where what begins at i ends, and where it is not
// JSON, a place behind the end of b.

func broken(b []byte) int { return len(b) + 1 }

// space returns the first place from i on that is no white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// key returns where the value of a field begins.
func key(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return broken(b)
	}
	i = space(b, stringEnd(b, i+1))
	if i >= len(b) || b[i] != ':' {
		return broken(b)
	}
	return space(b, i+1)
}

func literal(b []byte, i int, text string) int {
	if !bytes.HasPrefix(b[i:], []byte(text)) {
		return broken(b)
	}
	return i + len(text)
}

func number(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	whole := digits(b, i)
	if whole == i || b[i] == '0' && whole > i+1 {
		return broken(b)
	}
	i = whole
	if i < len(b) && b[i] == '.' {
		end := digits(b, i+1)
		if end == i+1 {
			return broken(b)
		}
		i = end
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		end := digits(b, i)
		if end == i {
			return broken(b)
		}
		i = end
	}
	return i
}

func digits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

// stringEnd returns where the string ends whose first character is at i.
func stringEnd(b []byte, i int) int {
	for {
		// Where there is one escape there are more: eight at a time pays after that.
		near := min(i+16, len(b))
		for i < near && !special[b[i]] {
			i++
		}
		if i == near {
			i = plain(b, i)
		}
		if i >= len(b) {
			return broken(b)
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c != '\\':
			return broken(b)
		case i+1 < len(b) && simple[b[i+1]]:
			i += 2
		case i+6 <= len(b) && b[i+1] == 'u' && hex(b[i+2]) && hex(b[i+3]) && hex(b[i+4]) && hex(b[i+5]):
			i += 6
		default:
			return broken(b)
		}
	}
}

// plain returns the first place from i on that is special.
func plain(b []byte, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, slash := w^'"'*ones, w^'\\'*ones
		// The lowest high bit that stays is that of the first special byte: what is
		// borrowed in a subtraction only spoils those after it.
		found := ((w-' '*ones)&^w | (quote-ones)&^quote | (slash-ones)&^slash) & highs
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(b) && !special[b[i]] {
		i++
	}
	return i
}

// special are the characters that do not stand for themselves in a string.
var special = func() (t [256]bool) {
	for c := range ' ' {
		t[c] = true
	}
	t['"'], t['\\'] = true, true
	return t
}()

// simple are the characters that may follow a backslash by themselves.
var simple = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

func hex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}
