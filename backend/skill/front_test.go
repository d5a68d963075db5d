package skill

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// invalid is the reason for what the parser says.
func invalid(what string) error { return noYAML(errors.New(what)) }

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, skill, description string
		hidden                         bool
		err                            error
	}{
		{name: "bare", text: "---\nname: pdf\ndescription: Reads all of it # not this\n---\n", skill: "pdf", description: "Reads all of it"},
		{name: "with CR and a mark", text: "\ufeff---\r\nname: pdf\r\ndescription: Reads\r\n---\r\nrest", skill: "pdf", description: "Reads"},
		{name: "double quotes", text: "---\nname: \"p\\u0064f\"\ndescription: \"It \\\"reads\\\"\n  more\" # no\n---", skill: "pdf", description: `It "reads" more`},
		{name: "single quotes", text: "---\nname: 'pdf'\ndescription: 'It''s read'\n---", skill: "pdf", description: "It's read"},
		{name: "a block", text: "---\ndescription: >-\n  One: all\n  two\n\n  three\nname: pdf\n---", skill: "pdf", description: "One: all two three"},
		{name: "on several lines", text: "---\nname: pdf\ndescription: One\n  two\nmetadata:\n  name: not this\n  description: nor this\n---", skill: "pdf", description: "One two"},
		{name: "a number", text: "---\nname: 7\n---", skill: "7"},
		{name: "a key twice", text: "---\nname: a\nmore: 1\nmore: 2\n---", err: invalid(`line 4: mapping key "more" already defined at line 3`)},
		{name: "a name twice", text: "---\nname: a\nname: [b]\n---", err: invalid(`line 3: mapping key "name" already defined at line 2`)},
		{name: "not for people, in capitals", text: "---\nname: pdf\nuser-invocable: FALSE\n---", skill: "pdf", hidden: true},
		{name: "not for people, by an alias", text: "---\nname: pdf\nno: &no False\nuser-invocable: *no\n---", skill: "pdf", hidden: true},
		{name: "no values", text: "---\nname:\ndescription:\n# comment\n---"},
		{name: "nothing in it", text: "---\n---\n"},
		{name: "not for people", text: "---\nname: pdf\nuser-invocable: false\n---", skill: "pdf", hidden: true},
		{name: "for people", text: "---\nname: pdf\nuser-invocable: true\n---", skill: "pdf"},
		{name: "ends in dots", text: "---\nname: pdf\n...\n", skill: "pdf"},
		{name: "turned direction", text: "---\nname: pdf\ndescription: \"a\u202eb\\u0007c\"\n---", skill: "pdf", description: "abc"},
		{name: "a list", text: "---\nname: [a]\n---", err: noText},
		{name: "not keys", text: "---\n- name\n---", err: noText},
		{name: "a colon", text: "---\nname: a\ndescription: Use when: you need it\n---", err: invalid("line 3: mapping values are not allowed in this context")},
		{name: "no anchor", text: "---\nname: *a\n---", err: invalid("unknown anchor 'a' referenced")},
		{name: "an open list", text: "---\nname: a\nmore: [\n---", err: invalid("line 3: did not find expected node content")},
		{name: "an open quote", text: "---\nname: \"a\n---", err: invalid("line 2: found unexpected end of stream")},
		{name: "a bad escape", text: "---\nname: \"\\q\"\n---", err: invalid("line 2: found unknown escape character")},
		{name: "a control character", text: "---\nname: a\x07\n---", err: invalid("control characters are not allowed")},
		{name: "too deep", text: "---\nmore: " + strings.Repeat("[", 15_000) + "\n---", err: invalid("line 2: exceeded max depth of 10000")},
		{name: "empty", text: "", err: noFront},
		{name: "no block", text: "# Title", err: noFront},
		{name: "no end", text: "---\nname: a", err: noEnd},
	}
	for _, tt := range tests {
		a, err := parse([]byte(tt.text))
		if err != tt.err || a.Name != tt.skill || line(a.Description, 100) != tt.description || a.hidden() != tt.hidden {
			t.Errorf("%s: %+v, %v", tt.name, a, err)
		}
	}
}

// What aliases stand for many times over is not written out. Not parallel: it counts
// allocations.
func TestParse_aliasesOfAliases(t *testing.T) {
	var b strings.Builder
	b.WriteString("---\na0: &a0 [x]\n")
	for i := range 40 {
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 8), i)
	}
	b.WriteString("user-invocable: *a40\n---\n")
	allocs := testing.AllocsPerRun(1, func() {
		if a, err := parse([]byte(b.String())); err != nil || a.hidden() {
			t.Errorf("%+v, %v", a, err)
		}
	})
	if allocs > 10_000 {
		t.Errorf("it took %v allocations", allocs)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"---\nname: a\ndescription: \"b\\n\"\n---", "---\ndescription: >\n x\n\n y\n---", "---\n'", "---\nname: '''", "---\nname: \"\\"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := parse(text)
		if err != nil {
			return
		}
		for _, s := range []string{line(a.Name, 50), line(a.Description, 50)} {
			if !utf8.ValidString(s) || utf8.RuneCountInString(s) > 50 {
				t.Errorf("%q is no line", s)
			}
			for _, r := range s {
				if !unicode.IsGraphic(r) {
					t.Errorf("%q holds %U", s, r)
				}
			}
		}
	})
}
