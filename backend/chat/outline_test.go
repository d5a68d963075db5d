package chat_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/chat"
	"signalbox/backend/wire"
)

func TestState_Prompts(t *testing.T) {
	t.Parallel()
	l := &log{t: t}
	l.add("r_1", user("a", "\n\n  first\tline \nsecond"))
	l.add("r_1", wire.Complete{Status: wire.StatusFailed})
	l.add("r_2", user("b", "two"))
	s := l.fold()
	want := []wire.OutlinePrompt{
		{Seq: 1, T: start, Run: "r_1", By: ann, Line: "first line", Status: wire.StatusFailed, End: 2},
		{Seq: 3, T: start, Run: "r_2", By: ann, Line: "two"},
	}
	if diff := cmp.Diff(want, s.Prompts()); diff != "" {
		t.Errorf("Prompts (-want +got)\n%s", diff)
	}
	if got := s.Ended(); got != 2 {
		t.Errorf("Ended = %d", got)
	}
	for seq, want := range map[uint64]int{0: 2, 1: 2, 2: 1, 3: 1, 4: 0} {
		line := ""
		if want > 0 {
			line = []string{"two", "first line"}[want-1]
		}
		if n, first := s.Since(seq); n != want || first != line {
			t.Errorf("Since(%d) = %d, %q; want %d, %q", seq, n, first, want, line)
		}
	}
	// The caller may change what it was given.
	s.Prompts()[0].Line = "changed"
	if s.Prompts()[0].Line != "first line" {
		t.Error("the state was changed from outside")
	}
}

func TestState_Spend(t *testing.T) {
	t.Parallel()
	l := &log{t: t}
	l.add("r_1", user("a", "one"))
	l.add("r_2", user("b", "two"))
	b, err := json.Marshal(l.fold().From(2))
	if err != nil {
		t.Fatal(err)
	}
	var kept map[string]chat.Prompt
	if err := json.Unmarshal(b, &kept); err != nil {
		t.Fatal(err)
	}
	if len(kept) != 1 {
		t.Fatalf("kept %s", b)
	}
	var s chat.State
	s.Spend(kept)
	if p, ok := s.Prompt("b"); !ok || p.Run != "r_2" || p.Seq != 2 || !p.SameText("two") || p.SameText("one") {
		t.Errorf("Prompt = %+v, %v", p, ok)
	}
	if len(s.Prompts()) != 0 {
		t.Error("a prompt that was taken out is part of the chat")
	}
	if err := json.Unmarshal([]byte(`{"b":{"sha256":"zz"}}`), &kept); err != nil || kept["b"].SameText("") {
		t.Errorf("a hash that is none: %v, same as an empty text", err)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("\u200b\n a\x1b[1mb\u202e\n")
	f.Add(strings.Repeat("é", 300))
	f.Fuzz(func(t *testing.T, text string) {
		line := chat.Line(text)
		if len(line) > 200 || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n\t") {
			t.Errorf("Line = %q", line)
		}
		if line == "" && chat.CheckText(text) == nil && chat.Title(text) != "" {
			t.Errorf("%q has a title and no line", text)
		}
	})
}
