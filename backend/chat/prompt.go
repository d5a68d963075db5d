package chat

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"signalbox/backend/fault"
)

// The limits of what a client may send.
const (
	MaxText     = 1 << 20 // bytes of a prompt
	MaxClientID = 200     // characters of a client id
	MaxTitle    = 200     // characters of a title that a person sets
	MaxSkills   = 50      // skills that a prompt names
)

// CheckText returns why text cannot be a prompt, as a [*fault.Error].
func CheckText(text string) error {
	switch {
	case len(text) > MaxText:
		return fault.New(fault.TooLarge, "The prompt has %d bytes; at most %d (1 MB) are taken.", len(text), MaxText).
			WithHint("Put the long part into a file and name it in the prompt.")
	case !utf8.ValidString(text):
		return fault.New(fault.Invalid, "The prompt is not valid UTF-8.")
	case strings.ContainsRune(text, 0):
		return fault.New(fault.Invalid, "The prompt holds a NUL character.").
			WithHint("Remove it: no agent can be given one.")
	case Blank(text):
		return fault.New(fault.Invalid, "The prompt is empty.")
	}
	return nil
}

// Blank reports whether nothing is seen of a text.
func Blank(text string) bool { return strings.TrimFunc(text, blank) == "" }

// blank reports whether nothing is seen of r: white space, or a character that
// only shapes its neighbours, such as a zero-width space.
func blank(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

// CheckClientID returns why id cannot name a prompt, as a [*fault.Error].
func CheckClientID(id string) error {
	if id == "" || utf8.RuneCountInString(id) > MaxClientID || !printable(id) {
		return fault.New(fault.Invalid, "A client id has 1 to %d printable characters.", MaxClientID)
	}
	return nil
}

// CheckSkills returns why the names cannot be those of skills, as a
// [*fault.Error].
func CheckSkills(names []string) error {
	if len(names) > MaxSkills {
		return fault.New(fault.Invalid, "A prompt names at most %d skills.", MaxSkills)
	}
	for _, name := range names {
		if !skillName.MatchString(name) {
			return fault.New(fault.Invalid, "%.40q cannot be the name of a skill.", name).
				WithHint("Choose one of the skills that are listed.")
		}
	}
	return nil
}

// skillName is what a skill may be called: a word that no agent takes for more.
var skillName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_:.-]{0,99}$`)

// CheckTitle returns why title cannot be a chat's, as a [*fault.Error].
func CheckTitle(title string) error {
	if strings.TrimSpace(title) == "" || utf8.RuneCountInString(title) > MaxTitle || !printable(title) {
		return fault.New(fault.Invalid, "A title has 1 to %d printable characters.", MaxTitle)
	}
	return nil
}

// Title makes a title from a chat's first prompt: its first six words, cut to 60
// characters.
func Title(text string) string {
	const words, chars = 6, 60
	text = strings.Map(func(r rune) rune {
		if shows(r) {
			return r
		}
		return ' '
	}, text)
	fields := strings.Fields(text)
	title := strings.Join(fields[:min(len(fields), words)], " ")
	if utf8.RuneCountInString(title) <= chars {
		return title
	}
	runes := []rune(title)
	return strings.TrimSpace(string(runes[:chars-1])) + "…"
}

// printable reports whether s is valid UTF-8 that shows on one line.
func printable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !shows(r) }) < 0
}

// shows reports whether r is a letter, mark, number, sign or space, or joins
// those around it, as in an emoji of several. Control characters and those that
// turn the direction of what follows are not among them.
func shows(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.IsGraphic(r) || r == nonJoiner || r == joiner
}
