package search_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/search"
)

// What a query means, in the words of full-text search.
func TestQuery_Match(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, query, want string }{
		{"words", "fix the Build ", `text:("fix" AND "the" AND "build")`},
		{"the last may be a beginning", "fix bui", `text:("fix" AND ("bui" OR "build" OR "buick"))`},
		{"the last part of a name may be one", "go.bui", `text:(("go bui" OR "go build" OR "go buick"))`},
		{"one letter is a word", "fix b", `text:("fix" AND "b")`},
		{"a phrase", `"fix the" build `, `text:("fix the" AND "build")`},
		{"a phrase that does not end", `"fix the`, `text:("fix the")`},
		{"left out", `build -test -"go vet"`, `(text:("build")) NOT text:("test" OR "go vet")`},
		{"nothing but left out", `-test`, ``},
		{"signs in a word", `a.b/c_d `, `text:("a b c d")`},
		{"operators are words", `NEAR OR NOT * ( ) ^a:b `, `text:("near" AND "or" AND "not" AND "a b")`},
		{"a quote in a word", `say"hi"now `, `text:("say" AND "hi" AND "now")`},
		{"accents", "Ärger ", `text:("arger")`},
		{"characters without spaces", "日本語 ", `text:("日 本 語")`},
		{"signs alone", `++ -> "!!" 🙂`, ``},
		{"not UTF-8", "a\xff\xfeb ", `text:("a" AND "b")`},
		{"NUL", "a\x00b ", `text:("a b")`},
		{"a minus by itself", "a - b ", `text:("a" AND "b")`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := search.Parse(tt.query)
			if start, _ := q.Beginning(); start != "" {
				q = q.With([]string{"build", "buick"})
			}
			got := q.Match()
			if q.Empty() {
				got = ""
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	if got := search.Parse(`x -"y z" `).MatchNear("s"); got != `(text:("s" AND "x")) NOT text:(NEAR("s" "y z", 1000000))` {
		t.Errorf("near a word: %s", got)
	}
	if got := search.Parse("x ").Match("c1", "a2"); got != `scope:"c1" AND scope:"a2" AND text:("x")` {
		t.Errorf("with a scope: %s", got)
	}
}

func TestQuery_Hits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, query, text string
		want              []string
	}{
		{"any case", "build", "The BUILD, rebuilt: building", []string{"BUILD", "building"}},
		{"whole words where a space follows", "build ", "building a build", []string{"build"}},
		{"a phrase over signs", `"go vet" `, "run go  vet; go test vet", []string{"go  vet"}},
		{"accents of both kinds", "cafe ", "Café or Cafe\u0301", []string{"Café", "Cafe\u0301"}},
		{"a part of a text without spaces", "日本 ", "これは日本語です", []string{"日本"}},
		{"touching hits are one", "日 本 ", "日本", []string{"日本"}},
		{"sharp s and kelvin", "k ", "300 \u212a", []string{"\u212a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, h := range search.Parse(tt.query).Hits(tt.text) {
				got = append(got, tt.text[h.Start:h.End])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestQuery_Matches(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{
		"fix build": true, "BUILD fi": true, `"the build"`: true, "build -fix": false, "fix builds": false, `"build fix"`: false, "": false, "-x": false,
	} {
		if got := search.Parse(query).Matches("Fix the build"); got != want {
			t.Errorf("%q matches: %v", query, got)
		}
	}
}

func TestNeedle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, needle, text string
		want               []string
	}{
		{"inside words", "uil", "Build REBUILD", []string{"uil", "UIL"}},
		{"signs", "->", "a -> b->c", []string{"->", "->"}},
		{"letters whose cases differ in length", "ı̇", "", nil},
		{"after letters that grow or shrink", "x", "ẞßİıⱥx\u212aX", []string{"x", "X"}},
		{"any case beyond ASCII", "ÉCOLE", "une école, une Ecole", []string{"école", "Ecole"}},
		{"accents of their own", "cafe", "Cafe\u0301!", []string{"Cafe"}},
		{"Chinese", "中文", "學中文的人", []string{"中文"}},
		{"broken text", "b", "a\xffb", []string{"b"}},
		{"nothing", "", "abc", nil},
		{"overlapping ones count apart", "aa", "aaaa", []string{"aa", "aa"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, h := range search.NewNeedle(tt.needle).Hits(tt.text, 100) {
				got = append(got, strings.TrimSuffix(tt.text[h.Start:h.End], "\u0301"))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 100)
	text := long + "a 🙂\n\n  needle\tin 日本 hay " + long
	s := search.NewSnippet(text, search.Parse("needle hay ").Hits(text))
	if !s.Before || !s.After || !strings.HasPrefix(s.Text, "word ") || strings.Contains(s.Text, "\n") {
		t.Errorf("snippet = %+v", s)
	}
	if diff := cmp.Diff([]string{"needle", "hay"}, marked(s)); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	s = search.NewSnippet("short", nil)
	if diff := cmp.Diff(search.Snippet{Text: "short", Marks: []search.Mark{}}, s); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// marked returns what a page would mark, counting as it does.
func marked(s search.Snippet) []string {
	units := utf16.Encode([]rune(s.Text))
	var all []string
	for _, m := range s.Marks {
		all = append(all, string(utf16.Decode(units[m.Start:m.End])))
	}
	return all
}

// What can be found by its beginning are the words as they compare, less those that
// are known, the very short and the very long.
func TestTerms(t *testing.T) {
	set := map[string]struct{}{"kept": {}}
	search.Terms("Fix the BUILD: go vet, Ärger; the 日本 of "+strings.Repeat("x", 41)+" kept"+strings.Repeat("y", 40), map[string]struct{}{"the": {}}, set)
	want := []string{"arger", "build", "fix", "kept", "vet", "日", "本"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(set))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	text := strings.Repeat("Words that are known take no memory. ", 10)
	known := map[string]struct{}{}
	search.Terms(text, nil, known)
	if n := testing.AllocsPerRun(10, func() { search.Terms(text, known, set) }); n > 0 {
		t.Errorf("%v allocations for words that are known", n)
	}
}

// No text and no query breaks anything: hits are parts of the text, on borders of
// characters, and marks parts of the snippet.
func FuzzSearch(f *testing.F) {
	f.Add("Fix \"the bui", "fix the\x00 building\n🙂 日本語 Cafe\u0301 İ")
	f.Add("-a \"", "a\xff")
	f.Add("ſ K", strings.Repeat("K ſ", 300))
	f.Fuzz(func(t *testing.T, query, text string) {
		q := search.Parse(query)
		if m := q.Match("c1"); strings.Count(m, `"`)%2 != 0 || !utf8.ValidString(m) {
			t.Errorf("match of %q = %q", query, m)
		}
		search.Folded(text)
		for _, hits := range [][]search.Hit{q.Hits(text), search.NewNeedle(query).Hits(text, 10)} {
			last := 0
			for _, h := range hits {
				if h.Start < last || h.End < h.Start || h.End > len(text) {
					t.Fatalf("hits of %q in %q: %v", query, text, hits)
				}
				last = h.End
			}
			s := search.NewSnippet(text, hits)
			units, last := len(utf16.Encode([]rune(s.Text))), 0
			for _, m := range s.Marks {
				if m.Start < last || m.End < m.Start || m.End > units {
					t.Fatalf("snippet of %q in %q: %+v", query, text, s)
				}
				last = m.End
			}
		}
	})
}
