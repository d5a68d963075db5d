package search

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Needle is text that is looked for letter by letter, without case and accents.
type Needle struct{ folded []byte }

// NewNeedle returns a needle of text; an empty one is found nowhere.
func NewNeedle(text string) Needle {
	folded, _ := foldText(clip(text, MaxQuery), false)
	return Needle{folded}
}

// Hits returns where text holds the needle, in order and apart, and at most most.
func (n Needle) Hits(text string, most int) []Hit {
	if len(n.folded) == 0 {
		return nil
	}
	folded, _ := foldText(text, false)
	if !bytes.Contains(folded, n.folded) {
		return nil
	}
	folded, origin := foldText(text, true)
	at := func(i int) int {
		if origin == nil {
			return i
		}
		return origin[i]
	}
	var hits []Hit
	for from := 0; len(hits) < most; {
		i := bytes.Index(folded[from:], n.folded)
		if i < 0 {
			break
		}
		start, end := from+i, from+i+len(n.folded)
		hits = append(hits, Hit{at(start), at(end)})
		from = end
	}
	return hits
}

// foldText folds text. Origin gives for each byte of the folded text, and for its
// end, where in text its character begins; it is nil if that is the same byte.
func foldText(text string, trace bool) (folded []byte, origin []int) {
	folded = make([]byte, 0, len(text))
	i := 0
	for ; i < len(text) && text[i] < utf8.RuneSelf; i++ {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		folded = append(folded, c)
	}
	if i == len(text) {
		return folded, nil
	}
	if trace {
		origin = make([]int, i, len(text)+1)
		for j := range origin {
			origin[j] = j
		}
	}
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		folded = appendFolded(folded, r)
		for trace && len(origin) < len(folded) {
			origin = append(origin, i)
		}
		i += n
	}
	if trace {
		origin = append(origin, len(text))
	}
	return folded, origin
}

// appendFolded appends what r compares as: nothing for an accent of its own.
func appendFolded(b []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		return append(b, byte(foldRune(r)))
	}
	var whole [utf8.UTFMax]byte
	parts := norm.NFD.Properties(whole[:utf8.EncodeRune(whole[:], r)]).Decomposition()
	if parts == nil {
		if unicode.Is(unicode.Mn, r) {
			return b
		}
		return utf8.AppendRune(b, foldRune(r))
	}
	for _, p := range bytes.Runes(parts) {
		if !unicode.Is(unicode.Mn, p) {
			b = utf8.AppendRune(b, foldRune(p))
		}
	}
	return b
}
