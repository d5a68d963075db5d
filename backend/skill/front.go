package skill

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	maxFront       = 16 << 10 // bytes of a SKILL.md that are read
	maxDescription = 240      // characters that are shown
	maxFolderName  = 100
	maxFault       = 160 // characters of what the parser says
)

// about is what a SKILL.md says of itself. Nothing in it is more than one text:
// what an alias stands for is not written out.
type about struct {
	Name        string    `yaml:"name"`
	Description string    `yaml:"description"`
	Invocable   yaml.Node `yaml:"user-invocable"`
}

// hidden says that it is not for people to choose.
func (a about) hidden() bool {
	says := &a.Invocable
	if says.Alias != nil {
		says = says.Alias
	}
	return strings.EqualFold(says.Value, "false")
}

// parse reads the block of YAML at the beginning of a SKILL.md. All keys but a few
// are passed over. The error is a reason.
func parse(text []byte) (about, error) {
	front, err := block(text)
	if err != nil {
		return about{}, err
	}
	var a about
	err = yaml.Unmarshal([]byte(front), &a)
	if wrong, ok := errors.AsType[*yaml.TypeError](err); ok {
		for _, e := range wrong.Errors {
			if strings.Contains(e, "already defined") {
				return about{}, noYAML(errors.New(e))
			}
		}
		return about{}, noText
	}
	if err != nil {
		return about{}, noYAML(err)
	}
	return a, nil
}

// noYAML is the reason for an error of the parser, which names the line.
func noYAML(err error) reason {
	return reason(fmt.Sprintf("The block at the beginning of SKILL.md is not valid YAML: %s.",
		line(strings.TrimPrefix(err.Error(), "yaml: "), maxFault)))
}

// block returns what is between the first two lines of ---, after an empty line
// in place of the first, so that lines are counted as in the file.
func block(text []byte) (string, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) && !utf8.Valid(cutRune(text)) {
		return "", noUTF8
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	if strings.TrimRight(lines[0], " \t") != "---" {
		return "", noFront
	}
	for i, l := range lines[1:] {
		if l = strings.TrimRight(l, " \t"); l == "---" || l == "..." {
			return "\n" + strings.Join(lines[1:i+1], "\n"), nil
		}
	}
	return "", noEnd
}

// cutRune takes off the end of a text that was cut in the middle of a character.
func cutRune(text []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if utf8.RuneStart(text[len(text)-i]) {
			return text[:len(text)-i]
		}
	}
	return text
}

// line is what of a text can be shown on one line: no control characters and none
// that turn its direction, at most so many characters.
func line(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > most {
		return strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return s
}
