package search

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Snippet is the part of a text that shows what was hit, on one line.
type Snippet struct {
	Text string `json:"text"`
	// Marks are the hits in Text, in order and apart.
	Marks []Mark `json:"marks"`
	// Before and After say that the text goes on at that end.
	Before bool `json:"before,omitempty"`
	After  bool `json:"after,omitempty"`
}

// Mark is a hit in a snippet: from Start to before End, in units of UTF-16, which
// are what JavaScript counts in a string.
type Mark struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

const (
	snippetBefore = 60  // bytes before the first hit, about
	snippetBytes  = 240 // in all, about
)

// NewSnippet returns the part of text around the first hit, or its beginning if
// there is none.
func NewSnippet(text string, hits []Hit) Snippet {
	from := 0
	if len(hits) > 0 && hits[0].Start > snippetBefore {
		from = wordStart(text, hits[0].Start-snippetBefore, hits[0].Start)
	}
	to := len(text)
	if to > from+snippetBytes {
		to = from + snippetBytes
		for to > from && !utf8.RuneStart(text[to]) {
			to--
		}
	}
	s := Snippet{Before: from > 0, After: to < len(text), Marks: []Mark{}}
	var b strings.Builder
	units, space := 0, true
	for i := from; i < to; {
		for len(hits) > 0 && hits[0].End <= i {
			s.close(units)
			hits = hits[1:]
		}
		r, n := utf8.DecodeRuneInString(text[i:to])
		if blank := unicode.IsSpace(r) || unicode.IsControl(r); blank {
			r = ' '
			if space { // runs of space are one
				i += n
				continue
			}
			space = true
		} else {
			space = false
		}
		if len(hits) > 0 && hits[0].Start <= i && !s.open() {
			s.Marks = append(s.Marks, Mark{units, -1})
		}
		b.WriteRune(r)
		units += max(utf16.RuneLen(r), 1)
		i += n
	}
	s.close(units)
	s.Text = b.String()
	return s
}

// open reports whether the last mark has no end yet.
func (s *Snippet) open() bool { return len(s.Marks) > 0 && s.Marks[len(s.Marks)-1].End < 0 }

// close ends the last mark if it is open.
func (s *Snippet) close(units int) {
	if s.open() {
		s.Marks[len(s.Marks)-1].End = units
	}
}

// wordStart returns where a word begins from about at on, before limit.
func wordStart(text string, at, limit int) int {
	for at < limit && !utf8.RuneStart(text[at]) {
		at++
	}
	if i := strings.IndexFunc(text[at:limit], unicode.IsSpace); i >= 0 && i < snippetBefore/2 {
		return at + i + 1
	}
	return at
}
