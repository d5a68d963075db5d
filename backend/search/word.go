package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// word is a word of a text: where it stands, and how it compares.
type word struct {
	start, end int // bytes of the text
	folded     string
}

// words returns the words of a text, as full-text search has them.
func words(text string) []word {
	const usual = 6 // bytes of a word with what is between it and the next
	all := make([]word, 0, len(text)/usual)
	for start, end := nextWord(text, 0); start < end; start, end = nextWord(text, end) {
		all = append(all, word{start, end, fold(text[start:end])})
	}
	return all
}

// nextWord returns where the first word from i on begins and ends; at the end of
// the text both are its length.
func nextWord(text string, i int) (start, end int) {
	for ; i < len(text); i++ {
		if plain(text[i]) {
			break
		}
		if text[i] < utf8.RuneSelf {
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if alone(r) {
			return i, i + n
		}
		if inWord(r) {
			break
		}
		i += n - 1
	}
	start = i
	for i < len(text) {
		if plain(text[i]) {
			i++
			continue
		}
		if text[i] < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if alone(r) || !inWord(r) && !unicode.Is(unicode.Mn, r) {
			break
		}
		i += n
	}
	return start, i
}

// plain reports whether c is a letter or a digit of those that most of what is said
// is made of.
func plain(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// Reserved begins words of an index's own: no word of a text or of a query has it.
const Reserved = '\ue000'

// inWord reports whether a word may have r.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return plain(byte(r))
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.Co) && r != utf8.RuneError && r != Reserved
}

// alone reports whether r is a word by itself, since its script puts no spaces
// between words.
func alone(r rune) bool {
	return r >= 0x0E00 && inWord(r) && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー' || r == 'ｰ')
}

// fold returns how a word compares: without case and accents.
func fold(s string) string {
	ascii := true
	for i := 0; i < len(s) && ascii; i++ {
		ascii = s[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToLower(s)
	}
	s = norm.NFD.String(s)
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return foldRune(r)
	}, s)
}

// foldRune returns the one rune that stands for all cases of r.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	if least < utf8.RuneSelf {
		return foldRune(least) // the sign of kelvin is a k
	}
	return unicode.ToLower(least)
}

// Folded returns a text as full-text search is to be given it: its words as they
// compare, with spaces between them. So what a word is, and which letters are the
// same, is decided here alone, for every script; full-text search knows the accents
// of few. What is plain letters it takes as [Parse] does, and they stay as they are.
func Folded(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/2)
	for _, w := range words(text) {
		b.WriteString(w.folded)
		b.WriteByte(' ')
	}
	return b.String()
}

// maxTerm is the longest word, in bytes, that is found by its beginning.
const maxTerm = 40

// Terms adds the words of text that can be found by their beginning to set, but for
// those that are in known. It keeps nothing of text in memory, and takes none for
// words that are there already.
func Terms(text string, known, set map[string]struct{}) {
	var scratch [maxTerm]byte
	for start, end := nextWord(text, 0); start < end; start, end = nextWord(text, end) {
		folded := appendWord(scratch[:0], text[start:end])
		if len(folded) <= 2 || len(folded) > maxTerm {
			continue
		}
		if _, ok := known[string(folded)]; ok {
			continue
		}
		if _, ok := set[string(folded)]; !ok {
			set[string(folded)] = struct{}{}
		}
	}
}

// appendWord appends a word as it compares.
func appendWord(b []byte, w string) []byte {
	for i := range len(w) {
		c := w[i]
		if c >= utf8.RuneSelf {
			return append(b[:0], fold(w)...)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}
