package chat

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"signalbox/backend/wire"
)

// maxLine is how many bytes of a text's first line an outline shows.
const maxLine = 200

// Prompts returns the prompts that are part of the chat, in their order. The
// caller may keep and change them.
func (s *State) Prompts() []wire.OutlinePrompt { return slices.Clone(s.outline) }

// Ended returns the seq of the last complete; 0 if there is none.
func (s *State) Ended() uint64 { return s.ended }

// index returns the place of the first prompt that is not before the event seq.
func (s *State) index(seq uint64) int {
	i, _ := slices.BinarySearchFunc(s.outline, seq, func(p wire.OutlinePrompt, seq uint64) int {
		return cmp.Compare(p.Seq, seq)
	})
	return i
}

// point is where a state stood before a prompt.
type point struct {
	sessions map[wire.AgentID]session // never changed
	last     Run
	ended    uint64
}

// Back takes the state back to where it stood before the prompt with the event
// seq, or the first after that, but for the client ids: they stay known.
func (s *State) Back(seq uint64) {
	i := s.index(seq)
	if i == len(s.outline) {
		return
	}
	p := s.points[i]
	s.outline, s.points = s.outline[:i:i], s.points[:i:i]
	s.sessions, s.last, s.ended, s.open = p.sessions, p.last, p.ended, nil
}

// Line returns the first line of a text that shows something, cut to 200 bytes.
func Line(text string) string {
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
			if shows(r) {
				return r
			}
			return ' '
		}, line)), " ")
		if strings.TrimFunc(line, blank) != "" {
			return cut(line, maxLine)
		}
	}
	return ""
}

// cut shortens s to at most n bytes, on a rune's border.
func cut(s string, n int) string {
	const more = "…"
	if len(s) <= n {
		return s
	}
	n -= len(more)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRight(s[:n], " ") + more
}
