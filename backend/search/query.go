package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxQuery is the most bytes of a query; what is beyond is not looked at.
const MaxQuery = 1000

// maxTerms bounds what one query can cost.
const maxTerms = 32

// Query is what somebody looks for: all of its terms, and none that it excludes.
type Query struct {
	terms    []term
	excluded []term
}

// term is a word or a phrase.
type term struct {
	words  []string // folded
	prefix bool     // the last may go on
	ends   []string // what the last goes on to, where that was looked up
}

// Parse reads a query: words, "phrases in quotes", and either with a minus before
// it to leave out what has it. The last word also finds words that begin with it,
// unless a space follows.
func Parse(q string) Query {
	q = clip(strings.ToValidUTF8(q, " "), MaxQuery)
	var query Query
	for q != "" && len(query.terms)+len(query.excluded) < maxTerms {
		q = strings.TrimLeftFunc(q, unicode.IsSpace)
		minus := len(q) > 1 && q[0] == '-' && !unicode.IsSpace(rune(q[1]))
		if minus {
			q = q[1:]
		}
		var part string
		quoted := strings.HasPrefix(q, `"`)
		open := true
		if quoted {
			part, q, _ = strings.Cut(q[1:], `"`)
		} else {
			end := strings.IndexFunc(q, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
			if open = end < 0; open {
				end = len(q)
			}
			part, q = q[:end], q[end:]
		}
		t := term{prefix: !quoted && open && !minus}
		for _, w := range words(part) {
			t.words = append(t.words, w.folded)
		}
		if last, _ := utf8.DecodeLastRuneInString(part); !inWord(last) || alone(last) ||
			utf8.RuneCountInString(t.words[len(t.words)-1]) < 2 {
			t.prefix = false
		}
		switch {
		case len(t.words) == 0:
		case minus:
			query.excluded = append(query.excluded, t)
		default:
			query.terms = append(query.terms, t)
		}
	}
	return query
}

// Empty reports whether the query looks for nothing.
func (q Query) Empty() bool { return len(q.terms) == 0 }

// Match returns the query in the words of SQLite's full-text search, over the
// columns text and, for the tokens that all hits must have, scope. It looks for
// whole words, with those of [Query.With].
func (q Query) Match(scope ...string) string { return q.MatchNear("", scope...) }

// MatchNear returns what [Query.Match] does, but for texts that have a word as well;
// an empty one is none. Phrases are looked for near that word: where no more texts have
// it, the search for the phrase ends too, as that for all of the terms does.
func (q Query) MatchNear(word string, scope ...string) string {
	var b strings.Builder
	for _, s := range scope {
		b.WriteString("scope:" + quote(s) + " AND ")
	}
	b.WriteString("text:(")
	if word != "" {
		b.WriteString(quote(word) + " AND ")
	}
	join(&b, q.terms, word, " AND ")
	b.WriteByte(')')
	if len(q.excluded) == 0 {
		return b.String()
	}
	all := b.String()
	b.Reset()
	b.WriteString("(" + all + ") NOT text:(")
	join(&b, q.excluded, word, " OR ")
	b.WriteByte(')')
	return b.String()
}

func join(b *strings.Builder, terms []term, near, sep string) {
	phrase := func(words []string) {
		p := quote(strings.Join(words, " "))
		if near != "" && len(words) > 1 {
			p = "NEAR(" + quote(near) + " " + p + ", 1000000)" // farther than any text is long
		}
		b.WriteString(p)
	}
	for i, t := range terms {
		if i > 0 {
			b.WriteString(sep)
		}
		if len(t.ends) == 0 {
			phrase(t.words)
			continue
		}
		b.WriteByte('(')
		for j, end := range t.ends {
			if j > 0 {
				b.WriteString(" OR ")
			}
			phrase(append(t.words[:len(t.words)-1:len(t.words)-1], end))
		}
		b.WriteByte(')')
	}
}

// Beginning returns the beginning of a word that the query ends with; empty if it
// ends with a whole word. One letter is too little to be a beginning. Follows tells that
// it has to come right after other words.
func (q Query) Beginning() (start string, follows bool) {
	if len(q.terms) == 0 || !q.terms[len(q.terms)-1].prefix {
		return "", false
	}
	t := q.terms[len(q.terms)-1]
	return t.words[len(t.words)-1], len(t.words) > 1
}

// With returns the query with the words that its beginning goes on to, which
// [Query.Match] then looks for beside the beginning as a word.
func (q Query) With(words []string) Query {
	q.terms = slices.Clone(q.terms)
	if n := len(q.terms); n > 0 && q.terms[n-1].prefix {
		start, _ := q.Beginning()
		q.terms[n-1].ends = append([]string{start}, words...)
	}
	return q
}

// quote makes a string of full-text search, in which nothing is an operator.
func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// Matches reports whether text has all that the query looks for and nothing that
// it leaves out.
func (q Query) Matches(text string) bool {
	ws := words(text)
	has := func(t term) bool {
		for i := range ws {
			if t.at(ws[i:]) > 0 {
				return true
			}
		}
		return false
	}
	lacks := func(t term) bool { return !has(t) }
	return !q.Empty() && !slices.ContainsFunc(q.terms, lacks) && !slices.ContainsFunc(q.excluded, has)
}

// Hit is a part of a text, in bytes.
type Hit struct{ Start, End int }

// Hits returns what of text the query hits, in order and apart: at most 100.
func (q Query) Hits(text string) []Hit {
	const most = 100
	ws := words(text)
	var hits []Hit
	for i := range ws {
		end := 0
		for _, t := range q.terms {
			if n := t.at(ws[i:]); n > 0 {
				end = max(end, ws[i+n-1].end)
			}
		}
		if end == 0 {
			continue
		}
		if n := len(hits); n > 0 && ws[i].start <= hits[n-1].End {
			hits[n-1].End = max(hits[n-1].End, end)
			continue
		}
		if len(hits) == most {
			break
		}
		hits = append(hits, Hit{ws[i].start, end})
	}
	return hits
}

// at returns how many words the term takes at the beginning of ws; 0 is none.
func (t term) at(ws []word) int {
	n := len(t.words)
	if n > len(ws) || !slices.EqualFunc(t.words[:n-1], ws[:n-1], func(a string, w word) bool { return a == w.folded }) {
		return 0
	}
	last := ws[n-1].folded
	if last == t.words[n-1] || t.prefix && strings.HasPrefix(last, t.words[n-1]) {
		return n
	}
	return 0
}

// clip returns the first n bytes of s, cut on the border of a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
