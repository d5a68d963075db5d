package httpd

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"signalbox/backend/fault"
)

// checkText refuses JSON whose strings hold what is no text: bytes that are not
// UTF-8, a NUL, half of a surrogate pair. The decoder would put other characters
// in their place without a word.
func checkText(raw []byte) error {
	if !utf8.Valid(raw) {
		return fault.New(fault.Invalid, "The text is not valid UTF-8.")
	}
	for rest := raw; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+1 >= len(rest) {
			return nil
		}
		rest = rest[i:]
		r, ok := escaped(rest)
		switch {
		case !ok:
			rest = rest[2:] // another escape, or none: the decoder tells
		case r == 0:
			return fault.New(fault.Invalid, "The text holds a NUL character.").
				WithHint("Take it out and send again.")
		case r >= 0xdc00 && r < 0xe000:
			return loneSurrogate()
		case r >= 0xd800 && r < 0xdc00:
			low, ok := escaped(rest[6:])
			if !ok || low < 0xdc00 || low >= 0xe000 {
				return loneSurrogate()
			}
			rest = rest[12:]
		default:
			rest = rest[6:]
		}
	}
}

func loneSurrogate() error {
	return fault.New(fault.Invalid, "The text holds half of a character (a lone surrogate).").
		WithHint("Take it out and send again.")
}

// escaped reads the "\uXXXX" at the start of b.
func escaped(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	r, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(r), err == nil
}
