package skill

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, skill, description string
		hidden                         bool
		err                            error
	}{
		{name: "bare", text: "---\nname: pdf\ndescription: Reads: all of it # not this\n---\n", skill: "pdf", description: "Reads: all of it"},
		{name: "with CR and a mark", text: "\ufeff---\r\nname: pdf\r\ndescription: Reads\r\n---\r\nrest", skill: "pdf", description: "Reads"},
		{name: "double quotes", text: "---\nname: \"p\\u0064f\"\ndescription: \"It \\\"reads\\\"\n  more\" # no\n---", skill: "pdf", description: `It "reads" more`},
		{name: "single quotes", text: "---\nname: 'pdf'\ndescription: 'It''s read'\n---", skill: "pdf", description: "It's read"},
		{name: "a block", text: "---\ndescription: >-\n  One\n  two\n\n  three\nname: pdf\n---", skill: "pdf", description: "One two three"},
		{name: "on several lines", text: "---\nname: pdf\ndescription: One\n  two\nmetadata:\n  name: not this\n  description: nor this\n---", skill: "pdf", description: "One two"},
		{name: "no values", text: "---\nname:\ndescription:\n# comment\n---"},
		{name: "not for people", text: "---\nname: pdf\nuser-invocable: false\n---", skill: "pdf", hidden: true},
		{name: "ends in dots", text: "---\nname: pdf\n...\n", skill: "pdf"},
		{name: "turned direction", text: "---\nname: pdf\ndescription: a\u202eb\u0007c\n---", skill: "pdf", description: "abc"},
		{name: "a list", text: "---\nname: [a]\n---", err: noText},
		{name: "an alias", text: "---\nname: *a\n---", err: noText},
		{name: "an open quote", text: "---\nname: \"a\n---", err: noText},
		{name: "an open single quote", text: "---\nname: 'a\n---", err: noText},
		{name: "a bad escape", text: "---\nname: \"\\q\"\n---", err: noText},
		{name: "empty", text: "", err: noFront},
		{name: "no block", text: "# Title", err: noFront},
		{name: "no end", text: "---\nname: a", err: noEnd},
	}
	for _, tt := range tests {
		a, err := parse([]byte(tt.text))
		if err != tt.err || a.name != tt.skill || line(a.description, 100) != tt.description || a.hidden != tt.hidden {
			t.Errorf("%s: %+v, %v", tt.name, a, err)
		}
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
		for _, s := range []string{line(a.name, 50), line(a.description, 50)} {
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
