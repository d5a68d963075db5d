package skill

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxFront       = 16 << 10 // bytes of a SKILL.md that are read
	maxDescription = 240      // characters that are shown
	maxFolderName  = 100
)

// about is what a SKILL.md says of itself.
type about struct {
	name, description string
	hidden            bool // it is not for people to choose
}

// parse reads the block at the beginning of a SKILL.md. That is YAML, of which it
// knows what such files use: texts of one or several lines, bare, quoted or in a
// block. All keys but a few are passed over.
func parse(text []byte) (about, error) {
	lines, err := block(text)
	if err != nil {
		return about{}, err
	}
	var a about
	for i := 0; i < len(lines); i++ {
		key, value, ok := strings.Cut(lines[i], ":")
		if !ok || key == "" || key[0] == ' ' || key[0] == '\t' || key[0] == '#' {
			continue
		}
		more := 0
		for i+1+more < len(lines) && (lines[i+1+more] == "" || lines[i+1+more][0] == ' ' || lines[i+1+more][0] == '\t') {
			more++
		}
		switch key {
		case "name":
			a.name, err = scalar(value, lines[i+1:i+1+more])
		case "description":
			a.description, err = scalar(value, lines[i+1:i+1+more])
		case "user-invocable":
			a.hidden = strings.TrimSpace(value) == "false"
		}
		if err != nil {
			return about{}, err
		}
		i += more
	}
	return a, nil
}

// block returns the lines between the first two of ---.
func block(text []byte) ([]string, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) && !utf8.Valid(cutRune(text)) {
		return nil, noText
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	if strings.TrimRight(lines[0], " \t") != "---" {
		return nil, noFront
	}
	for i, l := range lines[1:] {
		if l = strings.TrimRight(l, " \t"); l == "---" || l == "..." {
			return lines[1 : i+1], nil
		}
	}
	return nil, noEnd
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

// scalar reads a text that begins after its key and goes on in more.
func scalar(value string, more []string) (string, error) {
	value = strings.TrimSpace(value)
	all := strings.TrimSpace(value + "\n" + strings.Join(more, "\n"))
	if all == "" {
		return "", nil
	}
	switch all[0] {
	case '|', '>':
		_, body, _ := strings.Cut(all, "\n")
		return strings.TrimSpace(body), nil
	case '"':
		end := closing(all)
		if end < 0 {
			return "", noText
		}
		var s string
		if json.Unmarshal([]byte(strings.Join(strings.Fields(all[:end+1]), " ")), &s) != nil {
			return "", noText
		}
		return s, nil
	case '\'':
		var b strings.Builder
		for rest := all[1:]; ; {
			part, after, ok := strings.Cut(rest, "'")
			b.WriteString(part)
			if !ok {
				return "", noText
			}
			if !strings.HasPrefix(after, "'") {
				return b.String(), nil
			}
			b.WriteByte('\'')
			rest = after[1:]
		}
	case '[', '{', '&', '*', '!', '%', '@', '`', '#':
		return "", noText
	}
	parts := strings.Split(all, "\n")
	for i, p := range parts {
		if at := strings.Index(p, " #"); at >= 0 {
			parts[i] = p[:at]
		}
	}
	return strings.Join(parts, " "), nil
}

// closing returns where a text in double quotes ends, -1 if it does not.
func closing(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
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
