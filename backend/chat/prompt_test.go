package chat_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"signalbox/backend/chat"
	"signalbox/backend/fault"
)

func TestCheckText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       fault.Code
	}{
		{name: "a word", text: "hello"},
		{name: "line feeds, tabs and signs", text: "a\n\tb — 👩‍👩‍👧 \u202e"},
		{name: "exactly the limit", text: strings.Repeat("x", chat.MaxText)},
		{name: "over the limit", text: strings.Repeat("x", chat.MaxText+1), want: fault.TooLarge},
		{name: "empty", want: fault.Invalid},
		{name: "white space", text: " \t\r\n\u00a0\u2003", want: fault.Invalid},
		{name: "zero-width characters", text: "\u200b \u2060\ufeff", want: fault.Invalid},
		{name: "an emoji with a joiner", text: "👩\u200d💻"},
		{name: "NUL", text: "a\x00b", want: fault.Invalid},
		{name: "half a character", text: "a\xe2\x80", want: fault.Invalid},
		{name: "a surrogate in UTF-8", text: "a\xed\xa0\x80", want: fault.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := fault.CodeOf(chat.CheckText(tt.text)); got != tt.want {
				t.Errorf("CheckText = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCheckClientID(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, id string
		want     fault.Code
	}{
		{name: "a uuid", id: "3f0c9c1e-0000-4000-8000-000000000000"},
		{name: "200 characters of three bytes", id: strings.Repeat("—", 200)},
		{name: "201 characters", id: strings.Repeat("a", 201), want: fault.Invalid},
		{name: "empty", want: fault.Invalid},
		{name: "a line feed", id: "a\nb", want: fault.Invalid},
		{name: "an escape", id: "a\x1bb", want: fault.Invalid},
		{name: "not UTF-8", id: "a\xff", want: fault.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := fault.CodeOf(chat.CheckClientID(tt.id)); got != tt.want {
				t.Errorf("CheckClientID = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{name: "short", text: "Fix the build", want: "Fix the build"},
		{name: "six words", text: "one two three four five six seven", want: "one two three four five six"},
		{name: "lines and runs of space", text: "  one\n\n two\tthree\u00a0four ", want: "one two three four"},
		{name: "one long word", text: strings.Repeat("x", 80), want: strings.Repeat("x", 59) + "…"},
		{name: "cut at a space", text: strings.Repeat("a", 58) + " " + "bcd", want: strings.Repeat("a", 58) + "…"},
		{name: "control characters and turned direction", text: "a\x1b[31mb\u202ec", want: "a [31mb c"},
		{name: "a joined emoji stays whole", text: "👩‍👩‍👧 family", want: "👩‍👩‍👧 family"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := chat.Title(tt.text)
			if got != tt.want {
				t.Errorf("Title = %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzTitle(f *testing.F) {
	f.Add("a\x00 b \xff — 👩‍👩‍👧")
	f.Fuzz(func(t *testing.T, text string) {
		title := chat.Title(text)
		if n := utf8.RuneCountInString(title); n > 60 || !utf8.ValidString(title) {
			t.Errorf("Title = %q, of %d characters", title, n)
		}
		if title != "" && chat.CheckTitle(title) != nil {
			t.Errorf("Title = %q, which no person could set", title)
		}
	})
}
